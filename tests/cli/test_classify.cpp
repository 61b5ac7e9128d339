#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "cli/call.hpp"
#include "cli/page.hpp"
#include "modules/attention/settings.hpp"

// Labelled texts of one's own, from a file to answers.

using namespace fovea;
using Catch::Contains;
using Json = nlohmann::json;

namespace {

struct Trained : Shell {
  Trained() {
    std::string text;
    for (const std::string start : {"the", "a", "some", "no", "my", "your", "one", "his", "her", "our"})
      for (const std::string end : {"day", "hour", "week", "year", "night"})
        text += "good\t" + start + " nice " + end + "\nbad\t" + start + " poor " + end + "\n";
    write(folder / "texts.tsv", text);
    const Result result =
        call({"train",   "classify", "--data",    "texts.tsv", "--tokens",     "words",     "--out",   "run",
              "--steps", "60",       "--width",   "8",         "--model",      "embedding", "--grams", "1",
              "--lr",    "0.05",     "--entropy", "0.01",      "--eval-every", "30"});
    INFO(result.err);
    REQUIRE(result.code == 0);
    CHECK_THAT(result.out, Contains("accuracy") && Contains("macro_f1") && Contains("naive Bayes, 1- to ") &&
                               Contains("embedding, additive (this model)") && Contains("looked at where"));
  }
  std::string best = "run/checkpoints/best.fovea";
};

}  // namespace

TEST_CASE("classify: texts are labelled and explained without their data", "[cli]") {
  const Trained shell;
  std::filesystem::remove(shell.folder / "texts.tsv");
  const Result plain = shell.call({"predict", shell.best}, "that nice day\nThat Poor Day\n");
  CHECK(plain.code == 0);
  CHECK_THAT(plain.out, Contains("that nice day\tgood\t0.") && Contains("That Poor Day\tbad\t0."));
  const Result explained = shell.call({"predict", shell.best, "--explain"}, "a nice day\n");
  CHECK_THAT(explained.out, Contains("\n  looked at  nice[2] 0.") && Contains("\n  likeliest  good "));
  const Result json = shell.call({"predict", shell.best, "--explain", "--json"}, "a poor x\n");
  REQUIRE(json.code == 0);
  const Json object = Json::parse(json.out);
  CHECK(object["label"] == "bad");
  CHECK(object["tokens"] == Json::array({"a", "poor", "x"}));
  CHECK(object["unknown"] == Json::array({"x"}));
  REQUIRE(object["weights"].size() == 3);
  CHECK(object["answers"].size() == 2);
  const Json known =
      Json::parse(shell.call({"predict", shell.best, "--explain", "--json"}, "a nice day\n").out);
  CHECK(known["weights"][1] > known["weights"][0]);
  CHECK(known["weights"][1] > known["weights"][2]);
  CHECK_FALSE(known.contains("unknown"));
  const Result blank = shell.call({"predict", shell.best}, "a nice day\n \n");
  CHECK(blank.code == 3);
  CHECK_THAT(blank.err, Contains("standard input:2: "));
  // With a file of its own it is measured without the data, and then has no baselines.
  write(shell.folder / "test.tsv", "good\ta nice day\nbad\tone nice day\nnew\ta poor day\n");
  const Result tested = shell.call({"evaluate", shell.best, "--test", "test.tsv"});
  CHECK(tested.code == 0);
  CHECK_THAT(tested.out, Contains("33.3") && !Contains("naive Bayes"));
}

TEST_CASE("classify: labelled texts that cannot be read", "[cli]") {
  const Shell shell;
  const auto refused = [&](const std::string& text, const std::string& says) {
    write(shell.folder / "texts.tsv", text);
    const Result result = shell.call({"train", "classify", "--data", "texts.tsv", "--out", "run"});
    CAPTURE(text, result.err);
    CHECK(result.code == 3);
    CHECK(result.one_line());
    CHECK_THAT(result.err, Contains(says));
    CHECK_FALSE(std::filesystem::exists(shell.folder / "run"));
  };
  refused("a\tb\nab\n", "texts.tsv:2:3: ");
  refused("a\t\n", "texts.tsv:1:3: ");
  refused("a\tb\tc\n", "texts.tsv:1:4: ");
  refused("a\t\xff\n", "texts.tsv:1:3: ");
  refused("", "texts.tsv");
  refused("a\tb\na\tc\n", "there must be two");
}

