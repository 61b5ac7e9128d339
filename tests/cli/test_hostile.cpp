#include <catch2/catch.hpp>

#include "cli/call.hpp"
#include "training/checkpoint_file.hpp"
#include "training/file.hpp"

// Small files that claim to hold large models.

using namespace fovea;
using Catch::Contains;

namespace {

constexpr std::size_t enough = std::size_t{1} << 30;  // bytes: far below what the claims would take

struct Claim {
  std::string task;
  std::vector<std::string> settings;  // of the small model that is trained
  std::string was, claimed;           // a line of the config
  std::string line;                   // that `predict` is asked
};

// A checkpoint as `train` writes it but for one line of its config.
void rewrite(const std::filesystem::path& path, const std::string& was, const std::string& claimed) {
  Checkpoint from = read_checkpoint(path);
  std::string& config = from.label.config;
  const std::size_t at = config.find(was + "\n");
  REQUIRE(at != config.npos);
  config.replace(at, was.size(), claimed);
  Entries numbers;
  for (const char* prefix : {"state/", "param/", "buffer/", "optimizer/"})
    numbers.add_under(prefix, from.entries.under(prefix));
  write_checkpoint(path, from.label, from.position, numbers);
}

}  // namespace

TEST_CASE("a small file that asks for a huge model is refused before it takes memory", "[cli]") {
  const std::vector<std::string> pairs{"--data", "pairs.tsv"};
  const std::vector<std::string> table{"--data", "table.csv", "--time", "day",       "--target",
                                       "x",      "--history", "4",      "--horizon", "1"};
  const auto with = [](std::vector<std::string> words, const std::vector<std::string>& more) {
    words.insert(words.end(), more.begin(), more.end());
    return words;
  };
  const std::vector<std::string> transformer{"--model", "transformer", "--width", "224",      "--heads",
                                             "2",       "--inner",     "16",      "--layers", "1"};
  const Claim claim = GENERATE_COPY(values<Claim>(
      {{"seq2seq", with(pairs, {"--width", "8", "--layers", "1"}), "width = 8", "width = 65536", "ab"},
       {"seq2seq", with(pairs, transformer), "layers = 1", "layers = 100", "ab"},
       {"seq2seq", with(pairs, transformer), "inner = 16", "inner = 1048576", "ab"},
       {"copy",
        {"--width", "8", "--layers", "1", "--sequences", "20", "--longest", "8"},
        "width = 8",
        "width = 65536",
        "ab"},
       {"classify", with(pairs, {"--width", "8", "--tokens", "letters"}), "width = 8", "width = 65536", "ab"},
       {"forecast", with(table, {"--model", "lstm", "--width", "8", "--layers", "1"}), "width = 8",
        "width = 65536", ""}}));
  const Shell shell;
  std::string text, rows = "day,x\n";
  for (const std::string word : {"a", "ab", "ba", "b", "aab", "bba", "abab", "bab"})
    text += word + "\t" + word + "x\n";
  write(shell.folder / "pairs.tsv", text);
  for (int day = 1; day <= 28; ++day)
    rows += "2023-02-" + std::string(day < 10 ? "0" : "") + std::to_string(day) + "," +
            std::to_string(day % 7) + "\n";
  write(shell.folder / "table.csv", rows);
  const Result trained = shell.call(
      with({"train", claim.task, "--steps", "1", "--batch-size", "4", "--out", "run"}, claim.settings));
  INFO(claim.task << ", " << claim.claimed << "\n" << trained.err);
  REQUIRE(trained.code == 0);
  const std::string last = "run/checkpoints/last.fovea";
  rewrite(shell.folder / last, claim.was, claim.claimed);
  CHECK(shell.call({"inspect", last}).code == 0);
  for (const std::string command : {"predict", "evaluate"}) {
    const Result result = shell.call({command, last}, claim.line + "\n");
    INFO(command << ": " << result.err);
    CHECK(result.code == 4);
    CHECK(result.one_line());
    CHECK_THAT(result.err, Contains("last.fovea: its config asks for a model that is much larger than the "));
    CHECK(result.peak_bytes < enough);
  }
}
