#include <chrono>
#include <cmath>
#include <sstream>
#include <thread>

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "cli/call.hpp"
#include "core/check.hpp"

// Several trainings side by side.

using namespace fovea;
using Catch::Contains;
using Catch::StartsWith;
using Json = nlohmann::json;

namespace {

std::vector<std::string> lines_of(const std::string& text) {
  std::istringstream stream(text);
  std::vector<std::string> lines;
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

double error_of(const Shell& shell, const std::string& run) {
  return Json::parse(content(shell.folder / run / "result.json"))["error"].get<double>();
}

}  // namespace

TEST_CASE("a training leaves what was measured of it", "[cli]") {
  const Shell shell;
  const Result result = shell.call({"train", "line", "--epochs", "2", "--out", "run"});
  REQUIRE(result.code == 0);
  const Json record = Json::parse(content(shell.folder / "run/result.json"));
  const Json measured = Json::parse(shell.call({"evaluate", "run/checkpoints/best.fovea", "--json"}).out);
  for (const auto& [name, value] : measured.items()) CHECK(record[name] == value);
  CHECK(record["steps"] == 14);
  CHECK(record["parameters"] == 30);
  CHECK(record["peak_bytes"] > 1'000'000);
  CHECK(record["seconds"] > 0);
  // It is the mark of a run that came to its end.
  REQUIRE(shell.call({"train", "line", "--out", "run", "--resume", "--data", "broken"}).code != 0);
  CHECK(shell.call({"train", "line", "--out", "run", "--resume", "--epochs", "3", "--schedule", "constant"})
            .code == 0);
  CHECK(Json::parse(content(shell.folder / "run/result.json"))["steps"] == 21);
}

TEST_CASE("trainings are compared over all combinations and seeds", "[cli]") {
  const Shell shell;
  const std::vector<std::string> words{
      "compare",  "line", "--vary",  "lr=0.1,0.01", "--vary",       "optimizer=sgd,adam",
      "--epochs", "2",    "--seeds", "1,2",         "--train-size", "0.5,1"};
  const Result result = shell.call(words);
  INFO(result.err);
  REQUIRE(result.code == 0);
  const auto table = lines_of(result.out);
  REQUIRE(table.size() == 9);
  CHECK_THAT(table[0], Contains("runs") && Contains("error") && Contains("parameters") && Contains("MB"));
  CHECK_THAT(table[1], StartsWith("lr=0.1,optimizer=sgd,train-size=0.5  "));
  CHECK_THAT(table[8], StartsWith("lr=0.01,optimizer=adam,train-size=1 "));
  const std::string folder = "runs/compare-line/";
  const auto csv = lines_of(content(shell.folder / (folder + "results.csv")));
  CHECK(csv.size() == 17);
  CHECK_THAT(csv[0], StartsWith("lr,optimizer,train-size,seed,parameters,seconds,peak_bytes,error,root"));
  // Mean and deviation of two.
  const std::string run = folder + "lr=0.01,optimizer=adam,train-size=1,seed=";
  const double a = error_of(shell, run + "1"), b = error_of(shell, run + "2");
  std::istringstream numbers(table[8]);
  std::string name, sign;
  double runs = 0, mean = 0, spread = 0;
  numbers >> name >> runs >> mean >> sign >> spread;
  CHECK(runs == 2);
  CHECK(mean == Approx((a + b) / 2).margin(spread / 20));  // rounded where two digits of the deviation end
  CHECK(sign == "±");
  CHECK(spread == Approx(std::abs(a - b) / std::sqrt(2)).epsilon(0.1));
  // Each is the training that one would make by hand.
  REQUIRE(shell
              .call({"train", "line", "--lr", "0.01", "--optimizer", "adam", "--epochs", "2", "--seed", "2",
                     "--out", "hand"})
              .code == 0);
  CHECK(error_of(shell, "hand") == b);
  // Called again it has nothing left to do; with more seeds it makes what is new.
  const auto before = std::filesystem::last_write_time(shell.folder / (run + "1") / "result.json");
  CHECK(shell.call(words).out == result.out);
  auto more = words;
  more[9] = "1,2,3";
  CHECK(lines_of(shell.call(more).out).size() == 9);
  CHECK(std::filesystem::last_write_time(shell.folder / (run + "1") / "result.json") == before);
  CHECK(std::filesystem::exists(shell.folder / (run + "3") / "result.json"));
  auto other = words;
  other[7] = "3";
  const Result refused = shell.call(other);
  CHECK(refused.code == 2);
  CHECK_THAT(refused.err, Contains("other settings") && Contains("--out"));
}

TEST_CASE("a result is used again only for what it was measured of", "[cli]") {
  const Shell shell;
  write(shell.folder / "c.toml", "lr = 0.01\n");
  const std::vector<std::string> words{"compare", "line", "--config", "c.toml",
                                       "--steps", "9",    "--out",    "all"};
  REQUIRE(shell.call(words).code == 0);
  write(shell.folder / "c.toml", "lr = 0.1\n");
  const Result edited = shell.call(words);
  CHECK(edited.code == 2);
  CHECK_THAT(edited.err, Contains("other files"));
  // Names that differ have folders that differ, however long or strange they are.
  const std::string name(300, 'x');
  const Result odd =
      shell.call({"compare", "line", "--vary", "data=a/b,a%b,a%2Fb," + name + "1," + name + "2", "--steps",
                  "2", "--out", "odd"});
  INFO(odd.err);
  CHECK(odd.code == 0);
  std::size_t runs = 0;
  for (const auto& entry : std::filesystem::directory_iterator(shell.folder / "odd"))
    runs += entry.is_directory();
  CHECK(runs == 5);
}

TEST_CASE("a comparison that was stopped goes on where it was", "[cli]") {
  const Shell shell;
  const std::vector<std::string> words{"compare", "line",         "--vary", "lr=0.1,0.01", "--steps",
                                       "60000",   "--eval-every", "2000",   "--out",       "all"};
  const pid_t child = shell.start(words);
  const auto last = shell.folder / "all/lr=0.1,seed=1/checkpoints/last.fovea";
  for (int i = 0; i < 2000 && !std::filesystem::exists(last); ++i)
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  ::kill(child, SIGINT);
  const Result stopped = shell.finish(child);
  CHECK(stopped.code == 130);
  CHECK_THAT(stopped.err, Contains("go on with: fovea compare line"));
  REQUIRE(std::filesystem::exists(last));
  CHECK(!std::filesystem::exists(shell.folder / "all/lr=0.1,seed=1/result.json"));
  CHECK(shell.call(words).code == 0);
  CHECK_THAT(content(shell.folder / "all/lr=0.1,seed=1.log"), Contains("resuming all/lr=0.1,seed=1 at step"));
  REQUIRE(
      shell
          .call({"train", "line", "--lr", "0.1", "--steps", "60000", "--eval-every", "2000", "--out", "hand"})
          .code == 0);
  CHECK(error_of(shell, "all/lr=0.1,seed=1") == error_of(shell, "hand"));
}

TEST_CASE("what cannot be compared is refused, and what diverges is told", "[cli]") {
  const Shell shell;
  const auto refused = [&](const std::vector<std::string>& more, int code, const std::string& text) {
    std::vector<std::string> words{"compare", "line", "--steps", "3"};
    words.insert(words.end(), more.begin(), more.end());
    const Result result = shell.call(words);
    INFO(result.err);
    CHECK(result.code == code);
    CHECK_THAT(result.err, Contains(text));
    CHECK(!std::filesystem::exists(shell.folder / "runs"));
  };
  refused({"--vary", "lr"}, 2, "setting=value,value");
  refused({"--vary", "lr=1,1"}, 2, "twice");
  refused({"--vary", "lr=fast"}, 2, "--lr");
  refused({"--vary", "rl=1"}, 2, "rl");
  refused({"--vary", "seed=1"}, 2, "--seeds");
  refused({"--seed", "1"}, 2, "--seed");
  refused({"--seeds", "1,1"}, 2, "twice");
  refused({"--seeds", "1,a"}, 2, "--seed");
  refused({"--train-size", "0.5,2"}, 2, "--train-size");
  refused({"--train-size", "1,1"}, 2, "twice");
  refused({"--vary", "lr=1", "--vary", "lr=2"}, 2, "twice");
  refused({"--vary", "lr=1", "--lr", "2"}, 2, "given by --lr");
  refused({"--vary", "lr-floor=0.1", "--schedule", "constant"}, 2, "--lr-floor");
  const Result broken = shell.call({"compare", "line", "--data", "broken", "--out", "broken"});
  CHECK(broken.code == 3);
  CHECK_THAT(broken.err, Contains("broken:1:2: no number"));
  // With that mended the folder is free for it.
  CHECK(shell.call({"compare", "line", "--steps", "2", "--out", "broken"}).code == 0);
  const Result diverged = shell.call({"compare", "line", "--vary", "lr=1e30,0.01", "--vary", "optimizer=sgd",
                                      "--clip-norm", "0", "--steps", "9", "--out", "far"});
  CHECK(diverged.code == 0);
  CHECK_THAT(lines_of(diverged.out)[1], Contains("1 (1 diverged)") && Contains(" – "));
  CHECK_THAT(lines_of(diverged.out)[2], Contains("lr=0.01"));
  CHECK_THAT(diverged.err, Contains("try a lower --lr"));
}
