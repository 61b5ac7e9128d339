#include <catch2/catch.hpp>

#include "core/check.hpp"
#include "examples/classify/keywords.hpp"
#include "examples/classify/measures.hpp"

using namespace fovea;
using namespace fovea::classify;
using Sizes = std::vector<std::size_t>;

TEST_CASE("classify: accuracy and macro-F1 by hand", "[examples]") {
  Confusion confusion(4);  // the last class has neither texts nor guesses
  // Class 0: 3 texts, 2 right, 1 taken for 1. Class 1: 2 texts, 1 right, 1 taken for 0. Class 2: 1 text,
  // taken for 0.
  for (const auto& [truth, guess] :
       std::vector<std::pair<std::size_t, std::size_t>>{{0, 0}, {0, 0}, {0, 1}, {1, 1}, {1, 0}, {2, 0}})
    confusion.add(truth, guess);
  CHECK(confusion.accuracy() == Approx(50));
  CHECK(confusion.f1(0) == Approx(100 * 4.0 / 7));  // 2 · 2 / (3 + 4)
  CHECK(confusion.f1(1) == Approx(50));             // 2 · 1 / (2 + 2)
  CHECK(confusion.f1(2) == 0);
  CHECK(confusion.f1(3) == 0);
  CHECK(confusion.macro_f1() == Approx((400.0 / 7 + 50) / 3));
  CHECK(confusion.at(2, 0) == 1);
  CHECK(confusion.at(0, 2) == 0);
  CHECK(confusion.size(0) == 3);
  CHECK(confusion.largest(9) == Sizes{0, 1, 2});
  CHECK(confusion.largest(1) == Sizes{0});
}

TEST_CASE("classify: a text of a label that is not learned is a wrong guess", "[examples]") {
  Confusion confusion(2);
  confusion.add(0, 0);
  confusion.add(no_class, 1);
  CHECK(confusion.accuracy() == Approx(50));
  CHECK(confusion.macro_f1() == Approx(50));  // 100 and, guessed once, 0
  CHECK(confusion.largest(2) == Sizes{0});
  CHECK_THROWS_AS(confusion.add(2, 0), Error);
  CHECK_THROWS_AS(confusion.add(0, no_class), Error);
  CHECK(Confusion(3).accuracy() == 0);
  CHECK(Confusion(3).macro_f1() == 0);
}

TEST_CASE("classify: keywords are words by their mean weight", "[examples]") {
  Keywords keywords(2, sequences::Tokens::words);
  const std::vector<std::string> first{"a", "b", "a"}, second{"b", "a"}, third{"c"};
  keywords.add(0, first, std::vector<double>{0.25, 0.5, 0.25});
  keywords.add(0, second, std::vector<double>{0.75, 0.25});
  keywords.add(0, third, std::vector<double>{1});  // once is no keyword
  keywords.add(1, third, std::vector<double>{1});
  keywords.add(1, third, std::vector<double>{1});
  const auto best = keywords.best(0, 5);
  REQUIRE(best.size() == 2);
  CHECK(best[0].text == "b");
  CHECK(best[0].weight == Approx(1.25 / 3));
  CHECK(best[1].text == "a");
  CHECK(best[1].weight == Approx(0.25));
  CHECK(keywords.best(0, 1).size() == 1);
  CHECK(keywords.best(1, 5).at(0).weight == Approx(1));
}

TEST_CASE("classify: keywords of letters are three in a row", "[examples]") {
  Keywords keywords(1, sequences::Tokens::letters);
  const std::vector<std::string> name{"b", "u", "r", "g"}, one{"ö"};
  for (int i = 0; i < 2; ++i) {
    keywords.add(0, name, std::vector<double>{0.1, 0.2, 0.1, 0.6});
    keywords.add(0, one, std::vector<double>{1});
  }
  const auto best = keywords.best(0, 5);
  REQUIRE(best.size() == 2);
  CHECK(best[0].text == "^ö$");
  CHECK(best[0].weight == Approx(0.5));
  CHECK(best[1].text == "urg");
  CHECK(best[1].weight == Approx(0.45));
}
