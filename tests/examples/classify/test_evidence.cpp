#include <algorithm>
#include <cmath>
#include <limits>

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "examples/classify/task.hpp"
#include "training/state.hpp"

using namespace fovea;
using namespace fovea::classify;
using Json = nlohmann::json;

namespace {

// Tokens 4 to 7; three classes.
const std::vector<Labelled> texts{
    {{4, 4, 5}, 0}, {{4, 5, 4, 5}, 0}, {{5, 6}, 1}, {{7, 4, 4}, 1}, {{6, 6, 7, 5, 6}, 2}};
constexpr NaiveBayes::Settings settings{3, 0.1};
const std::vector<Row> asked{{4}, {4, 5, 9}, {6, 4, 4, 7, 5}};

std::vector<Real> evidence_of(const NaiveBayes& bayes, const Row& text, const Labelled* own = nullptr) {
  std::vector<Real> found(text.size() * settings.order * bayes.classes());
  bayes.evidence(text, settings, own, found);
  return found;
}

template <class Read>
void through_checkpoint(Evidence& written, Read& read) {
  Entries entries;
  StateWriter writer(entries);
  written.state(writer);
  StateReader reader(entries);
  read.state(reader);
  reader.finish();
}

}  // namespace

TEST_CASE("classify: evidence and log shares together are naive Bayes", "[examples]") {
  const NaiveBayes bayes(texts, 3, 4);
  for (const Row& text : asked) {
    const std::vector<double> scores = bayes.scores(text, settings);
    const std::vector<Real> found = evidence_of(bayes, text);
    std::vector<double> sums;
    for (std::size_t c = 0; c < 3; ++c) {
      sums.push_back(static_cast<double>(bayes.log_share(c)));
      for (std::size_t i = c; i < found.size(); i += 3) sums[c] += static_cast<double>(found[i]);
    }
    for (std::size_t c = 1; c < 3; ++c)
      CHECK(sums[c] - sums[0] == Approx(scores[c] - scores[0]).epsilon(1e-4));
  }
}

TEST_CASE("classify: evidence stands at the middle of its n-gram, by length", "[examples]") {
  const NaiveBayes bayes({{{{4, 5}, 0}, {{6}, 1}}}, 2, 3);
  // Of 6: 6, ^6 and 6$, ^6$. Class 0 holds 7 n-grams, class 1 four; there are 11 kinds.
  const double unseen = std::log(0.1 / (7 + 0.1 * 11)), seen = std::log(1.1 / (4 + 0.1 * 11));
  const double half = (seen - unseen) / 2;
  const std::vector<Real> found = evidence_of(bayes, {6});
  const std::vector<double> expected{-half, half, -2 * half, 2 * half, -half, half};
  REQUIRE(found.size() == expected.size());
  for (std::size_t i = 0; i < found.size(); ++i) CHECK(static_cast<double>(found[i]) == Approx(expected[i]));
  // Here only 5 and 5$ are known: both belong to the second token.
  const std::vector<Real> second = evidence_of(bayes, {9, 5});
  CHECK(std::all_of(second.begin(), second.begin() + 6, [](Real e) { return e == 0; }));
  CHECK(second[6] > 0);
  CHECK(second[8] > 0);
  CHECK(second[10] == 0);
  std::vector<Real> short_of_room(5);
  CHECK_THROWS_AS(bayes.evidence(Row{6}, settings, nullptr, short_of_room), Error);
  CHECK_THROWS_AS(bayes.evidence(Row{6}, {4, 1}, nullptr, short_of_room), Error);
}

TEST_CASE("classify: without its own counts a text is as if it had not been counted", "[examples]") {
  const NaiveBayes all(texts, 3, 3);
  for (std::size_t left = 0; left < texts.size(); ++left) {
    CAPTURE(left);
    std::vector<Labelled> others = texts;
    others.erase(others.begin() + static_cast<std::ptrdiff_t>(left));
    const NaiveBayes rest(others, 3, 3);
    Row partly = texts[left].tokens;  // as when a token is read as unknown
    partly[0] = sequences::Vocabulary::unknown;
    for (const Row& text : {texts[left].tokens, partly}) {
      const std::vector<Real> found = evidence_of(all, text, &texts[left]),
                              expected = evidence_of(rest, text);
      REQUIRE(found.size() == expected.size());
      for (std::size_t i = 0; i < found.size(); ++i)
        CHECK(static_cast<double>(found[i]) == Approx(static_cast<double>(expected[i])).margin(1e-5));
    }
  }
}

TEST_CASE("classify: evidence goes through a checkpoint", "[examples]") {
  Evidence written{NaiveBayes(texts, 3, 4), settings}, read{NaiveBayes(texts, 2 + 1, 1), {1, 1}};
  through_checkpoint(written, read);
  CHECK(read.settings.order == 3);
  CHECK(read.settings.smoothing == 0.1);
  CHECK(read.counts.most() == 4);
  for (const Row& text : asked) {
    CHECK(evidence_of(read.counts, text) == evidence_of(written.counts, text));
    CHECK(read.counts.scores(text, settings) == written.counts.scores(text, settings));
  }
  Evidence none, before;  // of a task that was made to be loaded
  through_checkpoint(none, read);
  CHECK(read == before);
  Evidence wrong{NaiveBayes(texts, 3, 2), settings};  // an order that was not counted
  CHECK_THROWS_AS(through_checkpoint(wrong, read), CheckpointError);
  wrong.settings = {2, 0};
  CHECK_THROWS_AS(through_checkpoint(wrong, read), CheckpointError);
}

