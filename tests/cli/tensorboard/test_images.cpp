#include <cmath>

#include <catch2/catch.hpp>

#include "cli/tensorboard.hpp"
#include "cli/tensorboard/decoded.hpp"
#include "cli/tensorboard/images.hpp"
#include "training/folder.hpp"

using namespace fovea;
using events::attention_images;
using Tags = std::vector<std::string>;

namespace {

report::Picture picture(const std::string& title, std::size_t rows, std::size_t columns,
                        std::vector<std::pair<std::string, std::vector<double>>> heads) {
  report::HeatMap map{
      "written", "read", std::vector<std::string>(rows, "r"), std::vector<std::string>(columns, "c"), {}};
  for (auto& [name, weights] : heads) map.heads.push_back({name, std::move(weights)});
  return {"typical", title, "", "", "", report::HeatMaps{std::move(map)}};
}

report::Picture flat(const std::string& title, std::size_t rows, std::size_t columns, std::size_t heads = 1) {
  std::vector<std::pair<std::string, std::vector<double>>> all;
  for (std::size_t h = 0; h < heads; ++h)
    all.emplace_back("head " + std::to_string(h), std::vector<double>(rows * columns, 0.1));
  return picture(title, rows, columns, std::move(all));
}

Tags tags_of(const std::vector<report::Picture>& pictures) {
  Tags tags;
  for (const events::AttentionImage& image : attention_images(pictures)) tags.push_back(image.tag);
  return tags;
}

}  // namespace

TEST_CASE("images: rows are written, columns read, in the colours of a page", "[cli]") {
  const std::vector<report::Picture> pictures{
      picture("word", 2, 3, {{"attention", {0, 0.5, 1, std::nan(""), 7, 0.05}}})};
  const auto images = attention_images(pictures);
  REQUIRE(images.size() == 1);
  const Decoded seen = decoded(images[0].png);
  CHECK(images[0].width == 399);  // three cells of 133 pixels
  CHECK(images[0].height == 266);
  REQUIRE(seen.width == 399);
  REQUIRE(seen.height == 266);
  const std::size_t shades[2][3] = {{0, 10, 20}, {0, 20, 1}};
  bool right = true;
  for (std::size_t y = 0; y < 266; ++y)
    for (std::size_t x = 0; x < 399; ++x) right = right && seen.at(x, y) == shades[y / 133][x / 133];
  CHECK(right);
}

TEST_CASE("images: small maps are enlarged and large ones are bounded", "[cli]") {
  const auto size = [](std::size_t rows, std::size_t columns) {
    const std::vector<report::Picture> pictures{flat("word", rows, columns)};
    const auto images = attention_images(pictures);
    REQUIRE(images.size() == 1);
    const Decoded seen = decoded(images[0].png);
    CHECK(std::pair(images[0].height, images[0].width) == std::pair(seen.height, seen.width));
    CHECK(std::count(seen.shades.begin(), seen.shades.end(), 2) == std::ptrdiff_t(seen.shades.size()));
    return std::pair(seen.height, seen.width);
  };
  CHECK(size(1, 1) == std::pair<std::size_t, std::size_t>(400, 400));
  CHECK(size(8, 8) == std::pair<std::size_t, std::size_t>(400, 400));
  CHECK(size(201, 5) == std::pair<std::size_t, std::size_t>(201, 5));
  CHECK(size(5, 1024) == std::pair<std::size_t, std::size_t>(5, 1024));
  CHECK(size(2048, 4) == std::pair<std::size_t, std::size_t>(1024, 2));
  CHECK(size(1, 5000) == std::pair<std::size_t, std::size_t>(1, 1024));

  std::vector<double> one(3000, 0);  // of many cells that share a pixel the greatest is seen
  one[1501] = 1;                     // the pixel 512 stands for the cells 1500 and 1501
  const std::vector<report::Picture> both{picture("wide", 1, 3000, {{"attention", one}}),
                                          picture("high", 3000, 1, {{"attention", one}})};
  const auto images = attention_images(both);
  const Decoded wide = decoded(images[0].png), high = decoded(images[1].png);
  CHECK(std::count(wide.shades.begin(), wide.shades.end(), 20) == 1);
  CHECK(wide.at(512, 0) == 20);
  CHECK(std::pair(high.width, high.height) == std::pair(wide.height, wide.width));
  CHECK(high.shades == wide.shades);
}

