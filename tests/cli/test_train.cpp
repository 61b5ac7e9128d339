#include <chrono>
#include <thread>

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "cli/call.hpp"
#include "training/checkpoint_file.hpp"

using namespace fovea;
using Catch::Contains;
using Catch::StartsWith;
using Json = nlohmann::json;

namespace {

Json parameters_in(const Shell& shell, const std::string& checkpoint) {
  const Result result = shell.call({"inspect", checkpoint, "--json"});
  REQUIRE(result.code == 0);
  return Json::parse(result.out)["parameters"];
}

std::string best_of(const std::string& folder) { return folder + "/checkpoints/best.fovea"; }
std::string last_of(const std::string& folder) { return folder + "/checkpoints/last.fovea"; }

// Long enough to be interrupted at any time; saved often.
const std::vector<std::string> endless{"train",   "line",      "--out",        "run",
                                       "--steps", "100000000", "--save-every", "1"};

}  // namespace

TEST_CASE("train makes a run directory and prints the result", "[cli]") {
  const Shell shell;
  const Result result = shell.call({"train", "line", "--epochs", "3"});
  CHECK(result.code == 0);
  CHECK_THAT(result.out, StartsWith("test split, 20 items\nerror"));
  CHECK_THAT(result.err, Contains("training line in runs/line") && Contains("epoch 3  step 21/21"));
  CHECK(result.err.find('\x1b') == std::string::npos);  // no bar: this is no terminal
  for (const char* name : {"config.toml", "run.json", "metrics.csv", "metrics.jsonl", "train.log",
                           "checkpoints/last.fovea", "checkpoints/best.fovea"}) {
    CHECK(std::filesystem::exists(shell.folder / "runs/line" / name));
  }
  const Json record = Json::parse(content(shell.folder / "runs/line/run.json"));
  CHECK(record["command"] == "fovea train line --epochs 3");
  CHECK(record["data"]["line"] == "plain");
  CHECK(record["parameters"] == 30);
  // The next one takes the next name.
  CHECK(shell.call({"train", "line", "--epochs", "1"}).code == 0);
  CHECK(std::filesystem::exists(shell.folder / "runs/line-2/run.json"));
}

TEST_CASE("flags beat the file, which beats the task's defaults", "[cli]") {
  const Shell shell;
  write(shell.folder / "x.toml", "epochs = 2\nlr = 0.25\nshape = \"steep\"\n");
  REQUIRE(shell.call({"train", "line", "--config", "x.toml", "--lr", "0.125", "--out", "run"}).code == 0);
  const std::string config = content(shell.folder / "run/config.toml");
  CHECK_THAT(config, Contains("epochs = 2\n") && Contains("lr = 0.125\n") && Contains("shape = \"steep\"\n"));
  CHECK_THAT(config, Contains("batch-size = 8\n"));
  // What a run wrote serves as a file.
  REQUIRE(shell.call({"train", "line", "--config", "run/config.toml", "--out", "again"}).code == 0);
  CHECK(parameters_in(shell, last_of("again")) == parameters_in(shell, last_of("run")));
}

TEST_CASE("a run is resumed where the config file says, unless a flag says otherwise", "[cli]") {
  const Shell shell;
  write(shell.folder / "x.toml", "out = \"somewhere\"\nepochs = 2\n");
  REQUIRE(shell.call({"train", "line", "--config", "x.toml"}).code == 0);
  const Result resumed = shell.call({"train", "line", "--config", "x.toml", "--resume", "--epochs", "3"});
  CHECK(resumed.code == 0);
  CHECK_THAT(resumed.err, Contains("resuming somewhere at step 14"));
  CHECK(read_checkpoint(shell.folder / last_of("somewhere")).position.step == 21);
  const Result other = shell.call({"train", "line", "--config", "x.toml", "--resume", "--out", "other"});
  CHECK(other.code == 4);
  CHECK_THAT(other.err, Contains("no run other"));
}