TEST_CASE("classify: gradients of every model and score, from the command line", "[cli]") {
  const Shell shell;
  for (const std::string model : {"embedding", "lstm", "gru"}) {
    for (const std::string& attention : attention_names()) {
      const Result result = shell.call(
          {"gradcheck", "classify", "--model", model, "--attention", attention, "--entropy", "0.1"});
      CAPTURE(model, attention, result.out, result.err);
      CHECK(result.code == 0);
    }
  }
}

TEST_CASE("classify: gradients of hybrids, normalisers and hops, from the command line", "[cli]") {
  const Shell shell;
  const std::vector<std::vector<std::string>> kinds{
      {"--attention", "hybrid", "--hybrid", "gate"},
      {"--attention", "hybrid", "--hybrid", "by-dims", "--hops", "2"},
      {"--normalizer", "sparsemax"},
      {"--attention", "general", "--normalizer", "top-k:2", "--hops", "3"}};
  for (std::vector<std::string> words : kinds) {
    words.insert(words.begin(), {"gradcheck", "classify", "--model", "embedding", "--entropy", "0.1"});
    const Result result = shell.call(words);
    CAPTURE(words, result.out, result.err);
    CHECK(result.code == 0);
  }
  const Result alone = shell.call({"train", "classify", "--hybrid", "gate"});
  CHECK(alone.code == 2);
  CHECK_THAT(alone.err, Contains("--attention hybrid"));
  const Result wrong = shell.call({"gradcheck", "classify", "--normalizer", "top-k:0"});
  CHECK(wrong.code == 2);
  CHECK_THAT(wrong.err, Contains("top-k:N"));
}

TEST_CASE("classify: a resumed run is the uninterrupted one", "[cli]") {
  const Trained shell;
  const auto train = [&](const std::string& out, const std::string& steps, std::vector<std::string> more) {
    std::vector<std::string> words{"train", "classify", "--out", out, "--steps", steps};
    words.insert(words.end(), more.begin(), more.end());
    const Result result = shell.call(words);
    INFO(result.err);
    REQUIRE(result.code == 0);
    return content(shell.folder / out / "checkpoints/last.fovea");
  };
  const std::vector<std::string> settings{"--data",       "texts.tsv", "--width",      "4",
                                          "--batch-size", "16",        "--eval-every", "3",
                                          "--schedule",   "constant",  "--entropy",    "0.1"};
  const std::string whole = train("whole", "6", settings);
  train("parts", "3", settings);
  CHECK(train("parts", "6", {"--resume"}) == whole);
}

TEST_CASE("classify: a report shows what was looked at, without the data where texts are named", "[cli]") {
  const Trained shell;
  std::filesystem::remove(shell.folder / "texts.tsv");
  const Result result = shell.call({"plot", "run", "--item", "that nice day", "-o", "x.html"});
  INFO(result.err);
  REQUIRE(result.code == 0);
  const Json picture = page_data(shell.folder / "x.html")["pictures"].at(0);
  CHECK(picture["answer"] == "good");
  const Json& shown = picture["shown"];
  CHECK(shown["tokens"] == Json({"that", "nice", "day"}));
  CHECK(shown["joined"] == false);
  double sum = 0;
  for (const Json& weight : shown["weights"]) sum += weight.get<double>();
  CHECK(sum == Approx(1).margin(1e-3));
  CHECK(shown["labels"][0][0] == "good");
  CHECK(shown["labels"][0][1].get<double>() + shown["labels"][1][1].get<double>() == Approx(1).margin(1e-3));
}
