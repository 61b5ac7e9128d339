#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "cli/call.hpp"
#include "modules/attention/settings.hpp"
#include "training/rows.hpp"

// Pairs of one's own, from a file to answers.

using namespace fovea;
using Catch::Contains;
using Catch::StartsWith;
using Json = nlohmann::json;

namespace {

// Hangul syllables to letters: enough to see that nothing is cut inside a character.
const std::string pairs =
    "\xEF\xBB\xBF가\tga\r\n나\tna\n가나\tgana\n나가\tnaga\n나나\tnana\n가가\tgaga\n\n가나가\tganaga";

struct Trained : Shell {
  Trained() {
    write(folder / "pairs.tsv", pairs);
    write(folder / "dev.tsv", "나가나\tnagana\n");
    const Result result =
        call({"train",    "seq2seq", "--data",       "pairs.tsv", "--dev",     "dev.tsv", "--out",    "run",
              "--steps",  "80",      "--batch-size", "7",         "--width",   "32",      "--layers", "1",
              "--warmup", "5",       "--lr",         "0.01",      "--dropout", "0",       "--beam",   "2"});
    INFO(result.err);
    REQUIRE(result.code == 0);
    CHECK_THAT(result.err, Contains("data: 7 items to train on, 1 to choose the model by, 0 to test with"));
  }
  std::string best = "run/checkpoints/last.fovea";
};

}  // namespace

TEST_CASE("pairs of one's own are learned, and asked in many ways", "[cli]") {
  const Trained shell;
  // A pipe answers line by line, a file many at a time: the same.
  write(shell.folder / "lines", "가나\n나\r\n가가");
  const Result piped = shell.call({"predict", shell.best}, "가나\n나\r\n가가");
  CHECK(piped.code == 0);
  CHECK(piped.out == "가나\tgana\n나\tna\n가가\tgaga\n");
  const Result together = shell.call({"predict", shell.best, "lines", "--speed"});
  CHECK(together.out == piped.out);
  CHECK_THAT(together.err, StartsWith("3 lines in ") && Contains("per second") && Contains("3 at a time"));
  CHECK(shell.call({"predict", shell.best, "lines", "--batch", "2"}).out == piped.out);

  const Result many = shell.call({"predict", shell.best, "--n-best", "2", "--json", "--alignment"}, "가나\n");
  REQUIRE(many.code == 0);
  const Json json = Json::parse(many.out);
  CHECK(json["source_tokens"] == Json::array({"가", "나"}));
  REQUIRE(json["answers"].size() == 2);
  CHECK(json["answers"][0]["text"] == "gana");
  CHECK(json["answers"][0]["score"] > json["answers"][1]["score"]);
  REQUIRE(json["answers"][0]["alignment"].size() == 5);  // four letters and the end
  CHECK(json["answers"][0]["alignment"][0].size() == 2);
  CHECK_THAT(shell.call({"predict", shell.best}, "가b\n").out, StartsWith("가b\t"));
  CHECK_THAT(shell.call({"predict", shell.best, "--json"}, "가b\n").out, Contains("\"unknown\":[\"b\"]"));
}

TEST_CASE("a line that cannot be read is named, and those before it are answered", "[cli]") {
  const Trained shell;
  write(shell.folder / "lines", "가\n\n나\n");
  const Result result = shell.call({"predict", shell.best, "lines"});
  CHECK(result.code == 3);
  CHECK(result.out == "가\tga\n");
  CHECK_THAT(result.err, Contains("lines:2: ") && Contains("empty"));
  const Result broken = shell.call({"predict", shell.best}, "\xff\n");
  CHECK(broken.code == 3);
  CHECK_THAT(broken.err, Contains("standard input:1: ") && Contains("byte 1"));
  const Result pair = shell.call({"predict", shell.best, "pairs.tsv"});
  CHECK(pair.code == 3);
  CHECK_THAT(pair.err, Contains("pairs.tsv:1: ") && Contains("tab"));
}