TEST_CASE("the newest run is the one with the highest number, also after a gap", "[cli]") {
  const Shell shell;
  CHECK(shell.call({"train", "line", "--resume"}).code == 2);
  for (int i = 0; i < 3; ++i) REQUIRE(shell.call({"train", "line", "--epochs", "1"}).code == 0);
  std::filesystem::remove_all(shell.folder / "runs/line-2");
  // Names that are not ours, and a file that is no run.
  for (const char* name : {"line-4b", "line-07", "line-", "linear-9"})
    std::filesystem::create_directories(shell.folder / "runs" / name);
  write(shell.folder / "runs/line-5", "a file");
  const Result resumed = shell.call({"train", "line", "--resume", "--epochs", "2"});
  CHECK(resumed.code == 0);
  CHECK_THAT(resumed.err, Contains("resuming runs/line-3 at step 7"));
  // A new one is the newest: it does not fill the gap.
  CHECK_THAT(shell.call({"train", "line", "--epochs", "1"}).err, Contains("training line in runs/line-6"));
}

TEST_CASE("a last model that is better out of turn is told of, and not chosen", "[cli]") {
  const Shell shell;
  const Result result = shell.call({"train", "line", "--out", "run", "--steps", "9", "--eval-every", "7"});
  CHECK(result.code == 0);
  CHECK_THAT(
      result.err,
      Contains("the best model is of step 7: " + best_of("run")) &&
          Contains(
              "the last one is better, but was not evaluated by the schedule, by which the best is chosen: " +
              last_of("run")));
  CHECK(read_checkpoint(shell.folder / best_of("run")).position.step == 7);
}

TEST_CASE("what is not known is refused with a suggestion", "[cli]") {
  const Shell shell;
  write(shell.folder / "x.toml", "lr = 0.1\nbacth-size = 3\n");
  const auto check = [&](const std::vector<std::string>& words, int code, const std::string& text) {
    const Result result = shell.call(words);
    INFO(result.err);
    CHECK(result.code == code);
    CHECK(result.one_line());
    CHECK_THAT(result.err, Contains(text));
    CHECK(result.out.empty());
  };
  check({"train", "line", "--bacth-size", "3"}, 2,
        "unknown option \"--bacth-size\"; did you mean \"--batch-size\"?");
  check({"train", "line", "--config", "x.toml"}, 2,
        "x.toml:2: unknown key \"bacth-size\"; did you mean \"batch-size\"?");
  check({"train", "lime"}, 2, "\"lime\" is not known here; did you mean \"line\"?");
  check({"trian", "line"}, 2, "did you mean \"train\"?");
  check({"train"}, 2, "Choose one of line");
  check({"train", "line", "--lr"}, 2, "--lr");
  check({"train", "line", "--lr", "-1"}, 2, "--lr: expected a number above 0, got \"-1\"");
  check({"train", "line", "--config", "none.toml"}, 2, "none.toml");
  check({"train", "line", "--weight-decay", "0.1"}, 2, "adamw");
  check({"train", "line", "--overwrite"}, 2, "--out");
  check({"train", "line", "--resume"}, 2, "runs/line");
  check({"train", "line", "--resume", "--out", "none"}, 4, "no run none");
  check({"train", "line", "--data", "broken"}, 3, "broken:1:2: no number");
  check({"train", "line", "--out", "/proc/none/run"}, 1, "/proc/none/run");
  CHECK(!std::filesystem::exists(shell.folder / "runs"));  // nothing was begun
}

TEST_CASE("a folder that is not empty is refused, kept, or replaced", "[cli]") {
  const Shell shell;
  REQUIRE(shell.call({"train", "line", "--out", "run", "--steps", "3"}).code == 0);
  const std::string before = content(shell.folder / last_of("run"));
  const Result refused = shell.call({"train", "line", "--out", "run", "--steps", "4"});
  CHECK(refused.code == 2);
  CHECK(refused.one_line());
  CHECK(content(shell.folder / last_of("run")) == before);
  CHECK(shell.call({"train", "line", "--out", "run", "--steps", "4", "--overwrite"}).code == 0);
  CHECK(read_checkpoint(shell.folder / last_of("run")).position.step == 4);
}

