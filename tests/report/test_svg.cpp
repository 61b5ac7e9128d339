#include <cmath>
#include <regex>

#include <catch2/catch.hpp>
#include <fmt/format.h>

#include "report/colours.hpp"
#include "report/drawing.hpp"
#include "report/page.hpp"
#include "report/xml.hpp"

using namespace fovea::report;
using Catch::Contains;

namespace {

using Words = std::vector<std::string>;

std::size_t count(const std::string& text, const std::string& what) {
  std::size_t found = 0;
  for (std::size_t at = 0; (at = text.find(what, at)) != text.npos; at += what.size()) ++found;
  return found;
}

double attribute(const std::string& tag, const std::string& name) {
  const std::size_t at = tag.find(" " + name + "=\"");
  return at == tag.npos ? 0 : std::strtod(tag.c_str() + at + name.size() + 3, nullptr);
}

// What lies outside of the view box, by the estimate of `width_of`: the first thing, or nothing.
std::string outside(const std::string& drawing) {
  const std::size_t box = drawing.find("viewBox=\"0 0 ");
  char* end = nullptr;
  const double width = std::strtod(drawing.c_str() + box + 13, &end), height = std::strtod(end, nullptr);
  for (std::size_t at = 0; (at = drawing.find('<', at)) != drawing.npos; ++at) {
    const std::string tag = drawing.substr(at, drawing.find('>', at) + 1 - at);
    double x = attribute(tag, "x"), y = attribute(tag, "y"), wide = attribute(tag, "width"),
           high = attribute(tag, "height");
    if (tag.starts_with("<text")) {
      const std::size_t from = at + tag.size();
      const std::string words = drawing.substr(from, drawing.find('<', from) - from);
      const double size = tag.find("\"t\"") != tag.npos ? 15 : tag.find("\"n") != tag.npos ? 13 : 12;
      const double length = width_of(words, size);
      const double before = tag.find("\"end\"") != tag.npos      ? length
                            : tag.find("\"middle\"") != tag.npos ? length / 2
                                                                 : 0;
      const bool is_turned = tag.find("rotate(-90") != tag.npos;
      wide = is_turned ? 0 : length;
      high = is_turned ? length : 0;
      y -= is_turned ? length - before : 0;
      x -= is_turned ? 0 : before;
    } else if (tag.starts_with("<circle")) {
      const double radius = attribute(tag, "r");
      x = attribute(tag, "cx") - radius, y = attribute(tag, "cy") - radius, wide = high = 2 * radius;
    } else if (!tag.starts_with("<rect")) {
      continue;
    }
    if (x < 0 || y < 0 || x + wide > width + 0.11 || y + high > height + 0.11)
      return fmt::format("{} of {} x {}: {}", tag, width, height, drawing.substr(at + tag.size(), 40));
  }
  return "";
}

Picture picture_of(HeatMaps maps) { return {"typical", "x", "", "", "", std::move(maps)}; }

HeatMap even(std::size_t rows, std::size_t columns, std::size_t heads, double weight) {
  HeatMap map{"written", "read", {}, {}, {}};
  for (std::size_t i = 0; i < rows; ++i) map.rows.push_back(fmt::format("row {}", i));
  for (std::size_t j = 0; j < columns; ++j) map.columns.push_back(fmt::format("token {}", j));
  for (std::size_t h = 0; h < heads; ++h)
    map.heads.push_back({fmt::format("decoder.layers.{}.attention, head {}", h / 2, h % 2),
                         std::vector<double>(rows * columns, weight)});
  return map;
}

std::string drawing_of(std::vector<Picture> pictures, std::vector<Chart> charts = {}) {
  Page page;
  page.charts = std::move(charts);
  page.pictures = std::move(pictures);
  std::string drawing = svg(page);
  CHECK(xml_fault(drawing) == "");
  return drawing;
}

Ranking at_the_edge() {
  return {{{"Suva, Fiji, and a very long name of this place, that goes on and on and on and on",
            "d",
            0.9,
            {{-18, 179.9}},
            true},
           {"Taveuni", "", 0.8, {{-16.9, -180}}},
           {"Pole", "", 0.5, {{89.9, 10}}}},
          {{-17, 180}},
          {{-18, 178}, {0, 0}, {45, 7}}};
}

}  // namespace

