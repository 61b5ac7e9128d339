#include <algorithm>

#include <catch2/catch.hpp>

#include "cli/call.hpp"
#include "training/run.hpp"

using namespace fovea;
using Catch::Contains;
namespace fs = std::filesystem;

// The checkpoints of a run, and which of them it goes on from. Cases lightning#688, metaseq#53.

TEST_CASE("a run whose last checkpoint is damaged goes on from the one before, or else the best, and says so",
          "[cli]") {
  const Shell shell;
  const std::vector<std::string> resume{"train", "line", "--resume", "--out", "run"};
  const fs::path last = Run::last_of(shell.folder / "run"),
                 before = shell.folder / "run/checkpoints/step-21.fovea",
                 best = Run::best_of(shell.folder / "run");
  REQUIRE(shell.call({"train", "line", "--out", "run"}).code == 0);
  const std::string whole = content(last);
  write(last, "damaged");
  write(best, "damaged");
  const Result second = shell.call(resume);
  CHECK(second.code == 0);
  CHECK_THAT(second.err, Contains("last.fovea: it is not a .fovea file") &&
                             Contains("going on from run/checkpoints/step-21.fovea"));
  CHECK(content(last) == whole);
  CHECK_THAT(content(shell.folder / "run/train.log"), Contains("it is not a .fovea file"));
  write(last, whole.substr(0, whole.size() / 2));
  write(before, "damaged");
  const Result third = shell.call(resume);
  CHECK(third.code == 0);
  CHECK_THAT(third.err,
             Contains("step-21.fovea: it is not") && Contains("going on from run/checkpoints/best.fovea"));
  CHECK(content(last) == whole);
  for (const fs::path& file : {last, before, best}) write(file, "damaged");
  const Result none = shell.call(resume);
  CHECK(none.code == 4);
  CHECK(none.one_line());
  for (const fs::path& file : {last, before, best}) CHECK(content(file) == "damaged");
}

TEST_CASE("as many of the last saves are kept as one asks for", "[cli]") {
  const Shell shell;
  const auto kept = [&] {
    std::vector<std::string> names;
    for (const auto& entry : fs::directory_iterator(shell.folder / "run/checkpoints"))
      names.push_back(entry.path().filename().string());
    std::sort(names.begin(), names.end());
    return names;
  };
  using Names = std::vector<std::string>;
  REQUIRE(shell.call({"train", "line", "--steps", "10", "--save-every", "2", "--keep", "3", "--out", "run"})
              .code == 0);
  CHECK(kept() == Names{"best.fovea", "last.fovea", "step-6.fovea", "step-8.fovea"});
  CHECK(read_checkpoint(shell.folder / "run/checkpoints/step-8.fovea").position.step == 8);
  write(shell.folder / "run/checkpoints/step-9.fovea.tmp", "a save that was killed");
  write(shell.folder / "run/checkpoints/step-9.fovea.123.tmp", "of a process");
  write(shell.folder / "run/metrics.csv.123.tmp", "and another");
  write(shell.folder / "run/checkpoints/step-mine.fovea", "of somebody");
  REQUIRE(shell.call({"train", "line", "--resume", "--steps", "14", "--keep", "2", "--out", "run"}).code ==
          0);
  CHECK(kept() == Names{"best.fovea", "last.fovea", "step-12.fovea", "step-mine.fovea"});
  CHECK(!has_temporary(shell.folder / "run"));
  REQUIRE(shell.call({"train", "line", "--steps", "4", "--keep", "1", "--overwrite", "--out", "run"}).code ==
          0);
  CHECK(kept() == Names{"best.fovea", "last.fovea", "step-mine.fovea"});
}

TEST_CASE("a file that is not damaged is never replaced for want of reading it", "[cli]") {
  const Shell shell;
  REQUIRE(shell.call({"train", "line", "--out", "run"}).code == 0);
  const fs::path last = Run::last_of(shell.folder / "run");
  std::string newer = content(last);
  newer[8] = 9;  // its version
  write(last, newer);
  const Result result = shell.call({"train", "line", "--resume", "--steps", "40", "--out", "run"});
  CHECK(result.code == 4);
  CHECK_THAT(result.err, Contains("file is version 9") && Contains("use a newer fovea"));
  CHECK(content(last) == newer);
}

TEST_CASE("a last checkpoint that vanishes in a run does not end it", "[cli]") {
  const Shell shell;
  const pid_t child =
      shell.start({"train", "line", "--steps", "100000000", "--save-every", "1", "--out", "run"});
  const fs::path last = Run::last_of(shell.folder / "run");
  REQUIRE(wait_for(last));
  fs::remove(last);
  CHECK(wait_for(last));
  ::kill(child, SIGINT);
  CHECK(shell.finish(child).code == 130);
}

TEST_CASE("the newest whole checkpoint is gone on from, also when it is the best one", "[cli]") {
  const Shell shell;
  const std::vector<std::string> train{"train", "line",         "--steps", "19",    "--eval-every",
                                       "3",     "--save-every", "10",      "--out", "run"};
  REQUIRE(shell.call(train).code == 0);  // saves 10 and 19; the best is of step 18
  write(Run::last_of(shell.folder / "run"), "damaged");
  const Result result = shell.call({"train", "line", "--resume", "--out", "run"});
  CHECK(result.code == 0);
  CHECK_THAT(result.err, Contains("going on from run/checkpoints/best.fovea") && Contains("at step 18"));
}

TEST_CASE("a best model that is lost, or of a step to come, is told of and chosen anew", "[cli]") {
  const Shell shell;
  const fs::path best = Run::best_of(shell.folder / "run"), last = Run::last_of(shell.folder / "run");
  const std::vector<std::string> resume{"train", "line", "--resume", "--steps", "16", "--out", "run"};
  REQUIRE(shell
              .call({"train", "line", "--steps", "12", "--eval-every", "4", "--save-every", "10", "--keep",
                     "3", "--out", "run"})
              .code == 0);
  const std::string of_twelve = content(best);

  fs::remove(best);
  const Result lost = shell.call(resume);
  CHECK(lost.code == 0);
  CHECK_THAT(lost.err, Contains("best.fovea is not there, where the best model so far is of step 12") &&
                           Contains("chosen anew") && Contains("the best model is of step 16"));
  CHECK(fs::exists(best));

  // From step 10, whose best one was of step 8.
  fs::copy_file(shell.folder / "run/checkpoints/step-10.fovea", last, fs::copy_options::overwrite_existing);
  write(best, of_twelve);
  const Result to_come = shell.call({"train", "line", "--resume", "--steps", "11", "--out", "run"});
  CHECK(to_come.code == 0);
  CHECK_THAT(to_come.err, Contains("best.fovea is of step 12, where the best model so far is of step 8"));
}
