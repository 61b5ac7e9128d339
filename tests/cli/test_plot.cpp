#include <cmath>
#include <numeric>

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "cli/call.hpp"
#include "cli/page.hpp"
#include "report/unpacked.hpp"

// Reports of runs, and plot.

using namespace fovea;
using Catch::Contains;
using Json = nlohmann::json;

namespace {

void train_copy(const Shell& shell, const std::string& out, const std::vector<std::string>& more = {}) {
  std::vector<std::string> words{"train",     "copy", "--steps",     "6",   "--eval-every", "2",
                                 "--width",   "8",    "--sequences", "600", "--symbols",    "5",
                                 "--threads", "1",    "--beam",      "1",   "--out",        out};
  words.insert(words.end(), more.begin(), more.end());
  const Result result = shell.call(words);
  INFO(result.err);
  REQUIRE(result.code == 0);
}

}  // namespace

TEST_CASE("a run ends with a report of its curves and of what its model looks at", "[cli]") {
  const Shell shell;
  train_copy(shell, "run",
             {"--watch", "--model", "transformer", "--heads", "2", "--layers", "2", "--inner", "8"});
  const Json data = page_data(shell.folder / "run/report.html");
  CHECK(data["runs"][0]["name"] == "run");
  CHECK(data["runs"][0]["task"] == "copy");
  CHECK(data["runs"][0]["rows"] == 3);
  CHECK_THAT(data["runs"][0]["resultsOf"].get<std::string>(), Contains("test split"));
  std::vector<std::string> titles;
  for (const Json& chart : data["charts"]) titles.push_back(chart["title"]);
  for (const char* title : {"training loss", "ser", "nll", "entropy.decoder.layers.1.cross_attention",
                            "learning rate", "gradient norm"})
    CHECK(std::count(titles.begin(), titles.end(), title) == 1);
  CHECK(data["charts"][0]["curves"][0]["x"] == Json({2, 4, 6}));
  REQUIRE(data["pictures"].size() == 6);
  CHECK(data["pictures"][0]["group"] == "worst");
  CHECK(data["pictures"][5]["group"] == "typical");
  for (const Json& picture : data["pictures"]) {
    const Json& maps = picture["shown"]["maps"];
    REQUIRE(maps.size() == 3);  // to the source, among its tokens, among those that are written
    CHECK(maps[0]["columns"].size() == picture["title"].get<std::string>().size());
    CHECK(maps[0]["rows"].back() == "</s>");
    CHECK(maps[1]["rows"] == maps[0]["columns"]);
    CHECK(maps[1]["columns"] == maps[0]["columns"]);
    CHECK(maps[2]["rows"] == maps[0]["rows"]);
    CHECK(maps[2]["columns"].size() == maps[0]["rows"].size());
    CHECK(maps[2]["columns"][0] == "<s>");
    for (const Json& map : maps) {
      REQUIRE(map["heads"].size() == 5);  // their mean, and two heads of two layers
      CHECK(map["heads"][4]["name"] == "layer 1, head 1");
      const std::size_t rows = map["rows"].size(), columns = map["columns"].size();
      for (const Json& head : map["heads"]) {
        const std::vector<double> weights = report::unpacked(head);
        REQUIRE(weights.size() == rows * columns);
        for (std::size_t i = 0; i < rows; ++i) {
          const auto row = weights.begin() + static_cast<std::ptrdiff_t>(i * columns);
          CHECK(std::accumulate(row, row + static_cast<std::ptrdiff_t>(columns), 0.0) ==
                Approx(1).margin(2e-3));
          // A decoder does not look ahead.
          for (std::size_t j = i + 1; &map == &maps[2] && j < columns; ++j)
            CHECK(weights[i * columns + j] == 0);
        }
      }
    }
    CHECK(maps[0]["heads"][1]["path"] == "decoder.layers.0.cross_attention, head 0");
    CHECK(maps[1]["heads"][1]["path"] == "encoder.layers.0.self_attention, head 0");
    CHECK(maps[2]["heads"][1]["path"] == "decoder.layers.0.self_attention, head 0");
  }
}

TEST_CASE("plot shows items that are named, and several runs beside each other", "[cli]") {
  const Shell shell;
  train_copy(shell, "one");
  train_copy(shell, "two", {"--seed", "2"});
  std::filesystem::remove(shell.folder / "one/report.html");
  const Result whole = shell.call({"plot", "one", "--item", "abc", "--item", "ba"});
  CHECK(whole.code == 0);
  CHECK(whole.out == "one/report.html\n");
  const Json page = page_data(shell.folder / "one/report.html");
  REQUIRE(page["pictures"].size() == 2);
  CHECK(page["pictures"][0]["title"] == "abc");
  CHECK(page["pictures"][0]["shown"]["maps"][0]["columns"] == Json({"a", "b", "c"}));
  CHECK(page["pictures"][0]["truth"] == "");
  CHECK(page["charts"].size() > 3);

  REQUIRE(shell.call({"plot", "one", "two/", "-o", "both.html"}).code == 0);
  const Json both = page_data(shell.folder / "both.html");
  CHECK(both["charts"][0]["curves"][0]["name"] == "one");
  CHECK(both["charts"][0]["curves"][1]["name"] == "two");
  CHECK(both["pictures"].empty());
  REQUIRE(shell.call({"plot", "one", "two", "--item", "abc", "--show", "examples", "-o", "both.html"}).code ==
          0);
  const Json asked = page_data(shell.folder / "both.html");
  CHECK(asked["charts"].empty());
  REQUIRE(asked["pictures"].size() == 2);
  CHECK(asked["pictures"][1]["group"] == "two");

  REQUIRE(shell.call({"plot", "one", "--show", "examples", "--worst", "1", "--typical", "0", "-o", "x.svg"})
              .code == 0);
  CHECK_THAT(content(shell.folder / "x.svg"),
             Catch::StartsWith("<svg xmlns=") && Contains("worst") && !Contains("typical"));
  REQUIRE(shell.call({"plot", "one", "--show", "curves", "-o", "y.svg"}).code == 0);
  CHECK_THAT(content(shell.folder / "y.svg"), Contains("training loss") && !Contains("worst"));
}