TEST_CASE("drawing: nothing lies outside of it", "[report]") {
  for (const std::size_t columns : {1, 3, 30, 120, 121, 512})
    for (const std::size_t rows : {1, 40}) {
      CAPTURE(columns, rows);
      HeatMap long_names = even(rows, columns, 3, 1.0 / static_cast<double>(columns));
      long_names.rows[0] = std::string(200, 'W');
      long_names.columns.back() = "東京東京東京東京東京東京東京東京";
      CHECK(outside(drawing_of({picture_of({long_names, even(columns, columns, 4, 0.1)})})) == "");
    }
  Picture said = picture_of({even(2, 2, 1, 0.5)});
  said.title = std::string(200, 't');
  said.group = "a run of a name that is long";
  said.answer = said.truth = std::string(200, 'a');
  CHECK(outside(drawing_of({said})) == "");
  CHECK(outside(drawing_of({{"asked for", std::string(200, 'q'), "", "", "", at_the_edge()}})) == "");
  Forecast series{"°C", {0, 3600, 7200}, {1, 2, std::nan("")}, {3}, {2}, {4}, {{0.25, 0.75}}};
  CHECK(outside(drawing_of({{"next", "series", "", "", "", series}})) == "");
  WeightedText text{{std::string(200, 'w'), "b"}, {0.5, 0.5}, {}, {{std::string(200, 'l'), 0.75}}, false};
  CHECK(outside(drawing_of({{"typical", "t", "", "", "", text}})) == "");
  Chart many{std::string(200, 'c'), "nats", {}};
  for (int i = 0; i < 30; ++i)
    many.curves.push_back(
        {fmt::format("decoder.layers.{}.attention", i), {1, 2}, {1, 2}, static_cast<std::size_t>(i)});
  const std::string drawn = drawing_of({}, {many, many, many});
  CHECK(outside(drawn) == "");
  CHECK(count(drawn, "layers.29.attention</text>") == 3);  // no name is left out
}

TEST_CASE("drawing: names of small cells are thinned, and wide names stand upright", "[report]") {
  const auto names = [](const std::string& drawing, const char* what) {
    return count(drawing, std::string(">") + what);
  };
  CHECK(names(drawing_of({picture_of({even(3, 20, 1, 0.1)})}), "token") == 20);
  CHECK(names(drawing_of({picture_of({even(3, 300, 1, 0.1)})}), "token") == 150);  // six pixels a cell
  CHECK(names(drawing_of({picture_of({even(300, 300, 1, 0.1)})}), "row ") == 150);
  const auto turned = [](HeatMap map, const std::string& name) {
    map.columns.assign(map.columns.size(), name);
    return count(drawing_of({picture_of({map})}), "rotate(-90") - 1;  // but for the axis
  };
  CHECK(turned(even(3, 5, 1, 0.1), "abc") == 0);
  CHECK(turned(even(3, 5, 1, 0.1), "abcde") == 5);
  CHECK(turned(even(3, 40, 1, 0.1), "abc") == 40);  // cells are narrow
}

TEST_CASE("drawing: of even weights the largest is the darkest, and a note says so", "[report]") {
  const std::string darkest_class = fmt::format("class=\"w{}\"", shades - 1);
  const std::string faint = drawing_of({picture_of({even(2, 100, 3, 0.01)})});
  CHECK(count(faint, darkest_class) == 6);  // one rectangle for each row of each head
  CHECK_THAT(faint, Contains("the darkest shade is 0.01") && Contains("≤ 0.01</text>"));
  const std::string strong = drawing_of({picture_of({even(2, 4, 1, 0.25)})});
  CHECK(count(strong, darkest_class) == 0);
  CHECK_THAT(strong, !Contains("darkest"));
  CHECK(darkest(0.19) == 0.19);
  CHECK(darkest(0.2) == 1);
  CHECK(darkest(0) == 1);
}

TEST_CASE("drawing: small heads have short names that fit", "[report]") {
  const std::string drawing = drawing_of({picture_of({even(3, 5, 5, 0.2)})});
  CHECK_THAT(drawing, Contains(">layer 0, head 0</text>") && Contains(">layer 2, head 0</text>") &&
                          !Contains("decoder"));
}

TEST_CASE("drawing: other kinds of attention are small, and what is left out is told", "[report]") {
  HeatMap own = even(3, 3, 2, 0.5);
  own.row_axis = "read";
  own.left_out = 7;
  CHECK_THAT(drawing_of({picture_of({even(3, 5, 5, 0.2), own})}),
             Contains(">read × read</text>") && Contains("7 of 9 heads are left out"));
}

TEST_CASE("drawing: a ranking has its places on a map", "[report]") {
  const std::string drawing = drawing_of({{"asked for", "q", "", "", "", at_the_edge()}});
  CHECK(count(drawing, "<circle") == 3);
  CHECK(count(drawing, "class=\"right soft\"") == 1);
  CHECK(count(drawing, "class=\"dots\"") == 1);
  CHECK(count(drawing, "class=\"asked\"") == 1);
  CHECK(count(drawing, ">Pole</text>") == 2);
  CHECK(count(drawing, ">180°W</text>") == 1);
  Ranking nowhere = at_the_edge();
  for (auto& entry : nowhere.entries) entry.at.clear();
  nowhere.asked.clear();
  CHECK(count(drawing_of({{"asked for", "q", "", "", "", nowhere}}), "°") == 0);
}

