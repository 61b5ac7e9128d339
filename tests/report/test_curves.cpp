#include <algorithm>
#include <cmath>

#include <catch2/catch.hpp>

#include "core/check.hpp"
#include "report/curves.hpp"
#include "training/folder.hpp"

using namespace fovea;
using namespace fovea::report;
using Catch::Contains;

namespace {

constexpr const char* described =
    R"({"task": "sort", "command": "fovea train sort", "seed": 7, "parameters": 12345})";

Curve zigzag(std::size_t points) {
  Curve curve{"loss", {}, {}};
  for (std::size_t i = 0; i < points; ++i) {
    curve.x.push_back(static_cast<double>(i));
    curve.y.push_back(std::sin(static_cast<double>(i * i % 9973)));
  }
  return curve;
}

std::vector<std::string> titles(const std::vector<Chart>& all) {
  std::vector<std::string> names;
  for (const Chart& chart : all) names.push_back(chart.title);
  return names;
}

}  // namespace

TEST_CASE("report: a run is read with its facts, metrics and what was watched", "[report]") {
  const TemporaryFolder folder;
  write(folder / "run.json", described);
  write(folder / "metrics.jsonl",
        "{\"step\":5,\"epoch\":1,\"loss\":2.5,\"lr\":0.1,\"seconds\":1.5,\"mae\":0.5,\"mae.a\":9}\n"
        "{\"step\":10,\"epoch\":1,\"loss\":null,\"lr\":0.2,\"seconds\":3,\"mae\":0.25,\"mae.a\":8}\n"
        "{\"step\":15,\"epo");
  write(folder / "watch.jsonl",
        "{\"step\":1,\"gradient\":4,\"attentions\":[{\"path\":\"a\",\"head\":0,\"evenness\":0.5,"
        "\"saturated\":0}]}\n");
  write(folder / "result.json",
        R"({"steps": 10, "seconds": 75, "peak_bytes": 2000000, "split": "test", "items": 40, "mae": 0.3})");
  const RunRecord run = read_run(folder.path);
  CHECK(run.task == "sort");
  CHECK(run.rows == 2);  // the third was cut off by a crash
  CHECK(run.results_of == "test split, 40 items");
  REQUIRE(run.results.size() == 1);
  CHECK(run.results[0] == std::pair<std::string, std::string>("mae", "0.3"));
  const auto fact = [&](const std::string& name) {
    for (const auto& [label, text] : run.facts)
      if (label == name) return text;
    return std::string();
  };
  CHECK(fact("parameters") == "12,345");
  CHECK(fact("training took") == "1 min 15 s");
  CHECK(fact("memory at most") == "2 MB");
  const std::vector<Chart> all = charts(std::span(&run, 1));
  CHECK(titles(all) == std::vector<std::string>{"training loss", "learning rate", "gradient norm", "mae",
                                                "mae of each", "evenness of weights, entropy / log(keys)",
                                                "share of queries with a weight above 0.99"});
  CHECK(all[0].curves[0].x == std::vector<double>{5, 10});
  CHECK(all[0].curves[0].y[0] == 2.5);
  CHECK(std::isnan(all[0].curves[0].y[1]));
  CHECK(all[4].curves[0].name == "a");
  CHECK(all[5].curves[0].name == "a");
}

TEST_CASE("report: several runs have a chart for each number, and a curve for each run", "[report]") {
  const TemporaryFolder folder;
  std::vector<RunRecord> runs;
  for (const char* name : {"one", "two"}) {
    std::filesystem::create_directories(folder / name);
    write(folder / name / "metrics.jsonl", "{\"step\":5,\"loss\":2.5,\"entropy.a\":1,\"entropy.b\":2}\n");
    runs.push_back(read_run(folder / name));
  }
  const std::vector<Chart> all = charts(runs);
  CHECK(titles(all) == std::vector<std::string>{"training loss", "entropy.a", "entropy.b"});
  REQUIRE(all[1].curves.size() == 2);
  CHECK(all[1].curves[0].name == "one");
  CHECK(all[1].curves[1].name == "two");
  CHECK(all[1].unit == "nats");
}