TEST_CASE("only settings that are for later are taken later", "[cli]") {
  const Trained shell;
  const Result width = shell.call({"predict", shell.best, "--width", "3"}, "가\n");
  CHECK(width.code == 2);
  CHECK_THAT(width.err, Contains("--width"));
  CHECK(shell.call({"evaluate", shell.best, "--split", "validation", "--beam", "3", "--json"}).code == 0);
  const Result wrong = shell.call({"predict", shell.best, "--beam", "0"}, "가\n");
  CHECK(wrong.code == 2);
  CHECK_THAT(wrong.err, Contains("--beam"));
  CHECK_THAT(shell.call({"predict", shell.best, "--n-best", "5"}, "가\n").err,
             Contains("--n-best") && Contains("--beam"));
  // With its own pairs to test it needs no others.
  std::filesystem::remove(shell.folder / "pairs.tsv");
  write(shell.folder / "test.tsv", "가나\tgana\n나\tx\n");
  const Result tested = shell.call({"evaluate", shell.best, "--test", "test.tsv", "--json"});
  CHECK(tested.code == 0);
  CHECK(Json::parse(tested.out)["ser"] == 50);
  REQUIRE(shell.call({"train", "line", "--out", "line", "--epochs", "1"}).code == 0);
  const Result other = shell.call({"predict", "line/checkpoints/best.fovea", "--beam", "3"}, "1\n");
  CHECK(other.code == 2);
  CHECK_THAT(other.err, Contains("--beam") && Contains("line"));
}

TEST_CASE("what was there to train and to test is not needed to answer", "[cli]") {
  const Shell shell;
  write(shell.folder / "pairs.tsv", pairs);
  write(shell.folder / "test.tsv", "나가\tnaga\n");
  REQUIRE(shell
              .call({"train", "seq2seq", "--data", "pairs.tsv", "--dev", "pairs.tsv", "--test", "test.tsv",
                     "--out", "run", "--steps", "1"})
              .code == 3);  // every word is kept to choose by
  REQUIRE(shell
              .call({"train", "seq2seq", "--data", "pairs.tsv", "--test", "test.tsv", "--out", "run",
                     "--steps", "1", "--width", "8"})
              .code == 0);
  const Result less = shell.call({"train", "seq2seq", "--data", "pairs.tsv", "--dev", "test.tsv", "--test",
                                  "test.tsv", "--out", "less", "--steps", "1", "--width", "8"});
  CHECK(less.code == 0);
  CHECK_THAT(less.err, Contains("2 pairs are left out") && Contains("none to choose it by"));
  std::filesystem::remove(shell.folder / "pairs.tsv");
  std::filesystem::remove(shell.folder / "test.tsv");
  CHECK(shell.call({"predict", "run/checkpoints/last.fovea"}, "가\n").code == 0);
}

TEST_CASE("pairs that cannot be read", "[cli]") {
  const Shell shell;
  const auto refused = [&](const std::string& text, int code, const std::string& says) {
    write(shell.folder / "pairs.tsv", text);
    const Result result = shell.call({"train", "seq2seq", "--data", "pairs.tsv", "--out", "run"});
    CAPTURE(text, result.err);
    CHECK(result.code == code);
    CHECK(result.one_line());
    CHECK_THAT(result.err, Contains(says));
    CHECK_FALSE(std::filesystem::exists(shell.folder / "run"));
  };
  refused("ab\n", 3, "pairs.tsv:1:");
  refused("a\tb\nab\tc\td\n", 3, "pairs.tsv:2:");
  refused("a\tb\n\tc\n", 3, "pairs.tsv:2:");
  refused("a\t\xff\n", 3, "pairs.tsv:1:");
  refused("", 3, "pairs.tsv");
  const Result none = shell.call({"train", "seq2seq", "--out", "run"});
  CHECK(none.code == 2);
  CHECK_THAT(none.err, Contains("--data"));
}