TEST_CASE("classify: what are no counts is not read", "[examples]") {
  using Flat = std::vector<std::uint64_t>;
  constexpr std::uint64_t big = std::uint64_t{1} << 60;
  const std::vector<std::pair<std::uint64_t, Flat>> cases{{100, {}},                         // too long
                                                          {2, {0, 1, 0, 1}},                 // of no token
                                                          {2, {3, 4, 5, 6, 1, 0, 1}},        // longer than 2
                                                          {2, {1, 4, 1, 0}},                 // cut off
                                                          {2, {2, 4}},                       // cut off
                                                          {2, {1, big, 1, 0, 1}},            // no token
                                                          {2, {1, 4, 0}},                    // no class
                                                          {2, {1, 4, 3, 0, 1, 1, 1, 0, 1}},  // too many
                                                          {2, {1, 4, 1, 2, 1}},              // no such class
                                                          {2, {1, 4, 1, 0, 0}},              // never
                                                          {2, {1, 4, 1, 0, big}},            // too often
                                                          {2, {1, 4, 1, 0, 1, 1, 4, 1, 0, 1}}};  // twice
  for (const auto& [longest, flat] : cases) {
    CAPTURE(longest, flat);
    Entries entries;
    StateWriter writer(entries);
    writer("bayes_texts", std::vector<double>{1, 2});
    writer("bayes_longest", longest);
    writer("bayes_counts", flat);
    NaiveBayes read(texts, 3, 4);
    StateReader reader(entries);
    CHECK_THROWS_AS(read.state(reader), CheckpointError);
    CHECK(read.scores(asked[1], settings) == NaiveBayes(texts, 3, 4).scores(asked[1], settings));
  }
}

TEST_CASE("classify: a model that looks everywhere and only hears the n-grams is naive Bayes", "[examples]") {
  Config config;
  config.model = "embedding";
  config.n_best = 3;
  config.explain = true;
  ClassifyTask task = ClassifyTask::tiny(config);
  for (const NamedParam& named : parameters(task.model)) {
    if (named.path == "out.bias") continue;
    const Real value = named.path == "scales" ? 1 : 0;
    named.param->update([&](Tensor& x) { std::fill(x.begin(), x.end(), value); });
  }
  // The task's own texts, a b c as 4 5 6, its labels by how frequent they are.
  const NaiveBayes bayes({{{{4, 5, 4, 5}, 0}, {{5, 6, 4}, 1}, {{6}, 2}, {{5, 6, 4, 5}, 0}}}, 3, 5);
  const std::vector<std::pair<std::string, Row>> lines{{"cab", {6, 4, 5}}, {"a", {4}}, {"bbq", {5, 5, 9}}};
  for (const auto& [line, row] : lines) {
    CAPTURE(line);
    const std::vector<double> scores = bayes.scores(row, {5, 0.1});
    const double most = *std::max_element(scores.begin(), scores.end());
    double sum = 0;
    for (const double score : scores) sum += std::exp(score - most);
    const Json said = Json::parse(task.predict(std::vector<std::string>{line}, true)[0]);
    REQUIRE(said["answers"].size() == 3);
    for (const Json& answer : said["answers"]) {
      const std::size_t c = answer["label"] == "x" ? 0 : answer["label"] == "y" ? 1 : 2;
      CHECK(answer["probability"].get<double>() == Approx(std::exp(scores[c] - most) / sum).margin(1e-5));
    }
    // And what each token adds to the guess is what its n-grams say.
    std::vector<Real> evidence(row.size() * 5 * 3);
    bayes.evidence(row, {5, 0.1}, nullptr, evidence);
    const std::size_t guess = bayes.guess(row, {5, 0.1});
    REQUIRE(said["evidence"].size() == row.size());
    for (std::size_t i = 0; i < row.size(); ++i) {
      double own = 0;
      for (std::size_t n = 0; n < 5; ++n) own += static_cast<double>(evidence[(i * 5 + n) * 3 + guess]);
      CHECK(said["evidence"][i].get<double>() == Approx(own).epsilon(1e-4));
    }
  }
}

TEST_CASE("classify: a model learns without a text's own counts, and is asked with all", "[examples]") {
  Config config;
  config.token_dropout = 0;
  ClassifyTask task = ClassifyTask::tiny(config);
  Rng rng;
  const std::vector<std::size_t> third{2};  // "c", the only text of z
  const Tensor learned = task.batch(Split::train, third, rng).texts.evidence.value();
  REQUIRE(learned.shape() == Shape{1, 5, 3});
  const NaiveBayes rest({{{{4, 5, 4, 5}, 0}, {{5, 6, 4}, 1}, {{5, 6, 4, 5}, 0}}}, 3, 5);
  std::vector<Real> expected(15);
  rest.evidence(Row{6}, {5, 0.1}, nullptr, expected);
  for (std::size_t i = 0; i < 15; ++i)
    CHECK(static_cast<double>(learned.data()[i]) == Approx(static_cast<double>(expected[i])).margin(1e-5));
}

TEST_CASE("classify: without evidence nothing is counted or said of it", "[examples]") {
  Config config;
  config.evidence = "none";
  config.explain = true;
  ClassifyTask task = ClassifyTask::tiny(config);
  CHECK_FALSE(task.model.scales.defined());
  const std::vector<std::string> line{"abc"};
  CHECK_FALSE(Json::parse(task.predict(line, true)[0]).contains("evidence"));
  CHECK_THAT(task.predict(line, false)[0], !Catch::Contains("speaks for it"));
  config.evidence = "naive-bayes";
  CHECK_THAT(ClassifyTask::tiny(config).predict(line, false)[0], Catch::Contains("\n  speaks for it  "));
}