TEST_CASE("plot says what it cannot show", "[cli]") {
  const Shell shell;
  const auto fails = [&](const std::vector<std::string>& words, int code, const std::string& text) {
    const Result result = shell.call(words);
    INFO(result.err);
    CHECK(result.code == code);
    CHECK(result.one_line());
    CHECK_THAT(result.err, Contains(text));
  };
  fails({"plot", "nowhere"}, 2, "nowhere is no folder");
  fails({"plot"}, 2, "runs is required");
  std::filesystem::create_directories(shell.folder / "empty");
  fails({"plot", "empty"}, 2, "has neither run.json nor metrics.jsonl");
  write(shell.folder / "empty/metrics.jsonl", "");
  fails({"plot", "empty"}, 3, "metrics.jsonl has no rows");
  write(shell.folder / "empty/metrics.jsonl", "{\"step\":1,\"loss\":2}\n[]\n");
  fails({"plot", "empty"}, 3, "metrics.jsonl:2");
  write(shell.folder / "empty/metrics.jsonl", "{\"step\":1,\"loss\":2}\n");
  fails({"plot", "empty", "-o", "x.png"}, 2, "ends in neither .html nor .svg");
  fails({"plot", "empty", "empty"}, 2, "name its file with -o");
  fails({"plot", "empty", "--show", "curves", "-o", "no/folder/x.html"}, 1, "no/folder");
  const Result curves = shell.call({"plot", "empty", "-o", "x.html"});  // a run without a save
  CHECK(curves.code == 0);
  CHECK_THAT(curves.err, Contains("has no checkpoint yet"));
  CHECK(page_data(shell.folder / "x.html")["charts"].size() == 1);
  fails({"plot", "empty", "--item", "abc"}, 2, "has no checkpoint yet");  // nothing else was asked for
  fails({"plot", "empty", "--show", "examples", "-o", "x.svg"}, 2, "has no checkpoint yet");
  fails({"plot", "empty", "-o", ""}, 2, "needs a file's name");
  CHECK(shell.call({"plot", "empty", "--show", "curves", "-o", "X.SVG"}).code == 0);
  CHECK_THAT(content(shell.folder / "X.SVG"), Catch::StartsWith("<svg"));
  REQUIRE(shell.call({"train", "line", "--epochs", "1", "--out", "line"}).code == 0);
  CHECK(page_data(shell.folder / "line/report.html")["pictures"].empty());
  fails({"plot", "line", "--item", "x"}, 2, "the task line has no pictures");
}

TEST_CASE("plot draws curves where a model or its data are not there", "[cli]") {
  const Shell shell;
  train_copy(shell, "run");
  const std::string best = (shell.folder / "run/checkpoints/best.fovea").string();
  write(best, content(best).substr(0, 1000));
  const Result plain = shell.call({"plot", "run", "-o", "x.html"});
  CHECK(plain.code == 0);
  CHECK_THAT(plain.err,
             Contains("no examples of run: ") && Contains("best.fovea") && Contains("--show curves"));
  CHECK(page_data(shell.folder / "x.html")["charts"].size() > 1);
  CHECK(page_data(shell.folder / "x.html")["pictures"].empty());
  CHECK(shell.call({"plot", "run", "--item", "abc", "-o", "y.html"}).code == 4);
  CHECK(shell.call({"plot", "run", "--show", "examples", "-o", "y.html"}).code == 4);
  CHECK_FALSE(std::filesystem::exists(shell.folder / "y.html"));
  // Examples need no row of metrics.
  train_copy(shell, "other");
  write(shell.folder / "other/metrics.jsonl", "");
  CHECK(shell.call({"plot", "other", "--show", "examples", "-o", "z.svg"}).code == 0);
}

TEST_CASE("a report that cannot be written costs the run nothing", "[cli]") {
  const Shell shell;
  train_copy(shell, "run");
  const std::string result = content(shell.folder / "run/result.json");
  std::filesystem::remove(shell.folder / "run/report.html");
  std::filesystem::create_directories(shell.folder / "run/report.html/in the way");
  const Result again = shell.call({"train", "copy", "--resume", "--out", "run"});
  CHECK(again.code == 0);
  CHECK_THAT(again.err, Contains("report.html was not written: "));
  CHECK_THAT(content(shell.folder / "run/train.log"), Contains("report.html was not written"));
  CHECK(Json::parse(content(shell.folder / "run/result.json"))["steps"] == Json::parse(result)["steps"]);
}