TEST_CASE("a preset is overridden by what is given beside it", "[cli]") {
  const Shell shell;
  write(shell.folder / "lexicon", "AB\tAE B\nBA\tB AA\nA\tAH\nB\tB IY\n");
  const auto config_of = [&](std::vector<std::string> words) {
    words.insert(words.begin(),
                 {"train", "g2p", "--data", "lexicon", "--out", "run", "--overwrite", "--steps", "1"});
    const Result result = shell.call(words);
    INFO(result.err);
    REQUIRE(result.code == 0);
    return content(shell.folder / "run/config.toml");
  };
  const std::string quick = config_of({"--layers", "2", "--width", "16"});
  CHECK_THAT(quick, Contains("preset = \"quick\"") && Contains("layers = 2\n") && Contains("width = 16\n"));
  const std::string full = config_of({"--width", "16", "--preset", "full"});
  CHECK_THAT(full, Contains("preset = \"full\"") && Contains("width = 16\n") && Contains("layers = 1\n"));
  const Result wrong = shell.call({"train", "g2p", "--preset", "fast"});
  CHECK(wrong.code == 2);
  CHECK_THAT(wrong.err, Contains("quick") && Contains("full"));
}

TEST_CASE("gradients of every sequence model, from the command line", "[cli]") {
  const Shell shell;
  for (const std::string model : {"lstm", "gru", "transformer"}) {
    for (const std::string& attention : attention_names()) {
      const bool of_heads = attention == "additive" || attention == "dot" || attention == "scaled_dot";
      if (model == "transformer" && !of_heads) continue;
      const Result result = shell.call({"gradcheck", "g2p", "--model", model, "--attention", attention,
                                        "--entropy", "0.1", "--guide", "diagonal:1"});
      CAPTURE(model, attention, result.out, result.err);
      CHECK(result.code == 0);
    }
  }
  const std::vector<std::vector<std::string>> kinds{
      {"--attention", "hybrid", "--hybrid", "gate"},
      {"--model", "gru", "--attention", "hybrid", "--hybrid", "by-dims"},
      {"--normalizer", "sparsemax", "--hops", "2"},
      {"--attention", "cosine", "--normalizer", "top-k:2"},
      {"--value-transform", "--hops", "2"}};
  for (std::vector<std::string> words : kinds) {
    words.insert(words.begin(), {"gradcheck", "g2p", "--entropy", "0.1", "--guide", "diagonal:1"});
    const Result result = shell.call(words);
    CAPTURE(words, result.out, result.err);
    CHECK(result.code == 0);
  }
  const std::vector<std::vector<std::string>> heads_of{
      {"--attention", "linear", "--recompute"},
      {"--attention", "random_features", "--features", "6", "--recompute"},
      {"--attention", "scaled_dot", "--positions", "rotary", "--key-value-heads", "1"},
      {"--head-scores", "scaled_dot,linear,additive,random_features"},
      {"--window", "3", "--pattern-heads", "3", "--key-value-heads", "2"},
      {"--attention", "scaled_dot", "--buckets", "4", "--hashes", "2", "--recompute"},
      {"--stride", "2", "--global", "1", "--buckets", "2"},
      {"--rank", "2", "--recompute"}};
  for (std::vector<std::string> words : heads_of) {
    words.insert(words.begin(), {"gradcheck", "copy", "--model", "transformer"});
    const Result result = shell.call(words);
    CAPTURE(words, result.out, result.err);
    CHECK(result.code == 0);
  }
  // Slots are for sources of some length, and no more than there are tokens.
  const std::vector<std::string> low_rank{"train", "copy", "--model", "transformer", "--steps", "1"};
  const auto with = [&](std::vector<std::string> words) {
    words.insert(words.begin(), low_rank.begin(), low_rank.end());
    return shell.call(words);
  };
  const Result longer = with({"--rank", "4", "--rank-length", "5"});
  CHECK(longer.code == 2);
  CHECK_THAT(longer.err, Contains("--rank-length") && Contains("train with 12 or more"));
  CHECK(with({"--rank", "100"}).code == 2);
  CHECK(with({"--rank-length", "20"}).code == 2);
  CHECK(with({"--hashes", "2"}).code == 2);
  REQUIRE(with({"--rank", "4", "--rank-length", "12", "--out", "slots"}).code == 0);
  const Result asked =
      shell.call({"predict", "slots/checkpoints/best.fovea"}, "a b\na b c d e f g h i j k l m n\n");
  CHECK(asked.code == 3);
  CHECK_THAT(asked.err, Contains("standard input:2") && Contains("27 tokens") && Contains("at most 12"));
  const Result none = shell.call({"gradcheck", "g2p", "--model", "transformer", "--attention", "general"});
  CHECK(none.code == 2);
  const Result heads = shell.call({"train", "g2p", "--model", "transformer", "--hops", "2"});
  CHECK(heads.code == 2);
  CHECK_THAT(heads.err, Contains("--hops is for --model lstm, gru"));
}

