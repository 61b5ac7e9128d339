#include <cmath>

#include <catch2/catch.hpp>

#include "core/check.hpp"
#include "examples/classify/naive_bayes.hpp"

using namespace fovea;
using namespace fovea::classify;
using Row = std::vector<std::int64_t>;

namespace {
// Tokens 4 and 5; class 0 has two texts, class 1 one, class 2 none.
const std::vector<Labelled> texts{{{4, 4}, 0}, {{4, 5}, 0}, {{5}, 1}};
}  // namespace

TEST_CASE("classify: naive Bayes of single tokens by hand", "[examples]") {
  const NaiveBayes bayes(texts, 3, 2);
  // Class 0 holds 4 three times and 5 once, class 1 holds 5 once; two kinds.
  const auto scores = bayes.scores(Row{5, 5, 9}, {1, 1});  // 9 is not known
  REQUIRE(scores.size() == 3);
  CHECK(scores[0] == Approx(std::log(2.0 / 3) + 2 * std::log(2.0 / 6)));
  CHECK(scores[1] == Approx(std::log(1.0 / 3) + 2 * std::log(2.0 / 3)));
  CHECK(scores[2] == -INFINITY);
  CHECK(bayes.guess(Row{5, 5, 9}, {1, 1}) == 1);
  CHECK(bayes.guess(Row{4}, {1, 1}) == 0);
  CHECK(bayes.guess(Row{9}, {1, 1}) == 0);  // nothing known: the more frequent one
}

TEST_CASE("classify: naive Bayes of pairs with marks by hand", "[examples]") {
  const NaiveBayes bayes(texts, 2, 2);
  // Class 0: ^4 44 4$ ^4 45 5$ beside four tokens; class 1: ^5 5$ beside one. Kinds: 2 and 6.
  const auto scores = bayes.scores(Row{5}, {2, 0.5});  // 5, ^5, 5$
  CHECK(scores[0] ==
        Approx(std::log(2.0 / 3) + std::log(1.5 / 14) + std::log(0.5 / 14) + std::log(1.5 / 14)));
  CHECK(scores[1] == Approx(std::log(1.0 / 3) + 3 * std::log(1.5 / 7)));
  CHECK_THROWS_AS(bayes.scores(Row{5}, {3, 1}), Error);
  CHECK_THROWS_AS(NaiveBayes(texts, 1, 1), Error);
}

TEST_CASE("classify: order and smoothing of naive Bayes are those with the most right guesses",
          "[examples]") {
  // Only the order of the tokens tells these apart.
  const std::vector<Labelled> turned{{{4, 5}, 0}, {{4, 5}, 0}, {{5, 4}, 1}};
  const NaiveBayes bayes(turned, 2, 3);
  CHECK(bayes.choose(std::vector<Labelled>{{{4, 5}, 0}, {{5, 4}, 1}}).order == 2);
  // All are as good: the first.
  const auto first = bayes.choose(std::vector<Labelled>{{{4, 5}, 0}});
  CHECK(first.order == 1);
  CHECK(first.smoothing == 0.01);
}
