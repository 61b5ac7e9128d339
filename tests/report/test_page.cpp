#include <cmath>

#include <catch2/catch.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "report/colours.hpp"
#include "report/drawing.hpp"
#include "report/page.hpp"
#include "report/unpacked.hpp"
#include "report/xml.hpp"

using namespace fovea::report;
using Catch::Contains;
using Json = nlohmann::json;

namespace {

const std::string nasty = "</script>\"'<&\x01\u202E]]>";

Page page_of_all() {
  Page page;
  RunRecord run;
  run.name = "run " + nasty;
  run.facts = {{"task", nasty}};
  run.results = {{"accuracy", "12.5"}, {nasty, "1"}};
  run.config = "a = 1\n# " + nasty + "\n";
  page.runs = {run};
  page.charts = {{"loss " + nasty, "nats", {{"a", {1, 2, 3}, {3, std::nan(""), 1}}, {nasty, {1, 3}, {2, 2}}}},
                 {"nothing", "", {{"n", {1}, {std::nan("")}}}}};
  HeatMap heat{"written",
               "read",
               {"a", nasty},
               {"x", " ", "ж"},
               {{"first", {0.25, 0, 0.75, 0, 1, 0}}, {"second", {0, 0, 0, 1, 0, 0}}}};
  Forecast series{"°C", {0, 86400, 172800}, {1, 2, std::nan("")}, {3}, {2}, {4}, {{0.25, 0.75}}};
  WeightedText text{{"a", "b"}, {0.5, 0.5}, {1, -2}, {{nasty, 0.75}}, true};
  Ranking ranking{{{nasty, "d", 0.5, {{10, 20}}, true}, {"nowhere", "", 0.25}}, {{1, 2}}, {{3, 4}}};
  page.pictures = {{"worst", nasty, nasty, nasty, "", HeatMaps{heat}},
                   {"worst", "s", "", "", "", series},
                   {"typical", "t", "", "", "", text},
                   {"asked for", "r", "", "", "", ranking},
                   {"asked for", "r again", "", "", "", ranking}};
  return page;
}

// What the page's scripts read.
Json data_of(const std::string& html) {
  const std::string begin = "<script type=\"application/json\" id=\"data\">";
  const std::size_t from = html.find(begin) + begin.size();
  return Json::parse(html.substr(from, html.find("</script>", from) - from));
}

std::size_t count(const std::string& text, const std::string& what) {
  std::size_t found = 0;
  for (std::size_t at = 0; (at = text.find(what, at)) != text.npos; at += what.size()) ++found;
  return found;
}

}  // namespace

TEST_CASE("report: a page holds everything, and nothing of the data is read as HTML", "[report]") {
  const std::string page = html(page_of_all());
  CHECK(count(page, "<script") == 3);
  CHECK(count(page, "</script>") == 3);
  CHECK(page.find("\x01") == page.npos);
  CHECK(page.find("\u202E") == page.npos);
  CHECK(page.find("http://www.w3.org/1999/xhtml") == page.npos);
  CHECK(count(page, "src=") == 0);  // it is one file
  CHECK(count(page, "<link") == 0);
  CHECK_THAT(page, Contains("uPlot") && Contains("default-src 'none'"));
  const Json data = data_of(page);
  CHECK(data["runs"][0]["name"] == "run </script>\"'<&␁⟨U+202E⟩]]>");
  CHECK(data["runs"][0]["config"] == "a = 1\n# </script>\"'<&␁⟨U+202E⟩]]>\n");
  CHECK(data["charts"][0]["curves"][0]["y"] == Json({3, nullptr, 1}));
  REQUIRE(data["pictures"].size() == 5);
  CHECK(data["pictures"][0]["shown"]["kind"] == "heat");
  const Json heat = data["pictures"][0]["shown"]["maps"][0];
  CHECK(heat["columns"] == Json({"x", "␣", "ж"}));
  CHECK(unpacked(heat["heads"][1]) == std::vector<double>{0, 0, 0, 1, 0, 0});
  const Json series = data["pictures"][1]["shown"];
  CHECK(series["history"] == 2);
  CHECK(series["came"] == Json({1, 2, nullptr}));
  CHECK(series["weightRows"] == Json({0}));
  CHECK(unpacked(series["weights"])[0] == Approx(0.25).margin(1e-5));
  CHECK(data["pictures"][2]["shown"]["evidence"] == Json({1, -2}));
  CHECK(data["pictures"][3]["shown"]["entries"][0]["at"] == Json({10, 20}));
  CHECK(data["pictures"][3]["shown"]["entries"][1]["at"] == nullptr);
  CHECK(data["pictures"][4]["shown"]["backdrop"] == 0);  // the map's dots stand there once
  CHECK(data["backdrops"] == Json::array({Json({3, 4})}));
}

