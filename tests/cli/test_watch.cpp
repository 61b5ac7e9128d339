#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "cli/call.hpp"
#include "training/rows.hpp"

using namespace fovea;
using Catch::Contains;

TEST_CASE("every task's attentions are watched, also where the loss looks at them itself", "[cli]") {
  const std::vector<std::vector<std::string>> trainings{
      {"copy", "--width", "8"},
      {"copy", "--width", "8", "--entropy", "0.1", "--guide", "diagonal:2"},
      {"copy", "--model", "transformer", "--width", "8", "--heads", "2"},
      {"forecast", "--bundled", "co2", "--model", "transformer", "--width", "8", "--entropy", "0.1"},
      {"classify", "--data", "texts.tsv", "--width", "8"},
  };
  const Shell shell;
  std::string texts;
  for (int i = 0; i < 60; ++i)
    texts += (i % 2 ? "good\tfine day " : "bad\trainy night ") + std::to_string(i) + "\n";
  write(shell.folder / "texts.tsv", texts);
  int number = 0;
  for (const std::vector<std::string>& training : trainings) {
    INFO(training[0] << " " << number);
    const std::string out = std::to_string(number++);
    std::vector<std::string> words{"train"};
    words.insert(words.end(), training.begin(), training.end());
    words.insert(words.end(),
                 {"--watch", "--steps", "2", "--eval-every", "2", "--batch-size", "4", "--out", out});
    const Result result = shell.call(words);
    INFO(result.err);
    REQUIRE(result.code == 0);
    CHECK_THAT(result.err, Contains("watch: step 1  loss ") && Contains("head 0") && Contains("entropy "));
    const std::vector<std::string> rows = lines_of(shell.folder / out / "watch.jsonl");
    REQUIRE(rows.size() == 2);
    const auto row = nlohmann::json::parse(rows[0]);
    CHECK(row["attentions"].size() >= 1);
    for (const auto& head : row["attentions"]) CHECK(head["queries"] > 0);
  }
}
