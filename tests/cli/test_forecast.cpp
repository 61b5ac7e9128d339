#include <numeric>

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "cli/call.hpp"
#include "cli/page.hpp"
#include "core/check.hpp"
#include "modules/attention/settings.hpp"
#include "report/unpacked.hpp"

// A series of one's own, from a table to a forecast.

using namespace fovea;
using Catch::Contains;
using Catch::StartsWith;
using Json = nlohmann::json;

namespace {

std::string two(int number) { return join(number < 10 ? "0" : "", number); }

// Days whose level rises and falls with the week, as a German spreadsheet writes them.
std::string table(int days) {
  std::string text = "\xEF\xBB\xBFTag;Absatz;Ort\r\n";
  for (int day = 0; day < days; ++day)
    text += join("2023-", two(1 + day / 28), "-", two(1 + day % 28), ";", 100 + 10 * (day % 7), ",", day % 10,
                 ";x\r\n");
  return text;
}

// Without days 29 to 31 it would have holes; so it has 28.
const std::string month = table(28);

struct Trained : Shell {
  Trained() {
    write(folder / "sales.csv", month);
    const Result result = call({"train",
                                "forecast",
                                "--data",
                                "sales.csv",
                                "--time",
                                "Tag",
                                "--target",
                                "Absatz",
                                "--decimal-comma",
                                "--history",
                                "7",
                                "--horizon",
                                "2",
                                "--validation-rows",
                                "4",
                                "--test-rows",
                                "4",
                                "--width",
                                "8",
                                "--steps",
                                "30",
                                "--out",
                                "run"});
    INFO(result.err);
    REQUIRE(result.code == 0);
    CHECK_THAT(result.err,
               Contains("28 rows, one each 1 d") && Contains("test from 2023-01-25 to 2023-01-28"));
    CHECK_THAT(result.out, StartsWith("test split, 3 items\n") && Contains("seasonal naive"));
  }
  std::string best = "run/checkpoints/best.fovea";
};

}  // namespace

TEST_CASE("a table of one's own is forecast", "[cli]") {
  const Trained shell;
  const Result csv = shell.call({"predict", shell.best, "sales.csv"});
  CHECK(csv.code == 0);
  CHECK_THAT(csv.out,
             StartsWith("time,Absatz,Absatz_q10,Absatz_q90\n2023-01-29,") && Contains("\n2023-01-30,"));
  CHECK(shell.call({"predict", shell.best}).out == csv.out);
  CHECK(shell.call({"predict", shell.best, "--data", "sales.csv"}).out == csv.out);
  const Result json = shell.call({"predict", shell.best, "--json", "--explain"});
  const Json first = Json::parse(json.out.substr(0, json.out.find('\n')));
  CHECK(first["origin"] == "2023-01-28");
  CHECK(first["looked_at"].size() == 7);
  const Result back = shell.call({"predict", shell.best, "--backtest", "2"});
  CHECK_THAT(back.out,
             StartsWith("origin,time,Absatz,Absatz_q10,Absatz_q90,Absatz_actual\n2023-01-25,2023-01-26,"));
  CHECK(shell.call({"predict", shell.best, "-"}, month).out == csv.out);
  // A longer table is forecast from its own end.
  write(shell.folder / "later.csv", month + "2023-01-29;100,5;x\n");
  CHECK_THAT(shell.call({"predict", shell.best, "later.csv"}).out, Contains("\n2023-01-30,"));
  const Json measured = Json::parse(shell.call({"evaluate", shell.best, "--json"}).out);
  CHECK(measured["mae.Absatz"].get<double>() < measured["baseline.last value.mae.Absatz"].get<double>());
}

TEST_CASE("forecast: gradients of every attention, from the command line", "[cli]") {
  const Shell shell;
  const auto check = [&](std::vector<std::string> words) {
    words.insert(words.begin(), {"gradcheck", "forecast", "--model", "lstm-attention", "--entropy", "0.1"});
    const Result result = shell.call(words);
    CAPTURE(words, result.out, result.err);
    CHECK(result.code == 0);
  };
  for (const std::string& name : attention_names()) check({"--attention", name});
  check({"--attention", "hybrid", "--hybrid", "gate", "--normalizer", "sparsemax", "--hops", "2"});
  check({"--normalizer", "top-k:2"});
  const Result none = shell.call({"train", "forecast", "--model", "transformer", "--hops", "2"});
  CHECK(none.code == 2);
  CHECK_THAT(none.err, Contains("--hops is for --model lstm-attention"));
}

