#include <algorithm>
#include <map>
#include <set>

#include <catch2/catch.hpp>

#include "core/check.hpp"
#include "examples/sequences/toy.hpp"

using namespace fovea;
using namespace fovea::sequences;
using Catch::Contains;

TEST_CASE("sequences: what a toy task makes of a sequence", "[examples]") {
  CHECK(toy_target(Toy::copy, "cabba") == "cabba");
  CHECK(toy_target(Toy::reverse, "cabba") == "abbac");
  CHECK(toy_target(Toy::sort, "cabba") == "aabbc");
}

TEST_CASE("sequences: no toy sequence is there twice", "[examples]") {
  const ToyPairs pairs = toy_pairs(Toy::sort, {}, 1);
  CHECK(pairs.train.size() == 20000);
  CHECK(pairs.validation.size() == 500);
  CHECK(pairs.test.size() == 500);
  std::set<std::string> seen;
  std::map<std::size_t, std::size_t> lengths;
  std::map<char, std::size_t> symbols;
  for (const auto* part : {&pairs.train, &pairs.validation, &pairs.test}) {
    for (const Pair& pair : *part) {
      seen.insert(pair.source);
      ++lengths[pair.source.size()];
      for (const char c : pair.source) ++symbols[c];
      CHECK(pair.target == toy_target(Toy::sort, pair.source));
    }
  }
  CHECK(seen.size() == 21000);
  CHECK(lengths.size() == 10);
  CHECK(lengths.begin()->first == 3);
  CHECK(lengths.rbegin()->first == 12);
  for (const auto& [length, count] : lengths) {  // those of 3 are the scarcest: one in seven comes twice
    CHECK(count > 1700);
    CHECK(count < 2400);
  }
  CHECK(symbols.size() == 20);
  CHECK(symbols.begin()->first == 'a');
  CHECK(symbols.rbegin()->first == 't');
}

TEST_CASE("sequences: toy pairs depend on the seed, and held out ones not on how many are learned",
          "[examples]") {
  const ToySizes small{.train = 50, .validation = 20, .test = 20},
      large{.train = 99, .validation = 20, .test = 20};
  const ToyPairs one = toy_pairs(Toy::copy, small, 1), again = toy_pairs(Toy::copy, small, 1),
                 other = toy_pairs(Toy::copy, small, 2), more = toy_pairs(Toy::copy, large, 1);
  CHECK(one.train == again.train);
  CHECK(one.validation == again.validation);
  CHECK(one.train != other.train);
  CHECK(one.validation != other.validation);
  CHECK(more.validation == one.validation);
  CHECK(more.test == one.test);
  CHECK(std::equal(one.train.begin(), one.train.end(), more.train.begin()));
}

TEST_CASE("sequences: toy sizes that cannot be had are refused", "[examples]") {
  const auto sizes = [](std::uint64_t train, std::uint64_t symbols, std::uint64_t shortest,
                        std::uint64_t longest) { return ToySizes{train, 1, 1, symbols, shortest, longest}; };
  const ToyPairs few = toy_pairs(Toy::copy, sizes(5, 2, 1, 3), 1);  // 7 of 2 + 4 + 8
  CHECK(few.train.size() == 5);
  CHECK_THROWS_WITH(toy_pairs(Toy::copy, sizes(6, 2, 1, 3), 1), Contains("8 sequences") && Contains("14"));
  CHECK_THROWS_AS(toy_pairs(Toy::copy, sizes(1, 1, 1, 3), 1), ConfigError);
  CHECK_THROWS_AS(toy_pairs(Toy::copy, sizes(1, 27, 1, 3), 1), ConfigError);
  CHECK_THROWS_AS(toy_pairs(Toy::copy, sizes(1, 5, 4, 3), 1), ConfigError);
  CHECK_THROWS_AS(toy_pairs(Toy::copy, sizes(1, 5, 0, 3), 1), ConfigError);
}