TEST_CASE("report: a run has one look in all charts, also where another has no curve", "[report]") {
  std::vector<RunRecord> runs(3);
  for (RunRecord& run : runs) run.metrics.push_back({"loss", {1}, {1}});
  for (std::size_t i = 1; i < 3; ++i) runs[i].metrics.push_back({"nll", {1}, {1}});
  const std::vector<Chart> all = charts(runs);
  REQUIRE(titles(all) == std::vector<std::string>{"training loss", "nll"});
  REQUIRE(all[1].curves.size() == 2);
  CHECK(all[0].curves[0].look == 0);
  CHECK(all[0].curves[2].look == 2);
  CHECK(all[1].curves[0].look == 1);
  CHECK(all[1].curves[1].look == 2);
  CHECK(thinned(all[1].curves[1], 10).look == 2);
}

TEST_CASE("report: the heads of an attention share a chart, or several runs have their mean", "[report]") {
  const TemporaryFolder folder;
  std::vector<RunRecord> runs;
  for (const char* name : {"one", "two"}) {
    std::filesystem::create_directories(folder / name);
    write(folder / name / "metrics.jsonl",
          "{\"step\":5,\"loss\":2.5,\"lr\":1,\"nll\":1,\"entropy.d.1.x.0\":1,\"entropy.d.1.x.1\":2,\"entropy."
          "0\":7}\n"
          "{\"step\":9,\"loss\":2.5,\"lr\":1,\"nll\":1,\"entropy.d.1.x.0\":null,\"entropy.d.1.x.1\":3,"
          "\"entropy.0\":7}\n");
    write(folder / name / "watch.jsonl",
          "{\"step\":1,\"gradient\":4,\"attentions\":[{\"path\":\"d.1.x\",\"head\":0,\"evenness\":0.5},"
          "{\"path\":\"d.1.x\",\"head\":1,\"evenness\":0.25}]}\n");
    runs.push_back(read_run(folder / name));
  }
  const std::string evenness = "d.1.x: evenness of weights, entropy / log(keys)";
  const std::vector<Chart> one = charts(std::span(runs).first(1));
  CHECK(titles(one) == std::vector<std::string>{"training loss", "learning rate", "gradient norm", "nll",
                                                "entropy", "entropy.d.1.x", evenness});
  REQUIRE(one[5].curves.size() == 2);
  CHECK(one[5].curves[1].name == "head 1");
  CHECK(one[5].curves[1].look == 1);  // of one run curves differ by their place
  CHECK(one[5].unit == "nats");
  CHECK(one[6].curves[1].y == std::vector<double>{0.25});
  CHECK(std::none_of(one.begin(), one.end(), [](const Chart& chart) { return chart.folded; }));

  const std::vector<Chart> both = charts(runs);
  CHECK(titles(both) == std::vector<std::string>{"training loss", "learning rate", "gradient norm", "nll",
                                                 "entropy.0", "entropy.d.1.x", evenness,
                                                 "entropy.d.1.x, head 0", "entropy.d.1.x, head 1",
                                                 evenness + ", head 0", evenness + ", head 1"});
  for (std::size_t i = 0; i < both.size(); ++i) CHECK(both[i].folded == (i >= 7));
  REQUIRE(both[5].curves.size() == 2);
  CHECK(both[5].curves[1].name == "two");
  CHECK(both[5].curves[1].y == std::vector<double>{1.5, 3});
  CHECK(both[6].curves[0].y == std::vector<double>{0.375});

  // Of many attentions what was watched is folded, too.
  RunRecord deep;
  for (int layer = 0; layer < 7; ++layer)
    for (int head = 0; head < 2; ++head) {
      const std::string place = "layers." + std::to_string(layer);
      deep.metrics.push_back({"entropy." + place + "." + std::to_string(head), {1}, {1}});
      deep.watched.push_back({"saturated/" + place + " " + std::to_string(head), {1}, {0}});
    }
  const std::vector<Chart> many = charts(std::span(&deep, 1));
  REQUIRE(many.size() == 14);
  for (std::size_t i = 0; i < 14; ++i) CHECK(many[i].folded == (i >= 7));
}

