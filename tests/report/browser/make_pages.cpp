#include <cmath>
#include <filesystem>
#include <fstream>
#include <iostream>

#include <fmt/format.h>

#include "report/page.hpp"
#include "training/file.hpp"

// Pages for the browser's test: `all.html` has every kind of picture, with texts that try to be something
// else, `broken.html` the same with two parts that cannot be shown, and `long.html` a run of 100,000 rows.

namespace fs = std::filesystem;
using namespace fovea;
using namespace fovea::report;

namespace {

const std::string nasty =
    "</script><script>window.caught = 1</script>\"'<img src=x onerror='window.caught=1'>";

std::vector<double> weights(std::size_t rows, std::size_t columns, double turn) {
  std::vector<double> all;
  for (std::size_t i = 0; i < rows; ++i) {
    std::vector<double> row;
    double sum = 0;
    for (std::size_t j = 0; j < columns; ++j) {
      const double off = static_cast<double>(i) * static_cast<double>(columns) / static_cast<double>(rows) -
                         static_cast<double>(j) + turn;
      row.push_back(std::exp(-off * off));
      sum += row.back();
    }
    for (const double w : row) all.push_back(w / sum);
  }
  return all;
}

Page all_kinds() {
  Page page;
  RunRecord run;
  run.name = "all kinds";
  run.task = nasty;
  run.facts = {{"task", nasty}, {"parameters", "12,345"}, {"steps", "100"}};
  run.results = {{"accuracy", "97.5"}, {"baseline.accuracy", "12"}};
  run.results_of = "test split, 100 items";
  run.config = "lr = 0.1\n# " + nasty + "\n";
  page.runs = {run};
  Chart loss{"training loss", "", {}};
  for (const char* name : {"one", "two"}) {
    Curve curve{name, {}, {}};
    for (int i = 1; i <= 100; ++i) {
      curve.x.push_back(i);
      curve.y.push_back(i == 50 ? std::nan("") : 3.0 / i + (*name == 'o' ? 0.1 : 0.3));
    }
    curve.look = loss.curves.size();
    loss.curves.push_back(std::move(curve));
  }
  page.charts = {loss, {nasty, "nats", {{"a", {1, 2, 3}, {0, -1, 2}}}}};
  // Numbers that stand alone, of a curve too long for a dot at each; and details.
  Curve lonely{"lonely", {}, {}};
  for (int i = 0; i < 100; ++i) {
    lonely.x.push_back(i);
    lonely.y.push_back(i % 10 == 5 ? 1 : std::nan(""));
  }
  page.charts.push_back({"lonely", "", {lonely}});
  page.charts.push_back({"one row", "", {{"a", {5}, {3}}}});
  Chart many{"many", "", {}, true};
  for (std::size_t i = 0; i < 20; ++i)
    many.curves.push_back({fmt::format("head {}", i), {1, 2}, {1.0 * static_cast<double>(i), 2}, i});
  page.charts.push_back(many);
  HeatMap heat{"written", "read", {"שלום", nasty, "</s>"}, {"a", " ", "ж", "東", "e"}, {}};
  for (int layer = 0; layer < 2; ++layer)
    for (int head = 0; head < 2; ++head)
      heat.heads.push_back(
          {fmt::format("layers.{}, head {}", layer, head), weights(3, 5, layer + 2 * head - 1)});
  Forecast series{"°C", {}, {}, {3, 4}, {2, 2.5}, {4, 5}, {}};
  for (int day = 0; day < 12; ++day) {
    series.times.push_back(1443657600 + 86400.0 * day);
    series.truth.push_back(day < 11 ? day % 4 : std::nan(""));
  }
  series.weights = {weights(1, 10, 3), weights(1, 10, 8), weights(1, 10, 0)};
  // One row ahead: with an interval, and with one of no width.
  Forecast next{"°C", {0, 86400, 172800}, {1, 5, std::nan("")}, {3}, {2}, {4}, {}}, sure = next;
  sure.low = sure.high = sure.forecast;
  WeightedText text{{"s", "a", "i", "n", "t"},
                    {0.5, 0.2, 0.2, 0.05, 0.05},
                    {1, -2, 0, 0.5, 0},
                    {{nasty, 0.75}, {"US", 0.25}},
                    true};
  Ranking ranking{{{"Vienna, AT", "1,691,468 people", 0.6, {{48.2, 16.4}}, true},
                   {"Vienne, FR", "32,293 people", 0.3, {{45.5, 4.9}}},
                   {"nowhere", "", 0.1}},
                  {{48, 16}},
                  {{47, 15}, {46, 5}, {45, 7}}};
  HeatMap own{"read", "read", heat.columns, heat.columns, {{"encoder", weights(5, 5, 0)}}, 7};
  HeatMap even{
      "written", "read", std::vector<std::string>(3, "w"), std::vector<std::string>(100, "token"), {}};
  even.heads = {{"attention", std::vector<double>(300, 0.01)}};
  // More weights than a call takes arguments, some of them missing.
  Forecast longer{"MW", {}, {}, std::vector<double>(336, 3), {}, {}, {}};
  for (int hour = 0; hour < 512 + 336; ++hour) {
    longer.times.push_back(1443657600 + 3600.0 * hour);
    longer.truth.push_back(hour < 512 ? hour % 24 : std::nan(""));
  }
  for (int row = 0; row < 336; ++row) longer.weights.push_back(weights(1, 512, row));
  const std::string word(200, 'w');
  WeightedText wide{{word, "b"}, {0.5, 0.5}, {}, {{word, 0.75}, {"US", 0.25}}, false};
  Ranking edge{
      {{"Suva, Fiji, " + word, "", 0.9, {{-18, 179.9}}, true}, {"Taveuni", word, 0.8, {{-16.9, -180}}}},
      {{-17, 180}},
      {}};
  page.pictures = {{"worst", nasty, "answer", "truth", "1 of 3 wrong", HeatMaps{heat, own}},
                   {"next", "series", "", "", "", series},
                   {"typical", "saint", "US", "GB", "", text},
                   {"asked for", "vienne", "", "", "", ranking},
                   {"next", "one row", "", "", "", next},
                   {"next", "one row, sure", "", "", "", sure},
                   {"next", "long", "", "", "", longer},
                   {"typical", word, word, word, word, wide},
                   {"asked for", "at the edge", "", "", "", edge},
                   {"typical", "even", "", "", "", HeatMaps{even}}};
  return page;
}

Page long_run(const fs::path& folder) {
  fs::create_directories(folder);
  std::string rows;
  for (int i = 1; i <= 100000; ++i)
    rows += fmt::format("{{\"step\":{},\"epoch\":1,\"loss\":{},\"lr\":{},\"seconds\":{},\"accuracy\":{}}}\n",
                        10 * i, 2 / std::sqrt(i) + 0.2 * std::sin(i * i % 997), 1e-3 / (1 + i * 1e-4),
                        i * 0.01, 90 + i % 10);
  replace_file(folder / "metrics.jsonl", rows);
  Page page;
  page.runs = {read_run(folder)};
  page.charts = charts(page.runs);
  return page;
}

}  // namespace

int main(int, char** arguments) {
  const fs::path folder = arguments[1];
  replace_file(folder / "all.html", html(all_kinds()));
  replace_file(folder / "all.svg", svg(all_kinds()));
  // One of a kind that no script knows, and one without its numbers.
  std::string broken = html(all_kinds());
  const auto spoil = [&](const std::string& what) {
    broken.replace(broken.find(what), what.size(), "\"spoilt\":0,\"was" + what.substr(1));
  };
  spoil("\"kind\":\"text\"");
  spoil("\"curves\":");
  replace_file(folder / "broken.html", broken);
  const std::string page = html(long_run(folder / "long"));
  replace_file(folder / "long.html", page);
  std::cout << "long.html has " << page.size() << " bytes\n";
}
