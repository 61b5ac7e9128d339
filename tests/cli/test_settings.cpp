#include <algorithm>

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "cli/call.hpp"
#include "modules/attention/settings.hpp"
#include "training/checkpoint_file.hpp"
#include "training/rows.hpp"

// The settings of training as a person gives them: flags and files.

using namespace fovea;
using Catch::Contains;
using Json = nlohmann::json;

namespace {

std::string last_of(const std::string& folder) { return folder + "/checkpoints/last.fovea"; }

Json inspected(const Shell& shell, const std::string& checkpoint) {
  const Result result = shell.call({"inspect", checkpoint, "--json"});
  REQUIRE(result.code == 0);
  return Json::parse(result.out);
}

}  // namespace

// Case pytorch#65342.
TEST_CASE("the rates of a run are printed, and are the same after a resume", "[cli]") {
  const Shell shell;
  const std::string schedule = GENERATE("cosine", "one_cycle", "inverse_sqrt", "step");
  std::vector<std::string> words{"train",   "line", "--out",        "run", "--schedule",   schedule,
                                 "--steps", "9",    "--eval-every", "1",   "--accumulate", "2"};
  if (schedule == "step") words.insert(words.end(), {"--step-every", "3", "--lr-factor", "0.5"});
  std::vector<std::string> asking = words;
  asking.push_back("--print-rates");
  const Result printed = shell.call(asking);
  CHECK(printed.code == 0);
  CHECK(printed.out.starts_with("step,lr\n1,"));
  CHECK(std::count(printed.out.begin(), printed.out.end(), '\n') == 10);
  CHECK(printed.err.empty());
  CHECK(!std::filesystem::exists(shell.folder / "run"));
  REQUIRE(shell.call(words).code == 0);
  // What was printed is what the steps saw.
  std::string seen = "step,lr\n";
  for (const std::string& row : lines_of(shell.folder / "run/metrics.csv")) {
    if (row.starts_with("step")) continue;
    std::vector<std::string> cells;
    std::istringstream line(row);
    for (std::string cell; std::getline(line, cell, ',');) cells.push_back(cell);
    seen += cells[0] + "," + cells[3] + "\n";
  }
  CHECK(seen == printed.out);
  CHECK(shell.call({"train", "line", "--resume", "--out", "run", "--print-rates"}).out == printed.out);
}

TEST_CASE("every task with one query at a time offers the same attentions", "[cli]") {
  const Shell shell;
  for (const std::string task : {"classify", "forecast", "g2p", "seq2seq"}) {
    CAPTURE(task);
    const std::string help = shell.call({"train", task, "--help"}).out;
    for (const char* flag : {"--attention", "--hybrid", "--normalizer", "--hops"})
      CHECK_THAT(help, Contains(flag));
    for (const auto& names : {attention_names(), hybrid_names()})
      for (const std::string& name : names) CHECK_THAT(help, Contains(name));
  }
}

TEST_CASE("settings that do not belong together are refused", "[cli]") {
  const Shell shell;
  const auto check = [&](std::vector<std::string> words, const std::string& text) {
    words.insert(words.begin(), {"train", "line"});
    const Result result = shell.call(words);
    INFO(result.err);
    CHECK(result.code == 2);
    CHECK(result.one_line());
    CHECK_THAT(result.err, Contains(text));
  };
  write(shell.folder / "x.toml", "[[groups]]\npath = 'hiden'\n");
  check({"--lr-floor", "0.1"}, "--lr-floor is for --schedule cosine, not constant");
  check({"--schedule", "cosine", "--plateau-patience", "3"}, "--plateau-patience is for --schedule plateau");
  check({"--schedule", "one_cycle", "--warmup", "3"}, "--warmup");
  check({"--schedule", "step"}, "--step-every");
  check({"--schedule", "plateau", "--print-rates"}, "metrics.csv");
  check({"--ema", "1"}, "--ema: expected a number between 0 and 0.9999999");
  check({"--precision", "fp16"}, "one of f32, bf16, bf16-emulated");
  check({"--accumulate", "0"}, "--accumulate: expected a whole number of at least 1");
  check({"--freeze", "*"}, "nothing is left");
  check({"--freeze", "hiden"}, "hiden");
  check({"--config", "x.toml"}, "hiden");
  CHECK(!std::filesystem::exists(shell.folder / "runs"));
}

TEST_CASE("parameters are frozen and grouped from flags and files, and a resume keeps it", "[cli]") {
  const Shell shell;
  write(shell.folder / "x.toml", "freeze = ['hidden']\n[[groups]]\npath = 'hidden'\nrate = 0.5\n");
  const auto train = [&](const std::string& steps, const std::string& out) {
    return shell
        .call({"train", "line", "--config", "x.toml", "--freeze", "bias", "--freeze", "out", "--steps", steps,
               "--out", out})
        .code;
  };
  REQUIRE(train("1", "short") == 0);
  REQUIRE(train("3", "run") == 0);
  const Json one = inspected(shell, last_of("short")), three = inspected(shell, last_of("run"));
  CHECK(one["parameters"]["bias"] == three["parameters"]["bias"]);
  CHECK(one["parameters"]["out"] == three["parameters"]["out"]);
  CHECK(one["parameters"]["hidden"] != three["parameters"]["hidden"]);
  CHECK(three["config"]["freeze"] == Json({"bias", "out"}));
  CHECK(three["config"]["groups"] == Json::parse(R"([{"path": "hidden", "rate": 0.5}])"));
  // What a run wrote serves as a file, and it is kept.
  REQUIRE(shell.call({"train", "line", "--config", "run/config.toml", "--out", "again"}).code == 0);
  CHECK(inspected(shell, last_of("again"))["parameters"] == three["parameters"]);
  const Result changed = shell.call({"train", "line", "--resume", "--out", "run", "--freeze", "bias"});
  CHECK(changed.code == 2);
  CHECK_THAT(changed.err, Contains("--freeze is bias,out in this run and cannot become bias"));
  REQUIRE(shell.call({"train", "line", "--resume", "--out", "short", "--steps", "3"}).code == 0);
  CHECK(inspected(shell, last_of("short"))["parameters"] == three["parameters"]);
}

