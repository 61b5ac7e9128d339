#include <cmath>
#include <csignal>
#include <sys/wait.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "core/check.hpp"
#include "training/folder.hpp"
#include "training/metrics.hpp"
#include "training/progress.hpp"
#include "training/run.hpp"
#include "training/signals.hpp"

using namespace fovea;
using Catch::Contains;

namespace {
const Label label{"line", "lr = 0.5\n", {{"a.tsv", "0123"}}};
}

TEST_CASE("a run directory says how it came about", "[training]") {
  const TemporaryFolder folder;
  Run run(folder / "a/b", Run::Open::fresh, label);
  run.describe({"0.1.0", "f32", "a CPU", "v3", "Haswell", 2}, 7, 1234, "fovea train line");
  CHECK_THAT(content(folder / "a/b/config.toml"), Contains("lr = 0.5\n"));
  const auto record = nlohmann::json::parse(content(folder / "a/b/run.json"));
  CHECK(record["version"] == "0.1.0");
  CHECK(record["cpu"] == "a CPU");
  CHECK(record["kernels"] == "v3");
  CHECK(record["blas_kernel"] == "Haswell");
  CHECK(record["threads"] == 2);
  CHECK(record["seed"] == 7);
  CHECK(record["data"]["a.tsv"] == "0123");
  CHECK_THAT(content(folder / "a/b/train.log"), Contains("fovea train line"));
}

TEST_CASE("a folder that holds anything is refused", "[training]") {
  const TemporaryFolder folder;
  write(folder / "mine.txt", "precious");
  CHECK_THROWS_AS(Run(folder.path, Run::Open::fresh, label), ConfigError);
  CHECK_THROWS_WITH(Run(folder.path, Run::Open::fresh, label),
                    Contains("--resume") && Contains("--overwrite"));
  CHECK(!std::filesystem::exists(folder / "checkpoints"));
}

TEST_CASE("overwriting removes what a run left, and nothing else", "[training]") {
  const TemporaryFolder folder;
  std::filesystem::create_directory(folder / "checkpoints");
  for (const char* name : {"metrics.csv", "checkpoints/last.fovea", "checkpoints/last.fovea.tmp",
                           "checkpoints/step-3.fovea.7.tmp", "run.json.12345.tmp", "mine.txt"}) {
    write(folder / name, "x");
  }
  const Run run(folder.path, Run::Open::overwrite, label);
  CHECK(!std::filesystem::exists(folder / "metrics.csv"));
  CHECK(!std::filesystem::exists(folder / "checkpoints/last.fovea"));
  CHECK(!has_temporary(folder.path));
  CHECK(content(folder / "mine.txt") == "x");
}

TEST_CASE("a folder that cannot be written to is one clear error", "[training]") {
  const TemporaryFolder folder;
  write(folder / "file", "x");
  CHECK_THROWS_WITH(Run(folder / "file/run", Run::Open::fresh, label),
                    Contains("file/run") && Contains("--out"));
  CHECK_THROWS_WITH(Run(folder / "file", Run::Open::fresh, label), Contains("Not a directory"));
}

TEST_CASE("two processes do not write to one run", "[training]") {
  const TemporaryFolder folder;
  const Run run(folder / "run", Run::Open::fresh, label);
  CHECK_THROWS_WITH(Run(folder / "run", Run::Open::resume, label), Contains("in use"));
}

TEST_CASE("a run that could not be opened is not in use", "[training]") {
  const TemporaryFolder folder;
  const auto stands_in_the_way = [&](const char* name, Run::Open how) {
    INFO(name);
    std::filesystem::remove(folder / name);
    std::filesystem::create_directories(folder / name / "something");
    CHECK_THROWS_WITH(Run(folder.path, how, label), Contains(name));
    std::filesystem::remove_all(folder / name);
    CHECK_NOTHROW(Run(folder.path, how, label));
  };
  stands_in_the_way("run.json", Run::Open::overwrite);
  stands_in_the_way("checkpoints/last.fovea.tmp", Run::Open::resume);
  stands_in_the_way("train.log", Run::Open::resume);
}

TEST_CASE("rows are kept up to a step", "[training]") {
  const TemporaryFolder folder;
  Run run(folder / "run", Run::Open::fresh, label);
  for (const std::uint64_t step : {5, 10, 15}) {
    Metrics metrics;
    metrics.add("top1", 0.1 * static_cast<double>(step));
    run.add({step, 1, 2.5, 0.1, static_cast<double>(step), metrics});
  }
  run.rewind(10);
  CHECK(run.seconds() == 10);
  CHECK(content(folder / "run/metrics.csv") ==
        "step,epoch,loss,lr,seconds,top1\n5,1,2.5,0.1,5.000,0.5\n10,1,2.5,0.1,10.000,1\n");
  run.rewind(0);
  CHECK(content(folder / "run/metrics.jsonl").empty());
  CHECK(run.seconds() == 0);
}

TEST_CASE("the first signal is noted, the second ends the process at once", "[training]") {
  const auto exit_status = [](int count) {
    const pid_t child = ::fork();
    if (child == 0) {
      ::close(STDERR_FILENO);
      const Signals signals;
      for (int i = 0; i < count; ++i) ::raise(SIGTERM);
      ::_exit(signals.received() == SIGTERM ? 7 : 8);
    }
    int status = 0;
    ::waitpid(child, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  };
  CHECK(exit_status(0) == 8);
  CHECK(exit_status(1) == 7);
  CHECK(exit_status(2) == 143);
}

TEST_CASE("signals mean what they did before once training is over", "[training]") {
  const auto before = std::signal(SIGINT, SIG_IGN);
  { const Signals signals; }
  CHECK(std::signal(SIGINT, before) == SIG_IGN);
}

TEST_CASE("metrics are chosen by direction, and NaN never is", "[training]") {
  Metrics metrics;
  metrics.add("top1", 50);
  metrics.add("loss", 2);
  metrics.selected = "top1";
  CHECK(metrics.better_than(49));
  CHECK(!metrics.better_than(50));
  metrics.selected = "loss";
  metrics.higher_is_better = false;
  CHECK(metrics.better_than(3));
  CHECK(!metrics.better_than(2));
  metrics.ties = {{"top1", true}};
  CHECK(metrics.better_than(2, std::vector<double>{49}));
  CHECK(!metrics.better_than(2, std::vector<double>{50}));
  CHECK(!metrics.better_than(1, std::vector<double>{49}));
  CHECK(!metrics.better_than(2));  // of a run that knew no ties
  metrics.entries[1].value = NAN;
  CHECK(!metrics.better_than(3));
  CHECK(metrics.json() == R"({"top1":50.0,"loss":null})");
  CHECK_THROWS_WITH(metrics.at("mrr"), Contains("top1, loss"));
  CHECK(split_of("validation") == Split::validation);
  CHECK_THROWS_AS(split_of("valid"), ConfigError);
}

TEST_CASE("time is shown as a clock", "[training]") {
  CHECK(clock_text(5.4) == "0:05");
  CHECK(clock_text(65) == "1:05");
  CHECK(clock_text(7322) == "2:02:02");
  CHECK(clock_text(INFINITY) == "-:--");
}
