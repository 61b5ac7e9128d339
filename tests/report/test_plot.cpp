#include <cmath>
#include <limits>
#include <regex>

#include <catch2/catch.hpp>
#include <fmt/format.h>

#include "report/plot.hpp"
#include "report/xml.hpp"

// Plots of measured points.

using namespace fovea::report;
using Catch::Contains;

namespace {

constexpr double none = std::numeric_limits<double>::quiet_NaN();
constexpr double endless = std::numeric_limits<double>::infinity();

// A plot whose points have no range.
Plot plot(std::vector<double> x, std::vector<double> y) {
  Plot made;
  made.title = "errors";
  made.points = {{"dot", std::move(x), y, y, y}};
  return made;
}

std::string drawn(const Plot& plot) {
  const std::string drawing = svg({&plot, 1}, "title");
  CHECK(xml_fault(drawing).empty());
  CHECK_THAT(drawing, !Contains("nan") && !Contains("inf\"") && !Contains("-inf"));
  return drawing;
}

struct Place {
  double x, y;
};

// Where the points are.
std::vector<Place> circles(const std::string& drawing) {
  static const std::regex circle("<circle[^>]* cx=\"([-0-9.]+)\" cy=\"([-0-9.]+)\" r=\"3\\.[05]\"");
  std::vector<Place> found;
  for (std::sregex_iterator at(drawing.begin(), drawing.end(), circle), end; at != end; ++at)
    found.push_back({std::stod((*at)[1]), std::stod((*at)[2])});
  return found;
}

// Where a text is.
Place text(const std::string& drawing, const std::string& words) {
  const std::regex tag("<text[^>]* x=\"([-0-9.]+)\" y=\"([-0-9.]+)\"[^>]*>" + words + "</text>");
  std::smatch found;
  INFO(words);
  REQUIRE(std::regex_search(drawing, found, tag));
  return {std::stod(found[1]), std::stod(found[2])};
}

bool has_text(const std::string& drawing, const std::string& words) {
  return drawing.find(">" + words + "</text>") != std::string::npos;
}

}  // namespace

TEST_CASE("the foot of a plot is marked at the numbers that were measured", "[report]") {
  const std::string drawing = drawn(plot({8, 24, 56}, {1, 3, 2}));
  const std::vector<Place> points = circles(drawing);
  REQUIRE(points.size() == 3);
  const std::vector<std::string> marks{"8", "24", "56"};
  for (std::size_t i = 0; i < marks.size(); ++i)
    CHECK(text(drawing, marks[i]).x == Approx(points[i].x).margin(0.11));
  // Evenly: 16 and 32 apart.
  CHECK(points[2].x - points[1].x == Approx(2 * (points[1].x - points[0].x)).margin(0.5));
  CHECK(points[1].y < points[2].y);
  CHECK(points[2].y < points[0].y);
}

TEST_CASE("logarithmic axes set powers apart evenly and leave out what is not above zero", "[report]") {
  Plot logs = plot({0, 10, 100, 1000, 10}, {5, 1, 100, 10, -3});
  logs.log_x = logs.log_y = true;
  const std::string drawing = drawn(logs);
  const std::vector<Place> points = circles(drawing);
  REQUIRE(points.size() == 3);
  CHECK(points[2].x - points[1].x == Approx(points[1].x - points[0].x).margin(0.21));
  CHECK(points[0].y - points[2].y == Approx(points[2].y - points[1].y).margin(0.21));
  for (const char* words : {"10", "100", "1000"}) CHECK(has_text(drawing, words));
  CHECK_FALSE(has_text(drawing, "0"));
  // A range that reaches below zero is no reason to lose its point.
  logs.points[0] = {"dot", {10, 100}, {1, 2}, {-1, 1.5}, {3, 2.5}};
  CHECK(circles(drawn(logs)).size() == 2);
  logs.points[0] = {"dot", {10, 100}, {-1, 0}, {-1, 0}, {-1, 0}};
  CHECK(circles(drawn(logs)).empty());
}

TEST_CASE("points that are not finite are left out", "[report]") {
  CHECK(circles(drawn(plot({1, 2, 3, none, 5}, {1, none, endless, 2, 4}))).size() == 2);
  CHECK(circles(drawn(plot({1, 2}, {none, none}))).empty());
  CHECK(circles(drawn(plot({}, {}))).empty());
  Plot dots = plot({0, 1, 1}, {none, 3, endless});
  dots.categories = {"first", "second"};
  const std::string drawing = drawn(dots);
  CHECK(circles(drawing).size() == 1);
  CHECK(has_text(drawing, "first"));
  // A range without an end leaves its point.
  Plot one = plot({1}, {1});
  one.points[0].high = {endless};
  CHECK(circles(drawn(one)).size() == 1);
}

TEST_CASE("dots stand in the rows of their categories", "[report]") {
  Plot dots;
  dots.title = "times";
  dots.categories = {"additive", "dot", "cosine"};
  dots.points = {{"ms", {0, 1, 2}, {1, 2, 3}, {1, 2, 3}, {1, 2, 3}}};
  const std::string drawing = drawn(dots);
  const std::vector<Place> points = circles(drawing);
  REQUIRE(points.size() == 3);
  for (std::size_t i = 0; i < points.size(); ++i)
    CHECK(text(drawing, dots.categories[i]).y == Approx(points[i].y).margin(5));
  CHECK(points[0].x < points[1].x);
}

TEST_CASE("a legend names all columns, in as many rows as they need", "[report]") {
  Plot many;
  many.title = "errors";
  for (int i = 0; i < 12; ++i)
    many.points.push_back({fmt::format("the attention number {}", i), {1, 2}, {1, 2}, {1, 2}, {1, 2}});
  const std::string drawing = drawn(many);
  const double first = text(drawing, "the attention number 0").y;
  CHECK(text(drawing, "the attention number 1").y == first);
  CHECK(text(drawing, "the attention number 11").y > first);
  // The next plot begins below it.
  const std::vector<Plot> two{many, plot({1, 2}, {1, 2})};
  const std::string both = svg(two, "title");
  CHECK(text(both, "the attention number 11").y < circles(both).back().y);
  CHECK(circles(both).size() == 26);
}