TEST_CASE("images: tags hold item and head, and nothing that TensorBoard takes apart", "[cli]") {
  CHECK(tags_of({picture("a/b  c?", 1, 1, {{"layers.0.cross_attention, head 1", {1}}})}) ==
        Tags{"attention/a_b_c_/layers.0.cross_attention_head_1"});
  CHECK(tags_of({picture("", 1, 1, {{"", {1}}})}) == Tags{"attention/_/_"});
  CHECK(tags_of({flat("naïve 東京", 1, 1)}) == Tags{"attention/naïve_東京/head_0"});
  CHECK(tags_of({flat("\xff\x01", 1, 1)}) == Tags{"attention/\xEF\xBF\xBD\xE2\x90\x81/head_0"});
  CHECK(tags_of({flat("x", 1, 1), flat("x", 1, 1), flat("x_2", 1, 1)}) ==
        Tags{"attention/x/head_0", "attention/x_2/head_0", "attention/x_2_2/head_0"});
  std::string many, cut;
  for (int i = 0; i < 50; ++i) many += "é";
  for (int i = 0; i < 40; ++i) cut += "é";
  CHECK(tags_of({flat(many, 1, 1), flat(many + "!", 1, 1)}) ==
        Tags{"attention/" + cut + "/head_0", "attention/" + cut + "_2/head_0"});
}

TEST_CASE("images: of many heads eight are shown, of all layers", "[cli]") {
  CHECK(tags_of({flat("x", 1, 1, 3)}).size() == 3);
  CHECK(tags_of({flat("x", 1, 1, 8)}).back() == "attention/x/head_7");
  CHECK(tags_of({flat("x", 1, 1, 33)}) ==
        Tags{"attention/x/head_0", "attention/x/head_4", "attention/x/head_8", "attention/x/head_12",
             "attention/x/head_16", "attention/x/head_20", "attention/x/head_24", "attention/x/head_28"});
}

TEST_CASE("images: of an item's other kinds of attention there are four heads each", "[cli]") {
  report::Picture item = flat("x", 1, 1, 9);
  auto& maps = std::get<report::HeatMaps>(item.shown);
  maps.push_back(maps[0]);
  maps.push_back(maps[0]);
  for (auto& head : maps[1].heads) head.name = "own " + head.name;
  maps[2].rows.clear();
  const Tags tags = tags_of({item});
  REQUIRE(tags.size() == 12);
  CHECK(tags[7] == "attention/x/head_7");
  CHECK(tags[8] == "attention/x/own_head_0");
  CHECK(tags[11] == "attention/x/own_head_6");
  maps[1].heads[0].name = "head 0";
  CHECK(tags_of({item})[8] == "attention/x/head_0_written_read");
}

TEST_CASE("images: what is no heat map, or has no cell, is none", "[cli]") {
  CHECK(tags_of({}).empty());
  CHECK(tags_of({report::Picture{"typical", "x", "", "", "", report::WeightedText{}}}).empty());
  CHECK(tags_of({flat("x", 0, 3), flat("x", 3, 0), flat("x", 1, 1)}) == Tags{"attention/x/head_0"});
}

TEST_CASE("images: a task without heat maps is asked once, one with them each time", "[cli]") {
  const TemporaryFolder folder;
  int asked = 0;
  std::vector<report::Picture> pictures;
  const auto ask = [&] {
    ++asked;
    return pictures;
  };
  const auto without = tensorboard_sink(folder / "a", 0, ask);
  for (const std::uint64_t step : {1, 2, 3}) without->evaluated(step);
  CHECK(asked == 1);
  asked = 0;
  pictures.push_back(flat("x", 1, 1));
  const auto with = tensorboard_sink(folder / "b", 0, ask);
  for (const std::uint64_t step : {1, 2, 3}) with->evaluated(step);
  CHECK(asked == 3);
}