TEST_CASE("averaged weights outlive the choice of the best model", "[cli]") {
  const Shell shell;
  const Result result =
      shell.call({"train", "copy", "--out", "run", "--steps", "2", "--width", "8", "--ema", "0.9",
                  "--sequences", "50", "--eval-every", "1", "--batch-size", "16", "--warmup", "0"});
  INFO(result.err);
  CHECK(result.code == 0);
  CHECK_THAT(result.out, Contains("ser"));
}

TEST_CASE("sequences: a resumed run is the uninterrupted one", "[cli]") {
  const Shell shell;
  for (const std::string model : {"lstm", "transformer"}) {
    const auto train = [&](const std::string& out, const std::string& steps, std::vector<std::string> more) {
      std::vector<std::string> words{"train", "copy", "--out", out, "--steps", steps};
      words.insert(words.end(), more.begin(), more.end());
      const Result result = shell.call(words);
      INFO(result.err);
      REQUIRE(result.code == 0);
      return content(shell.folder / out / "checkpoints/last.fovea");
    };
    const std::vector<std::string> settings{
        "--model",           model,        "--width",         "8",   "--sequences", "60",
        "--batch-size",      "16",         "--eval-every",    "3",   "--ema",       "0.9",
        "--teacher-forcing", "linear",     "--teacher-floor", "0.5", "--dropout",   "0.2",
        "--guide",           "diagonal:5", "--entropy",       "0.1", "--schedule",  "constant",
        "--accumulate",      "2"};
    const std::string whole = train(model + "-whole", "6", settings);
    train(model + "-parts", "3", settings);
    CHECK(train(model + "-parts", "6", {"--resume"}) == whole);
  }
}

TEST_CASE("what a run was tested with belongs to the run", "[cli]") {
  const Trained shell;
  write(shell.folder / "one.tsv", "가나\tgana\n");
  write(shell.folder / "two.tsv", "나나\tnana\n");
  const std::vector<std::string> words{"train", "seq2seq", "--data", "pairs.tsv",
                                       "--dev", "dev.tsv", "--out",  "again"};
  auto first = words, second = words;
  first.insert(first.end(), {"--steps", "1", "--width", "8", "--test", "one.tsv", "--schedule", "constant"});
  second.insert(second.end(), {"--steps", "2", "--resume", "--test", "two.tsv"});
  REQUIRE(shell.call(first).code == 0);
  const Result other = shell.call(second);
  CHECK(other.code == 2);
  CHECK_THAT(other.err, Contains("--test"));
  write(shell.folder / "one.tsv", "가나\tga\n");
  const Result edited = shell.call({"train", "seq2seq", "--resume", "--out", "again", "--steps", "2"});
  CHECK(edited.code == 4);
  CHECK_THAT(edited.err, Contains("one.tsv"));
}

