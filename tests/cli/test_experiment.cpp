#include <catch2/catch.hpp>

#include "cli/call.hpp"

// Experiments, with made-up ones in place of those that measure anything.

using namespace fovea;
using Catch::Contains;
namespace fs = std::filesystem;

TEST_CASE("an experiment prints a table and writes figures, plot and page", "[cli]") {
  const Shell shell;
  const std::vector<std::string> words{"experiment", "rates",     "--quick", "--out",
                                       "own folder", "--threads", "2"};
  const Result result = shell.call(words);
  INFO(result.err);
  REQUIRE(result.code == 0);
  CHECK_THAT(result.out, Contains("rate  ") && Contains("±") && Contains("diverged") &&
                             Contains("\"a higher rate learns more\": "));
  CHECK_THAT(result.err, Contains("1 of 6: line,lr=0.01") && Contains("6 of 6: ") &&
                             Contains("written: own folder/rates.md"));
  const auto file = [&](const std::string& name) { return content(shell.folder / ("own folder/" + name)); };
  CHECK_THAT(file("rates.csv"), Contains("# command: fovea experiment rates --quick\n") &&
                                    Contains("\nrates,0.01,error,1,") &&
                                    Contains("\nrates,1e30,error,2,nan\n"));
  CHECK_THAT(file("rates.md"), Contains("# rates: which rate is best?") &&
                                   Contains("![which rate is best?](rates.svg)") &&
                                   Contains("| 1e30 | diverged |") && Contains("threads: 2"));
  CHECK_THAT(file("rates.svg"), Contains("<svg"));
  CHECK_THAT(file("README.md"), Contains("[rates](rates.md)") && !Contains("broken"));
  // Called again, nothing is trained that has a result.
  const fs::path run =
      shell.folder / "own folder/line,lr=0.01,optimizer=sgd,clip-norm=0,steps=9,eval-every=0,seed=1";
  REQUIRE(fs::exists(run / "result.json"));
  const auto before = fs::last_write_time(run / "result.json");
  const Result again = shell.call(words);
  CHECK(again.out == result.out);
  CHECK(fs::last_write_time(run / "result.json") == before);
  // The number of threads changes how many trainings run at once, and no figure.
  CHECK(shell.call({"experiment", "rates", "--quick", "--out", "other", "--threads", "1"}).out == result.out);
  const Result refused = shell.call({"experiment", "rates", "--out", "own folder"});
  CHECK(refused.code == 2);
  CHECK_THAT(refused.err, Contains("other settings") && Contains("--out"));
}

TEST_CASE("a page is told again from its figures", "[cli]") {
  const Shell shell;
  REQUIRE(shell.call({"experiment", "rates", "--quick", "--out", "a", "--seeds", "3,4,5"}).code == 0);
  const Result again = shell.call({"experiment", "rates", "--from", "a/rates.csv", "--pages", "b"});
  INFO(again.err);
  REQUIRE(again.code == 0);
  for (const char* name : {"rates.csv", "rates.svg", "rates.md", "README.md"})
    CHECK(content(shell.folder / "a" / name) == content(shell.folder / "b" / name));
  CHECK_THAT(content(shell.folder / "b/rates.md"), Contains("--seeds 3,4,5"));
  write(shell.folder / "cut.csv",
        "# command: fovea experiment rates\ntable,row,column,seed,value\nrates,0.01\n");
  const Result broken = shell.call({"experiment", "rates", "--from", "cut.csv", "--pages", "c"});
  CHECK(broken.code == 3);
  CHECK_THAT(broken.err, Contains("cut.csv:3: expected 5 fields"));
  CHECK_FALSE(fs::exists(shell.folder / "c"));
}

TEST_CASE("what others wrote is not replaced", "[cli]") {
  const Shell shell;
  fs::create_directories(shell.folder / "own");
  write(shell.folder / "own/rates.md", "my notes");
  const Result refused = shell.call({"experiment", "rates", "--quick", "--out", "o", "--pages", "own"});
  CHECK(refused.code == 2);
  CHECK_THAT(refused.err, Contains("own/rates.md was not written by this experiment"));
  CHECK_FALSE(fs::exists(shell.folder / "o"));  // before anything is trained
  fs::remove(shell.folder / "own/rates.md");
  write(shell.folder / "own/README.md", "my project");
  const Result beside = shell.call({"experiment", "rates", "--quick", "--out", "o", "--pages", "own"});
  CHECK(beside.code == 0);
  CHECK_THAT(beside.err, Contains("own/README.md is not of experiments"));
  CHECK(content(shell.folder / "own/README.md") == "my project");
  // A folder of pages that is none is told before, too.
  write(shell.folder / "file", "");
  CHECK(shell.call({"experiment", "rates", "--quick", "--out", "p", "--pages", "file"}).code == 1);
  CHECK_FALSE(fs::exists(shell.folder / "p"));
  // Figures of another experiment make no page.
  const Result other = shell.call({"experiment", "broken", "--from", "own/rates.csv"});
  CHECK(other.code == 3);
  CHECK_THAT(other.err, Contains("fovea experiment broken"));
}

TEST_CASE("a clone keeps its pages, and rehearsals stay out of them", "[cli]") {
  const Shell shell;
  const fs::path pages = shell.folder / "docs/experiments";
  fs::create_directories(pages);
  write(shell.folder / "numbers.txt", "1\n");
  REQUIRE(shell.call({"experiment", "rates", "--quick"}).code == 0);
  CHECK(fs::is_empty(pages));
  CHECK(fs::exists(shell.folder / "runs/experiment-rates-quick/rates.md"));
  const Result result =
      shell.call({"experiment", "rates", "--seeds", "1", "--out", "real", "--numbers", "numbers.txt"});
  INFO(result.err);
  REQUIRE(result.code == 0);
  CHECK(content(shell.folder / "real/rates.csv") == content(pages / "rates.csv"));
  // Not the folders of this machine.
  CHECK_THAT(content(pages / "rates.md"),
             Contains("fovea experiment rates --seeds 1 --numbers numbers.txt\n"));
  CHECK_THAT(content(pages / "rates.md"), Contains("own numbers"));
}