TEST_CASE("report: runs have the names of their folders, with parents where these are the same", "[report]") {
  using Paths = std::vector<std::filesystem::path>;
  using Names = std::vector<std::string>;
  const auto names = [](const Paths& folders) { return names_apart(folders); };
  CHECK(names({"runs/one/", "runs/two"}) == Names{"one", "two"});
  CHECK(names({"a/seed=1", "b/seed=1", "b/seed=2"}) == Names{"a/seed=1", "b/seed=1", "seed=2"});
  CHECK(names({"/x/a/c", "/y/a/c"}) == Names{"x/a/c", "y/a/c"});
  CHECK(names({"/c", "/c/c"}) == Names{"c", "c/c"});
  CHECK(names({"a/b", "a/../a/b"}) == Names{"b", "b"});  // the same run twice
  CHECK(names({"/"}) == Names{""});
}

TEST_CASE("report: what is no run's folder is refused, and what cannot be read is named", "[report]") {
  const TemporaryFolder folder;
  CHECK_THROWS_AS(read_run(folder.path), ConfigError);
  CHECK_THROWS_WITH(read_run(folder.path), Contains("has neither run.json nor metrics.jsonl"));
  CHECK_THROWS_WITH(read_run(folder / "nothing"), Contains("nothing is no folder"));
  write(folder / "metrics.jsonl", "{\"step\":1,\"loss\":2}\n{\"loss\":1}\n");
  CHECK_THROWS_AS(read_run(folder.path), DataError);
  CHECK_THROWS_WITH(read_run(folder.path),
                    Contains("metrics.jsonl:2") && Contains("no JSON object with a number \"step\""));
  write(folder / "metrics.jsonl", "{\"step\":1,\"loss\":2}\n");
  write(folder / "run.json", "[1]");
  CHECK_THROWS_WITH(read_run(folder.path), Contains("run.json") && Contains("no JSON object"));
}

TEST_CASE("report: a thinned curve keeps the extremes and the ends of every column", "[report]") {
  const Curve whole = zigzag(100000);
  constexpr std::size_t columns = 200;
  const Curve thin = thinned(whole, columns);
  CHECK(thin.x.size() <= 4 * columns);
  CHECK(thin.x.size() == thin.y.size());
  CHECK(std::is_sorted(thin.x.begin(), thin.x.end()));
  CHECK(std::adjacent_find(thin.x.begin(), thin.x.end()) == thin.x.end());
  CHECK(thin.x.front() == whole.x.front());
  CHECK(thin.x.back() == whole.x.back());
  // By column, as the definition says, and from the whole curve.
  const double width = whole.x.back() / columns;
  std::vector<double> low(columns, 9), high(columns, -9), thin_low(columns, 9), thin_high(columns, -9);
  for (std::size_t i = 0; i < whole.x.size(); ++i) {
    const std::size_t c = std::min(columns - 1, static_cast<std::size_t>(whole.x[i] / width));
    low[c] = std::min(low[c], whole.y[i]);
    high[c] = std::max(high[c], whole.y[i]);
  }
  for (std::size_t i = 0; i < thin.x.size(); ++i) {
    const std::size_t c = std::min(columns - 1, static_cast<std::size_t>(thin.x[i] / width));
    thin_low[c] = std::min(thin_low[c], thin.y[i]);
    thin_high[c] = std::max(thin_high[c], thin.y[i]);
  }
  CHECK(thin_low == low);
  CHECK(thin_high == high);
}

TEST_CASE("report: short curves, gaps and curves at one step are left as they are", "[report]") {
  const Curve small = zigzag(800);
  CHECK(thinned(small, 200).y == small.y);
  Curve still = zigzag(1000);
  std::fill(still.x.begin(), still.x.end(), 3.0);
  CHECK(thinned(still, 10).y == still.y);
  Curve gaps = zigzag(1000);
  for (std::size_t i = 100; i < 300; ++i) gaps.y[i] = std::nan("");
  gaps.y[500] = std::nan("");
  const Curve thin = thinned(gaps, 10);  // of 100 points each
  CHECK(std::isnan(
      thin.y[std::find(thin.x.begin(), thin.x.end(), 100.0) - thin.x.begin()]));  // a gap stays one
  const auto [least, most] =
      std::minmax_element(gaps.y.begin() + 501, gaps.y.begin() + 599);  // its column begins with a gap
  CHECK(std::count(thin.y.begin(), thin.y.end(), *least) >= 1);
  CHECK(std::count(thin.y.begin(), thin.y.end(), *most) >= 1);
}
