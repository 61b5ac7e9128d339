#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "cli/call.hpp"
#include "training/checkpoint_file.hpp"
#include "training/run.hpp"

using namespace fovea;
using Catch::Contains;

// A new run that starts from the parameters of another one.

namespace {

// One step with a rate that changes nothing that anybody could see.
const std::vector<std::string> still{
    "train", "line",   "--steps", "1",           "--lr",
    "1e-30", "--seed", "2",       "--init-from", "first/checkpoints/last.fovea",
    "--out"};

std::vector<std::string> still_to(const std::string& out, const std::vector<std::string>& more = {}) {
  std::vector<std::string> words = still;
  words.push_back(out);
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

std::string sum_of(const Shell& shell, const std::string& run, const std::string& name) {
  return checksum(read_checkpoint(Run::last_of(shell.folder / run)).entries.at(name));
}

}  // namespace

TEST_CASE("a run starts from the parameters of another, all or some", "[cli]") {
  const Shell shell;
  REQUIRE(shell.call({"train", "line", "--steps", "9", "--out", "first"}).code == 0);
  const Result all = shell.call(still_to("all"));
  CHECK(all.code == 0);
  CHECK_THAT(all.err, Contains("starting from first/checkpoints/last.fovea (line, step 9): 4 of 4 arrays") &&
                          !Contains("is not that of this training"));
  for (const char* name : {"param/hidden", "param/bias", "param/out", "buffer/scale"})
    CHECK(sum_of(shell, "all", name) == sum_of(shell, "first", name));
  CHECK(read_checkpoint(Run::last_of(shell.folder / "all")).position.step == 1);

  const Result some = shell.call(still_to("some", {"--match", "hid*,bias"}));
  CHECK(some.code == 0);
  CHECK_THAT(some.err, Contains("2 of 4 arrays"));
  CHECK(sum_of(shell, "some", "param/hidden") == sum_of(shell, "first", "param/hidden"));
  CHECK(sum_of(shell, "some", "param/out") != sum_of(shell, "first", "param/out"));

  // Resumed, it goes on from where it was, not from where it started.
  std::filesystem::remove_all(shell.folder / "first");
  CHECK(shell.call({"train", "line", "--resume", "--steps", "2", "--out", "all"}).code == 0);
}

TEST_CASE("a start that does not fit is refused before anything is written", "[cli]") {
  const Shell shell;
  REQUIRE(shell.call({"train", "line", "--steps", "2", "--out", "first"}).code == 0);
  const auto refused = [&](const std::vector<std::string>& words, int code, const std::string& why) {
    const Result result = shell.call(words);
    CHECK(result.code == code);
    CHECK(result.one_line());
    CHECK_THAT(result.err, Contains(why));
    CHECK(!std::filesystem::exists(shell.folder / "other"));
  };
  refused(still_to("other", {"--match", "hidden,decoder.*"}), 2, "\"decoder.*\" fits no path of the model");
  refused({"train", "line", "--match", "hidden", "--out", "other"}, 2, "name a checkpoint there");
  refused({"train", "line", "--init-from", "nowhere.fovea", "--out", "other"}, 4, "nowhere.fovea");
  refused({"train", "copy", "--init-from", "first/checkpoints/last.fovea", "--out", "other"}, 4,
          "it does not fit the model; missing: ");
}

TEST_CASE("words that mean something else are told of", "[cli]") {
  const Shell shell;
  std::string first, second;
  for (const char* word : {"ab\tcd", "bc\tde", "ca\ted", "bb\tcc"}) first += std::string(word) + "\n";
  for (const char* word : {"xy\tuv", "yz\tvw", "zx\twu", "yy\tvv"}) second += std::string(word) + "\n";
  write(shell.folder / "first.tsv", first);
  write(shell.folder / "second.tsv", second);
  const std::vector<std::string> words{"train", "seq2seq", "--steps", "1", "--width", "8", "--data"};
  const auto trained = [&](const std::vector<std::string>& more) {
    std::vector<std::string> call = words;
    call.insert(call.end(), more.begin(), more.end());
    return shell.call(call);
  };
  const Result made = trained({"first.tsv", "--out", "first"});
  REQUIRE(made.code == 0);
  const Result result =
      trained({"second.tsv", "--out", "second", "--init-from", "first/checkpoints/last.fovea"});
  CHECK(result.code == 0);
  CHECK_THAT(result.err, Contains("is not that of this training"));
}