// Cases lightning#2095, accelerate#4195: what a person does, with the parameters compared by their checksums.
TEST_CASE("an interrupted and resumed run ends in the same parameters, for any number of threads", "[cli]") {
  const Shell shell;
  const std::vector<std::string> common{"--steps", "60000", "--eval-every", "2000"};
  const auto train = [&](std::vector<std::string> words) {
    words.insert(words.end(), common.begin(), common.end());
    return words;
  };
  REQUIRE(shell.call(train({"train", "line", "--out", "whole", "--threads", "1"})).code == 0);
  const int signal = GENERATE(SIGINT, SIGTERM);
  const pid_t child = shell.start(train({"train", "line", "--out", "a run", "--threads", "2"}));
  REQUIRE(wait_for(shell.folder / last_of("a run")));  // after the first of many evaluations
  ::kill(child, signal);
  const Result stopped = shell.finish(child);
  CHECK(stopped.code == 128 + signal);
  CHECK_THAT(stopped.err, Contains("go on with: fovea train line --resume --out 'a run'"));
  const std::uint64_t step = read_checkpoint(shell.folder / last_of("a run")).position.step;
  CHECK(step < 60000);
  const Result resumed = shell.call({"train", "line", "--resume", "--out", "a run"});
  CHECK(resumed.code == 0);
  CHECK_THAT(resumed.err, Contains("at step " + std::to_string(step)));
  CHECK(parameters_in(shell, last_of("a run")) == parameters_in(shell, last_of("whole")));
  CHECK(parameters_in(shell, best_of("a run")) == parameters_in(shell, best_of("whole")));
}

TEST_CASE("a second signal ends the program at once, and the checkpoint is whole", "[cli]") {
  const Shell shell;
  const pid_t child = shell.start(endless);
  REQUIRE(wait_for(shell.folder / last_of("run")));
  ::kill(child, SIGSTOP);  // so that both are there when it goes on
  ::kill(child, SIGINT);
  ::kill(child, SIGTERM);
  ::kill(child, SIGCONT);
  const int code = shell.finish(child).code;
  CHECK((code == 130 || code == 143));
  CHECK_NOTHROW(read_checkpoint(shell.folder / last_of("run")));
}

// Cases lightning#688, metaseq#53.
TEST_CASE("a run that was killed is resumed, from the last whole checkpoint", "[cli]") {
  const Shell shell;
  const pid_t child = shell.start(endless);
  REQUIRE(wait_for(shell.folder / last_of("run")));
  ::kill(child, SIGKILL);
  CHECK(shell.finish(child).code == -SIGKILL);
  const std::uint64_t step = read_checkpoint(shell.folder / last_of("run")).position.step;
  const std::string total = std::to_string(step + 7);
  CHECK(shell.call({"train", "line", "--resume", "--out", "run", "--steps", total}).code == 0);
  CHECK(read_checkpoint(shell.folder / last_of("run")).position.step == step + 7);
}

// Case pytorch#65342.
TEST_CASE("a resumed run keeps what makes it the same run", "[cli]") {
  const Shell shell;
  REQUIRE(shell.call({"train", "line", "--out", "run", "--epochs", "2", "--schedule", "cosine"}).code == 0);
  const auto resume = [&](std::vector<std::string> words) {
    words.insert(words.begin(), {"train", "line", "--resume", "--out", "run"});
    return shell.call(words);
  };
  const Result rate = resume({"--lr", "0.5"});
  CHECK(rate.code == 2);
  CHECK_THAT(rate.err, Contains("--lr is 0.02 in this run and cannot become 0.5"));
  CHECK(resume({"--lr", "0.02"}).code == 0);
  const Result longer = resume({"--epochs", "20"});
  CHECK(longer.code == 2);
  CHECK_THAT(longer.err, Contains("cosine schedule was laid out over 14 steps; 140"));
  CHECK(resume({}).code == 0);
  CHECK(read_checkpoint(shell.folder / last_of("run")).position.step == 14);
}
