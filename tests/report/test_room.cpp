#include <numeric>

#include <catch2/catch.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "report/page.hpp"
#include "report/page_json.hpp"
#include "report/room.hpp"
#include "report/short_names.hpp"
#include "report/unpacked.hpp"

using namespace fovea::report;
using Names = std::vector<std::string>;
using Json = nlohmann::json;

namespace {

HeatMap map_of(std::size_t rows, std::size_t columns, std::size_t heads) {
  HeatMap map{"written", "read", Names(rows, "r"), Names(columns, "c"), {}};
  for (std::size_t h = 0; h < heads; ++h)
    map.heads.push_back(
        {fmt::format("head {}", h), std::vector<double>(rows * columns, 1 / static_cast<double>(columns))});
  return map;
}

Picture picture_of(HeatMaps maps) { return {"typical", "x", "", "", "", std::move(maps)}; }

std::vector<std::size_t> heads_of(const std::vector<Picture>& pictures) {
  std::vector<std::size_t> counts;
  for (const Picture& picture : pictures)
    for (const HeatMap& map : std::get<HeatMaps>(picture.shown)) counts.push_back(map.heads.size());
  return counts;
}

Names short_of(const Names& names) {
  HeatMap map;
  for (const std::string& name : names) map.heads.push_back({name, {}});
  return short_names(map);
}

}  // namespace

TEST_CASE("room: what fits stays, and of more there are as many heads of each map", "[report]") {
  using Counts = std::vector<std::size_t>;
  const std::vector<Picture> all{picture_of({map_of(10, 10, 9), map_of(10, 10, 3)}),
                                 picture_of({map_of(10, 10, 9)})};
  const auto left = [&](std::size_t weights) {
    std::vector<Picture> pictures = all;
    leave_out_heads(pictures, weights);
    return heads_of(pictures);
  };
  CHECK(left(2100) == Counts{9, 3, 9});
  CHECK(left(2099) == Counts{8, 3, 8});
  CHECK(left(600) == Counts{2, 2, 2});
  CHECK(left(299) == Counts{1, 0, 1});  // the second kind of attention goes first
  CHECK(left(0) == Counts{1, 0, 0});
  std::vector<Picture> twice = all;
  leave_out_heads(twice, 1500);
  leave_out_heads(twice, 900);
  const HeatMap& map = std::get<HeatMaps>(twice[0].shown)[0];
  CHECK(map.heads.size() == 3);
  CHECK(map.left_out == 6);
  CHECK(map.heads.front().name == "head 0");
  CHECK(spread(9, 3) == Counts{0, 3, 6});
  CHECK(spread(2, 3) == Counts{0, 1});
  std::vector<Picture> none;
  leave_out_heads(none, 0);
}

TEST_CASE("room: a page of many long maps has a bounded size, and says what was left out", "[report]") {
  Page page;  // as of six items of 300 tokens, of a model of six layers of eight heads
  for (int i = 0; i < 3; ++i)
    page.pictures.push_back(picture_of({map_of(301, 300, 49), map_of(300, 300, 49)}));
  const std::string text = page_json(page);
  CHECK(text.size() < 9'000'000);
  CHECK(text.size() > 6'000'000);  // the room is used
  const Json map = Json::parse(text)["pictures"][2]["shown"]["maps"][1];
  CHECK(map["leftOut"].get<std::size_t>() + map["heads"].size() == 49);
  CHECK(map["heads"].size() > 4);
}

TEST_CASE("room: a drawing of many heads has a bounded size, and says what was left out", "[report]") {
  HeatMap map = map_of(100, 100, 49);
  for (HeatMap::Head& head : map.heads)  // no two neighbours have the same shade
    for (std::size_t i = 0; i < head.weights.size(); ++i) head.weights[i] = static_cast<double>(i % 21) / 20;
  Page page;
  page.pictures = {picture_of({map})};
  const std::string drawing = svg(page);
  CHECK(drawing.size() < 20'000'000);
  CHECK(drawing.find("19 of 49 heads are left out") != drawing.npos);
}

TEST_CASE("room: weights in a page are exact to a third of a thousandth, small ones to as many digits",
          "[report]") {
  Page page;
  HeatMap map = map_of(2, 3, 2);
  map.heads[0].weights = {0.1234, 0.8766, 0, 1, 0, std::nan("")};
  map.heads[1].weights = {0.0001234, 0.0002, 0, 0, 0, 0.0001};
  page.pictures = {picture_of({map})};
  const Json heads = Json::parse(page_json(page))["pictures"][0]["shown"]["maps"][0]["heads"];
  const std::vector<double> first = unpacked(heads[0]), second = unpacked(heads[1]);
  REQUIRE(first.size() == 6);
  REQUIRE(second.size() == 6);
  for (std::size_t i = 0; i < 5; ++i) CHECK(first[i] == Approx(map.heads[0].weights[i]).margin(1e-5));
  CHECK(first[5] == 0);
  for (std::size_t i = 0; i < 6; ++i) CHECK(second[i] == Approx(map.heads[1].weights[i]).margin(2e-9));
}

TEST_CASE("room: of a long horizon some rows of weights are kept", "[report]") {
  Forecast series;
  series.weights.assign(2000, std::vector<double>(4000, 0.5));
  series.times.resize(6000);
  series.forecast.resize(2000);
  Page page;
  page.pictures = {{"next", "x", "", "", "", series}, {"next", "y", "", "", "", series}};
  const Json shown = Json::parse(page_json(page))["pictures"][1]["shown"];
  CHECK(shown["weightRows"].size() == 375);
  CHECK(unpacked(shown["weights"]).size() == 375 * 4000);
}

TEST_CASE("short names: what all paths have in common is left out", "[report]") {
  CHECK(short_of({"mean of all", "decoder.layers.0.cross_attention, head 0",
                  "decoder.layers.10.cross_attention, head 1"}) ==
        Names{"mean of all", "layer 0, head 0", "layer 10, head 1"});
  CHECK(short_of({"mean of all", "decoder.layers.0.cross_attention, head 0",
                  "decoder.layers.0.cross_attention, head 1"}) == Names{"mean of all", "head 0", "head 1"});
  CHECK(short_of({"layers.0.cross", "layers.1.cross"}) == Names{"layer 0", "layer 1"});
  CHECK(short_of({"attention"}) == Names{"attention"});
  CHECK(short_of({"a.b.dot", "a.b.additive"}) == Names{"dot", "additive"});
  CHECK(short_of({"a.b.dot.x", "a.b.additive"}) == Names{"dot.x", "additive"});
  CHECK(short_of({"a.0.b.1", "a.1.b.0"}) == Names{"0.b.1", "1.b.0"});
  CHECK(short_of({"0", "1"}) == Names{"0", "1"});
  CHECK(short_of({"a", "a.b"}) == Names{"a", "b"});
  CHECK(short_of({"head 1, of ж", ""}) == Names{"head 1, of ж", ""});
  CHECK(short_of({}).empty());
}
