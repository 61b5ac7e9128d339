#include <catch2/catch.hpp>

#include "cli/call.hpp"

using namespace fovea;
using Catch::Contains;

TEST_CASE("a resumed run is shown to be the uninterrupted one", "[cli]") {
  const Shell shell;
  const Result result =
      shell.call({"verify-resume", "line", "--steps", "12", "--eval-every", "5", "--out", "both"});
  CHECK(result.code == 0);
  CHECK_THAT(result.out, Contains("last.fovea: all") && Contains("best.fovea: all") &&
                             Contains("12 steps, stopped at 4, 8:"));
  CHECK_THAT(
      content(shell.folder / "both/interrupted/train.log"),
      Contains("resuming both/interrupted at step 4") && Contains("resuming both/interrupted at step 8"));
}

TEST_CASE("stops come in the middle of an epoch and of a window of accumulation", "[cli]") {
  const Shell shell;
  const std::vector<std::string> words{"verify-resume", "line", "--steps", "9",
                                       "--accumulate",  "3",    "--out",   "both"};
  const Result usual = shell.call(words);
  CHECK(usual.code == 0);
  CHECK_THAT(usual.out, Contains("stopped at 2:2, 5:2:"));
  std::vector<std::string> chosen{words};
  chosen.back() = "others";
  chosen.insert(chosen.end(), {"--interrupt-at", "1:1,2:3,4:1"});  // an epoch has 7 batches: 3, 3 and 1
  CHECK(shell.call(chosen).code == 0);
}

TEST_CASE("what a checkpoint does not hold is noticed when a run is resumed", "[cli]") {
  const Shell shell;
  const Result result =
      shell.call({"verify-resume", "line", "--forgetful", "--steps", "12", "--out", "both"});
  CHECK(result.code == 1);
  CHECK_THAT(result.out, Contains("entries differ: ") && Contains("param/out") &&
                             Contains("is NOT the uninterrupted one"));
}

TEST_CASE("stops that never come are not passed over", "[cli]") {
  const Shell shell;
  for (const char* at : {"40", "3:2"}) {
    const Result result =
        shell.call({"verify-resume", "line", "--steps", "12", "--out", at, "--interrupt-at", at});
    CHECK(result.code == 2);
    CHECK_THAT(result.err, Contains("stops were asked for"));
  }
  const Result result = shell.call({"train", "line", "--interrupt-at", "0"});
  CHECK(result.code == 2);
  CHECK(result.one_line());
  CHECK_THAT(result.err, Contains("expected STEP or STEP:BATCH, counted from 1"));
}

TEST_CASE("what cannot be verified is refused before anything is trained, and leaves nothing", "[cli]") {
  const Shell shell;
  write(shell.folder / "own.toml", "interrupt-at = [\"3\"]\n");
  const std::vector<std::pair<std::vector<std::string>, std::string>> wrong{
      {{"--interrupt-at", "4,4"}, "step 4 is named twice"},
      {{"--interrupt-at", "2:1,2:2", "--accumulate", "3"}, "step 2 is named twice"},
      {{"--interrupt-at", "x"}, "expected STEP or STEP:BATCH"},
      {{"--config", "own.toml"}, "own.toml has interrupt-at"},
  };
  for (const auto& [words, why] : wrong) {
    std::vector<std::string> call{"verify-resume", "line", "--steps", "12", "--out", "both"};
    call.insert(call.end(), words.begin(), words.end());
    const Result result = shell.call(call);
    CHECK(result.code == 2);
    CHECK(result.one_line());
    CHECK_THAT(result.err, Contains(why));
    CHECK(!std::filesystem::exists(shell.folder / "both"));
  }
}

TEST_CASE("steps that are left out do not hide the stops", "[cli]") {
  const Shell shell;
  const Result result = shell.call({"verify-resume", "line", "--steps", "12", "--lr", "1e30", "--clip-norm",
                                    "0", "--accumulate", "2", "--on-nonfinite", "skip:30"});
  CHECK(result.code == 0);
  CHECK_THAT(result.out, Contains("bit for bit"));
}

TEST_CASE("verifying that is stopped says so by its code", "[cli]") {
  const Shell shell;
  const pid_t child =
      shell.start({"verify-resume", "line", "--steps", "100000000", "--save-every", "1", "--out", "both"});
  REQUIRE(wait_for(shell.folder / "both/whole/checkpoints/last.fovea"));
  ::kill(child, SIGTERM);
  CHECK(shell.finish(child).code == 128 + SIGTERM);
}