TEST_CASE("what a model does not read is refused", "[cli]") {
  const Trained shell;
  CHECK(shell.call({"predict", shell.best, "--data", "nothing"}, "가\n").code == 2);
  // A byte order mark is no letter, blank lines are no words.
  CHECK(shell.call({"predict", shell.best}, "\xEF\xBB\xBF가\n").out == "가\tga\n");
  CHECK(shell.call({"predict", shell.best}, "  \n").code == 3);
  const Result unguided = shell.call({"train", "copy", "--guide", "diagonal:0"});
  CHECK(unguided.code == 2);
  CHECK_THAT(unguided.err, Contains("--guide") && Contains("from 1 on"));
  const Result idle = shell.call({"train", "copy", "--teacher-forcing", "linear"});
  CHECK(idle.code == 2);
  CHECK_THAT(idle.err, Contains("--teacher-floor"));
}

TEST_CASE("data that are not where they were say what to do", "[cli]") {
  const Shell shell;
  std::string pairs;
  for (int i = 0; i < 120; ++i) pairs += std::to_string(i) + "\t" + std::to_string(i % 7) + "\n";
  write(shell.folder / "pairs.tsv", pairs);
  REQUIRE(
      shell.call({"train", "seq2seq", "--data", "pairs.tsv", "--steps", "2", "--width", "4", "--out", "run"})
          .code == 0);
  std::filesystem::rename(shell.folder / "pairs.tsv", shell.folder / "moved.tsv");
  const Result lost = shell.call({"evaluate", "run/checkpoints/last.fovea"});
  CHECK(lost.code == 3);
  CHECK_THAT(lost.err, Contains("cannot read pairs.tsv, which run/checkpoints/last.fovea was trained with") &&
                           Contains("--data FILE"));
  CHECK(lost.one_line());
  CHECK(shell.call({"evaluate", "run/checkpoints/last.fovea", "--data", "moved.tsv"}).code == 0);
  CHECK(shell.call({"predict", "run/checkpoints/last.fovea"}, "12\n").code == 0);  // needs none
}

TEST_CASE("layers that are recomputed change no bit of a training, with stops and without", "[cli]") {
  const Shell shell;
  const std::vector<std::string> settings{
      "copy",    "--model",      "transformer", "--width",   "16",          "--heads",    "2",
      "--inner", "16",           "--layers",    "2",         "--sequences", "100",        "--steps",
      "12",      "--eval-every", "4",           "--entropy", "0.01",        "--schedule", "constant"};
  const auto call = [&](const std::string& command, std::vector<std::string> more) {
    more.insert(more.begin(), settings.begin(), settings.end());
    more.insert(more.begin(), command);
    const Result result = shell.call(more);
    INFO(result.err);
    CHECK(result.code == 0);
    return result;
  };
  const Result verified = call("verify-resume", {"--recompute", "--accumulate", "2"});
  CHECK_THAT(verified.out, Contains("bit for bit"));
  call("train", {"--out", "plain"});
  call("train", {"--out", "again", "--recompute"});
  CHECK(rows_of(shell.folder / "plain").size() >= 3);
  CHECK(rows_of(shell.folder / "again") == rows_of(shell.folder / "plain"));
  const std::string last = "/checkpoints/last.fovea";
  CHECK_THAT(shell.call({"inspect", "plain" + last, "again" + last}).out, Contains("recompute"));
  const Result lstm = shell.call({"train", "copy", "--recompute", "--out", "lstm"});
  CHECK(lstm.code == 2);
  CHECK_THAT(lstm.err, Contains("--recompute is for --model transformer"));
  // A run goes on with it or without.
  std::vector<std::string> more{"train",   "copy", "--resume", "--out", "again", "--recompute=false",
                                "--steps", "14"};
  const Result resumed = shell.call(more);
  INFO(resumed.err);
  CHECK(resumed.code == 0);
}