TEST_CASE("an experiment that was stopped goes on where it was", "[cli]") {
  const Shell shell;
  const std::vector<std::string> words{"experiment", "rates", "--out", "all", "--threads", "2"};
  const pid_t child = shell.start(words);
  const fs::path run =
      shell.folder / "all/line,lr=0.01,optimizer=sgd,clip-norm=0,steps=30000,eval-every=2000,seed=1";
  REQUIRE(wait_for(run / "checkpoints/last.fovea"));
  ::kill(child, SIGINT);
  const Result stopped = shell.finish(child);
  CHECK(stopped.code == 130);
  CHECK_THAT(stopped.err, Contains("go on with: fovea experiment rates --out all"));
  CHECK_FALSE(fs::exists(run / "result.json"));
  CHECK_FALSE(fs::exists(shell.folder / "all/rates.md"));
  const Result went_on = shell.call(words);
  INFO(went_on.err);
  REQUIRE(went_on.code == 0);
  CHECK_THAT(content(run.string() + ".log"), Contains("resuming "));
  CHECK(shell.call({"experiment", "rates", "--out", "at once"}).out == went_on.out);
}

TEST_CASE("an experiment that cannot be made is refused", "[cli]") {
  const Shell shell;
  const auto refused = [&](const std::vector<std::string>& more, int code, const std::string& text) {
    std::vector<std::string> words{"experiment"};
    words.insert(words.end(), more.begin(), more.end());
    const Result result = shell.call(words);
    INFO(result.err);
    CHECK(result.code == code);
    CHECK_THAT(result.err, Contains(text));
  };
  refused({}, 2, "experiment what? Choose one of rates, broken, all");
  refused({"rate"}, 2, "rates");
  refused({"rates", "--numbers", "nowhere.txt"}, 2, "[--numbers] there is no file nowhere.txt");
  for (const char* seed : {"one", "-1", "", "1,,2", "99999999999999999999999"})
    refused({"rates", "--seeds", seed}, 2, "--seeds");
  refused({"rates", "--threads", "5000"}, 2, "--threads");
  for (const char* empty : {"--from", "--out", "--pages"}) refused({"rates", empty, ""}, 2, "is empty");
  refused({"rates", "--from", "a.csv", "--quick"}, 2, "--quick");
  refused({"rates", "--seeds", "1,1"}, 2, "twice");
  refused({"broken", "--out", "b"}, 3, "broken:1:2: no number");
  CHECK_FALSE(fs::exists(shell.folder / "b/broken.md"));
}

TEST_CASE("all experiments are made one after the other, until one fails", "[cli]") {
  const Shell shell;
  write(shell.folder / "numbers.txt", "1\n");
  const Result result = shell.call({"experiment", "all", "--quick", "--out", "own folder", "--pages", "pages",
                                    "--numbers", "numbers.txt", "--seeds", "5,6", "--threads", "2"});
  INFO(result.err);
  CHECK(result.code == 3);
  CHECK_THAT(result.out, Contains("\"a higher rate learns more\": ") && Contains("own numbers"));
  CHECK_THAT(result.err, Contains("rates: which rate is best?") && Contains("broken: does it work?") &&
                             Contains("broken:1:2: no number"));
  // Each in a folder of its own within --out; the pages side by side.
  CHECK(fs::exists(shell.folder /
                   "own folder/rates/"
                   "line,lr=0.01,optimizer=sgd,clip-norm=0,steps=9,eval-every=0,seed=5/result.json"));
  CHECK(fs::is_directory(shell.folder / "own folder/broken"));
  const std::string page = content(shell.folder / "pages/rates.md");
  CHECK_THAT(page, Contains("fovea experiment rates --quick --seeds 5,6 --numbers numbers.txt\n") &&
                       Contains("own numbers"));
  CHECK_THAT(page, Contains("threads: 2"));
  CHECK_THAT(content(shell.folder / "pages/README.md"), Contains("[rates](rates.md)"));
  CHECK_FALSE(fs::exists(shell.folder / "pages/broken.md"));
  // By itself it is the same.
  CHECK(shell
            .call({"experiment", "rates", "--quick", "--out", "alone", "--numbers", "numbers.txt", "--seeds",
                   "5,6", "--threads", "2"})
            .out == result.out);
}

TEST_CASE("all experiments are stopped together", "[cli]") {
  const Shell shell;
  const pid_t child = shell.start({"experiment", "all", "--out", "all", "--threads", "2"});
  REQUIRE(wait_for(shell.folder / "all/rates/line,lr=0.01,optimizer=sgd,clip-norm=0,steps=30000,"
                                  "eval-every=2000,seed=1/checkpoints/last.fovea"));
  ::kill(child, SIGINT);
  const Result stopped = shell.finish(child);
  INFO(stopped.err);
  CHECK(stopped.code == 130);
  CHECK_THAT(stopped.err, Contains("go on with: fovea experiment all --out all --threads 2\n"));
  CHECK_THAT(stopped.err, !Contains("broken"));
  CHECK_FALSE(fs::exists(shell.folder / "all/broken"));
  CHECK_FALSE(fs::exists(shell.folder / "all/rates/rates.md"));
}