TEST_CASE("a bundled series' settings are those of its run", "[cli]") {
  const Shell shell;
  const Result none =
      shell.call({"train", "forecast", "--model", "lstm", "--entropy", "0.1", "--out", "run"});
  CHECK(none.code == 2);
  CHECK_THAT(none.err, Contains("--entropy"));
  CHECK(!std::filesystem::exists(shell.folder / "run"));
  const Result result =
      shell.call({"train", "forecast", "--model", "linear", "--steps", "3", "--out", "run"});
  REQUIRE(result.code == 0);
  CHECK_THAT(content(shell.folder / "run/config.toml"),
             Contains("target = ['temp_max']") || Contains("target = [\"temp_max\"]"));
  std::string table = "date,wind,temp_max,temp_min,precipitation\n";
  for (int day = 1; day <= 28; ++day) table += join("2020-02-", two(day), ",1,", day, ",0,", day % 3, "\n");
  write(shell.folder / "own.csv", table);
  CHECK_THAT(shell.call({"predict", "run/checkpoints/last.fovea", "own.csv"}).out, Contains("\n2020-02-29,"));
}

TEST_CASE("a table that cannot be forecast is refused", "[cli]") {
  const Trained shell;
  const auto refused = [&](const std::string& text, int code, const std::string& words) {
    write(shell.folder / "x.csv", text);
    const Result result = shell.call({"predict", shell.best, "x.csv"});
    INFO(result.err);
    CHECK(result.code == code);
    CHECK(result.one_line());
    CHECK_THAT(result.err, Contains(words));
  };
  refused("Tag;Absatz\n2023-01-01;1\n2023-01-02;2\n2023-01-03;3\n", 3, "has 3 rows; --history 7 need 7");
  refused("Tag;Absatz\n2023-01-01;1\n2023-02-01;2\n2023-03-01;3\n", 3,
          "steps of 1 month; the model was trained with 1 d");
  refused("Tag;Umsatz\n2023-01-01;1\n", 3, "x.csv:1:1: there is no column \"Absatz\"");
  refused(month + "2023-01-29;;x\n", 3, "x.csv:30:12: there is no value; --missing forward");
  write(shell.folder / "x.csv", month + "2023-01-29;;x\n");
  CHECK(shell.call({"predict", shell.best, "x.csv", "--missing", "forward"}).code == 0);
  CHECK(shell.call({"predict", shell.best, "x.csv", "--data", "x.csv"}).code == 2);
  CHECK(shell.call({"predict", shell.best, "--backtest", "30"}).code == 3);

  const Result short_one = shell.call({"train", "forecast", "--data", "sales.csv", "--time", "Tag",
                                       "--target", "Absatz", "--decimal-comma", "--out", "other"});
  CHECK(short_one.code == 3);
  CHECK_THAT(short_one.err, Contains("--history 28"));
  const Result unnamed = shell.call({"train", "forecast", "--data", "sales.csv", "--out", "other"});
  CHECK(unnamed.code == 2);
  CHECK_THAT(unnamed.err, Contains("--time") && Contains("Tag, Absatz, Ort"));
  const Result text =
      shell.call({"train", "forecast", "--data", "sales.csv", "--time", "Tag", "--target", "Ort"});
  CHECK(text.code == 3);
  CHECK_THAT(text.err, Contains("sales.csv:2:18: \"x\" in the column \"Ort\" is not a number"));
}

TEST_CASE("forecast: a report shows windows with what came, what was expected and what was looked at",
          "[cli]") {
  const Trained shell;
  const Result result = shell.call({"plot", "run", "--item", "2023-01-25", "-o", "x.html"});
  INFO(result.err);
  REQUIRE(result.code == 0);
  const Json picture = page_data(shell.folder / "x.html")["pictures"].at(0);
  CHECK(picture["title"] == "Absatz, 2023-01-25 to 2023-01-26");
  const Json& shown = picture["shown"];
  CHECK(shown["history"] == 7);
  CHECK(shown["times"][7] == 1674604800);  // 2023-01-25
  CHECK(shown["came"][0] == 130.7);        // of 2023-01-18
  REQUIRE(shown["forecast"].size() == 2);
  CHECK(shown["weightRows"] == Json({0, 1}));
  const std::vector<double> weights = report::unpacked(shown["weights"]);
  REQUIRE(weights.size() == 2 * 7);
  CHECK(std::accumulate(weights.begin(), weights.begin() + 7, 0.0) == Approx(1).margin(1e-3));
  for (std::size_t h = 0; h < 2; ++h) {
    CHECK(shown["low"][h] <= shown["forecast"][h]);
    CHECK(shown["forecast"][h] <= shown["high"][h]);
  }
  for (const auto& [item, words] : {std::pair("2023-01-02", "expected one from 2023-01-08 to 2023-01-29"),
                                    std::pair("soon", "is no time like")}) {
    const Result refused = shell.call({"plot", "run", "--item", item, "-o", "x.html"});
    CHECK(refused.code == 2);
    CHECK_THAT(refused.err, Contains(words));
  }
}