TEST_CASE("a model with averaged weights is evaluated with them", "[cli]") {
  const Shell shell;
  const Result result = shell.call({"train", "line", "--epochs", "5", "--ema", "0.9", "--out", "run"});
  REQUIRE(result.code == 0);
  const std::string best = "run/checkpoints/best.fovea";
  const Json chosen = Json::parse(shell.call({"evaluate", best, "--split", "validation", "--json"}).out);
  CHECK(chosen["error"] == inspected(shell, best)["best"]["value"]);
  CHECK(shell.call({"evaluate", best}).out == result.out);
}

TEST_CASE("a schedule that does not end with the run lets it be prolonged", "[cli]") {
  const Shell shell;
  REQUIRE(shell.call({"train", "line", "--out", "run", "--epochs", "2", "--schedule", "plateau"}).code == 0);
  CHECK(shell.call({"train", "line", "--resume", "--out", "run", "--epochs", "3"}).code == 0);
  CHECK(read_checkpoint(shell.folder / last_of("run")).position.step == 21);
}

TEST_CASE("bf16 is refused with the reason on a CPU without it, before anything is made", "[cli]") {
  const Shell shell;
  const Result result = shell.call({"train", "line", "--precision", "bf16", "--steps", "5", "--out", "run"});
  if (result.code == 0) return;  // a CPU that has it
  CHECK(result.code == 2);
  CHECK(result.one_line());
  CHECK_THAT(result.err, Contains("--precision") && Contains("bf16-emulated") &&
                             (Contains("this CPU cannot multiply bf16") || Contains("without oneDNN") ||
                              Contains("oneDNN is not there")));
  CHECK(!std::filesystem::exists(shell.folder / "run"));
}

TEST_CASE("a run in emulated bf16 says so, holds f32, and stays what it is", "[cli]") {
  const Shell shell;
  const auto train = [&](const std::string& precision, const std::string& threads, const std::string& out) {
    const Result result = shell.call(
        {"train", "line", "--precision", precision, "--threads", threads, "--steps", "9", "--out", out});
    REQUIRE(result.code == 0);
    return result;
  };
  const Result run = train("bf16-emulated", "1", "run");
  CHECK_THAT(run.err, Contains("products of training steps in bf16-emulated\n"));
  CHECK_THAT(content(shell.folder / "run/config.toml"), Contains("precision = \"bf16-emulated\"\n"));
  CHECK_THAT(train("f32", "1", "exact").err, !Contains("products"));
  train("bf16-emulated", "2", "threads");
  const Json made = inspected(shell, last_of("run"));
  for (const Json& one : made["parameters"]) CHECK(one["kind"] == "f32");
  CHECK(made["parameters"] == inspected(shell, last_of("threads"))["parameters"]);
  CHECK(made["parameters"] != inspected(shell, last_of("exact"))["parameters"]);
  // Evaluations are in f32: a run's own result is what `evaluate` finds, wherever that is asked.
  const Result evaluated = shell.call({"evaluate", "run/checkpoints/best.fovea"});
  CHECK(evaluated.code == 0);
  CHECK(evaluated.out == run.out);
  const Result changed = shell.call({"train", "line", "--resume", "--out", "run", "--precision", "f32"});
  CHECK(changed.code == 2);
  CHECK_THAT(changed.err, Contains("--precision is bf16-emulated in this run and cannot become f32"));
  // Resumed to the same bits.
  CHECK(
      shell.call({"verify-resume", "line", "--precision", "bf16-emulated", "--steps", "12", "--out", "both"})
          .code == 0);
  CHECK(shell.call({"gradcheck", "line", "--precision", "bf16-emulated"}).code == 2);
}

TEST_CASE("what is computed again in emulated bf16 is the same", "[cli]") {
  const Shell shell;
  const auto train = [&](const std::string& recompute, const std::string& threads) {
    const Result result =
        shell.call({"train", "copy", "--model", "transformer", "--width", "16", "--inner", "32", "--heads",
                    "2", "--steps", "3", "--precision", "bf16-emulated", "--threads", threads, recompute,
                    "--out", recompute.substr(2) + threads});
    INFO(result.err);
    REQUIRE(result.code == 0);
    return inspected(shell, last_of(recompute.substr(2) + threads))["parameters"];
  };
  const Json kept = train("--no-recompute", "1");
  CHECK(kept == train("--recompute", "1"));
  CHECK(kept == train("--recompute", "2"));
}