TEST_CASE("drawing: numbers without neighbours are dots", "[report]") {
  const double none = std::nan("");
  const auto dots = [](const std::vector<double>& y) {
    std::vector<double> x;
    for (std::size_t i = 0; i < y.size(); ++i) x.push_back(static_cast<double>(i));
    return count(drawing_of({}, {{"c", "", {{"c", x, y}}}}), "<circle");
  };
  CHECK(dots({1}) == 1);
  CHECK(dots({1, none, 2, none, 3}) == 3);
  CHECK(dots({1, 2, none, 3, 4}) == 0);
  CHECK(dots({none, none}) == 0);
  Forecast series{"°C", {0, 1, 2, 3}, {1, none, 2, none}, {3}, {}, {}, {}};
  CHECK(count(drawing_of({{"next", "s", "", "", "", series}}), "<circle") == 3);  // and one of the forecast
}

TEST_CASE("drawing: curves beyond eight have dashes, in their names, too", "[report]") {
  Chart many{"c", "", {}};
  for (int i = 0; i < 25; ++i)
    many.curves.push_back({fmt::format("run {}", i), {1, 2}, {1, 2}, static_cast<std::size_t>(i)});
  const std::string drawing = drawing_of({}, {many});
  for (const auto& [look, times] :
       {std::pair("l0", 4), std::pair("l1", 2), std::pair("l0 d1", 2), std::pair("l7 d2", 2)})
    CHECK(count(drawing, fmt::format("class=\"{}\"", look)) == static_cast<std::size_t>(times));
  CHECK_THAT(drawing, Contains("stroke-dasharray"));
}

TEST_CASE("drawing: a forecast says what its lines are, and when", "[report]") {
  Forecast series{"°C", {0, 3600, 7200}, {1, 2, std::nan("")}, {3}, {2}, {4}, {{0.0025, 0.0075}}};
  const std::string drawing = drawing_of({{"next", "s", "", "", "", series}});
  CHECK_THAT(drawing, Contains(">1970-01-01 01:00</text>") && Contains(">what came</text>") &&
                          Contains(">forecast</text>") && Contains(">10 to 90 % quantile</text>") &&
                          Contains(">weights, at most 0.0075</text>"));
  CHECK(count(drawing, "<circle") == 1);
  Forecast longer;
  for (int i = 0; i < 100; ++i) longer.times.push_back(i);
  longer.truth.assign(100, 1);
  longer.forecast.assign(60, 1);
  CHECK(count(drawing_of({{"next", "s", "", "", "", longer}}), "<circle") == 0);
}

TEST_CASE("drawing: every class of its style is used somewhere", "[report]") {
  Chart many{"c", "", {}};
  for (int i = 0; i < 24; ++i)
    many.curves.push_back({"run", {1, 2, 3, 4}, {1, 2, std::nan(""), 3}, static_cast<std::size_t>(i)});
  Forecast series{"°C", {0, 3600, 7200}, {1, 2, std::nan("")}, {3}, {2}, {4}, {{0.25, 0.75}}};
  HeatMap map = even(1, shades, 1, 0);
  for (std::size_t i = 0; i < shades; ++i) map.heads[0].weights[i] = static_cast<double>(i) / (shades - 1);
  WeightedText text{{"a", "b"}, {0, 1}, {}, {{"l", 1}}, false};
  const std::string drawing = drawing_of({picture_of({map}),
                                          {"", "", "", "", "", series},
                                          {"", "", "", "", "", at_the_edge()},
                                          {"", "t", "", "", "", text}},
                                         {many});
  const std::string body = drawing.substr(drawing.find("</style>"));
  const std::string looks = style();
  static const std::regex look(R"(\.([a-z]+\d*)[,{])");
  for (auto found = std::sregex_iterator(looks.begin(), looks.end(), look); found != std::sregex_iterator();
       ++found) {
    const std::string name = (*found)[1];
    CAPTURE(name);
    CHECK(std::regex_search(body, std::regex("class=\"([a-z0-9 ]* )?" + name + "[ \"]")));
  }
}

TEST_CASE("drawing: letters in dark cells are as large as others", "[report]") {
  const WeightedText text{{"a", "b"}, {0, 1}, {}, {{"l", 1}}, false};
  CHECK_THAT(drawing_of({{"", "t", "", "", "", text}}), Contains("class=\"n deep\""));
  CHECK_FALSE(std::regex_search(style(), std::regex(R"(\.deep[^{]*\{[^}]*font)")));
}