TEST_CASE("report: long curves are thinned in a page", "[report]") {
  Page page;
  Curve curve{"loss", {}, {}};
  for (int i = 0; i < 100000; ++i) {
    curve.x.push_back(i);
    curve.y.push_back(i % 7);
  }
  page.charts = {{"loss", "", {curve}}};
  CHECK(data_of(html(page))["charts"][0]["curves"][0]["x"].size() <= 8000);
  CHECK(svg(page).size() < 40000);
}

TEST_CASE("report: a drawing is well-formed XML", "[report]") {
  const std::string drawing = svg(page_of_all());
  CHECK(xml_fault(drawing) == "");
  CHECK_THAT(drawing, Contains("prefers-color-scheme: dark"));
  CHECK(count(drawing, ">.75</text>") == 1);  // of the heat map's first head
  CHECK(drawing.find("nan") == drawing.npos);
  CHECK(drawing.find("inf") == drawing.npos);
  // An empty page is one, too.
  CHECK(xml_fault(svg(Page{})) == "");
}

TEST_CASE("report: a drawing has every head of a heat map, the first one with its numbers", "[report]") {
  Page page = page_of_all();
  page.charts.clear();
  page.pictures.resize(1);
  const std::string one_head = [&] {
    Page first = page;
    std::get<HeatMaps>(first.pictures[0].shown)[0].heads.resize(1);
    return svg(first);
  }();
  auto& heads = std::get<HeatMaps>(page.pictures[0].shown)[0].heads;
  heads[1].name = std::string(60, 'p') + "é.attention";
  heads[1].weights = {0, 0, 1, 1, 0, 0};
  const std::string drawing = svg(page);
  const std::string darkest = fmt::format("class=\"w{}\"", shade(1));
  CHECK(count(one_head, darkest) == 1);
  CHECK(count(drawing, darkest) == 3);
  CHECK(count(drawing, ">1</text>") == 1);
  CHECK_THAT(drawing, Contains("first</text>") && Contains("é.attention</text>"));
  CHECK(drawing.find(std::string(59, 'p')) == drawing.npos);
  CHECK(xml_fault(drawing) == "");
}

TEST_CASE("report: what is not well-formed is found", "[report]") {
  CHECK(xml_fault("<a><b x=\"1\"/>text &amp; more</a>") == "");
  CHECK(xml_fault("<a><b></a>") != "");
  CHECK(xml_fault("<a>&</a>") != "");
  CHECK(xml_fault("<a x=\"<\"/>") != "");
  CHECK(xml_fault("<a x=1/>") != "");
  CHECK(xml_fault("<a>\x01</a>") != "");
  CHECK(xml_fault("<a/><b/>") != "");
}

TEST_CASE("report: ticks are round numbers within the range", "[report]") {
  CHECK(ticks(0, 10, 5) == std::vector<double>{0, 2, 4, 6, 8, 10});
  const std::vector<double> small = ticks(0.0011, 0.0032, 5);
  REQUIRE(small.size() == 4);
  CHECK(small[0] == Approx(0.0015));
  CHECK(small[3] == Approx(0.003));
  CHECK(ticks(-3, 3, 3) == std::vector<double>{-2, 0, 2});
  CHECK(ticks(5, 5, 5) == std::vector<double>{5});
}

TEST_CASE("report: scales cover what is finite", "[report]") {
  const Scale scale = scale_over({1, std::nan(""), 3, HUGE_VAL}, 0, 108);
  CHECK(scale(1) == Approx(4));
  CHECK(scale(3) == Approx(104));
  CHECK(scale_over({2, 2}, 0, 1)(2) == Approx(0.5));
  CHECK(scale_over({-2, -2}, 0, 1)(-2) == Approx(0.5));
  const Scale none = scale_over({0, 0}, 0, 1);  // an error rate of 0 throughout
  CHECK(none.low == 0);
  CHECK(none.high == 1);
  CHECK(std::isfinite(scale_over({}, 0, 1)(0.5)));
}

TEST_CASE("report: words are shortened to a width", "[report]") {
  CHECK(width_of("abcd", 10) == Approx(4 * 5.8));
  CHECK(width_of("東京", 10) == Approx(20));
  CHECK(width_of("e\u0301", 10) == Approx(5.8));
  CHECK(width_of("\xFF\xC3", 10) == Approx(11.6));
  CHECK(fitted("abcd", 4 * 5.8 + 0.1, 10) == "abcd");
  CHECK(fitted("abcdé", 4 * 5.8 + 0.1, 10) == "abc…");
  CHECK(fitted("東京東京", 30, 10) == "東京…");
  CHECK(fitted("abc", 0, 10) == "…");
}

TEST_CASE("report: shades go from none to all", "[report]") {
  CHECK(shade(0) == 0);
  CHECK(shade(1) == shades - 1);
  CHECK(shade(2) == shades - 1);
  CHECK(shade(-1) == 0);
  CHECK(shade(std::nan("")) == 0);
  CHECK(shade(0.5) == 10);
}
