#include <catch2/catch.hpp>

#include "examples/classify/grams.hpp"
#include "training/state.hpp"

using namespace fovea;
using namespace fovea::classify;
using Ids = std::vector<std::int64_t>;

namespace {

const std::vector<Row> texts{{4, 5}, {4, 5, 6}};

Ids around(const Grams& grams, const Row& text, std::size_t place) {
  Ids found;
  grams.add_around(text, place, found);
  return found;
}

}  // namespace

TEST_CASE("classify: the n-grams around a token", "[examples]") {
  const Grams all(texts, 3, 1);
  // In the order of the first text: ^4, ^45, 45, 45$; then what the second has beside: 456, 56, 56$.
  CHECK(all.size() == 7);
  CHECK(around(all, {4, 5}, 0) == Ids{0, 1});
  CHECK(around(all, {4, 5}, 1) == Ids{2, 3});
  CHECK(around(all, {4, 5, 6}, 1) == Ids{2, 4});
  CHECK(around(all, {4, 5, 6}, 2) == Ids{5, 6});
  CHECK(around(all, {4, 9}, 0) == Ids{0});  // what is not known is left out
  CHECK(around(all, {9}, 0).empty());
  // Those that occur twice: ^4, ^45, 45.
  const Grams frequent(texts, 3, 2);
  CHECK(frequent.size() == 3);
  CHECK(around(frequent, {4, 5}, 1) == Ids{2});
  CHECK(Grams(texts, 1, 1).size() == 0);
  CHECK(Grams(texts, 2, 1).size() == 3);
  // With n = 4 two tokens stand before: marks fill up.
  CHECK(around(Grams(std::vector<Row>{{4}}, 4, 1), {4}, 0) == Ids{0, 1, 2});
}

TEST_CASE("classify: n-grams go through a checkpoint", "[examples]") {
  Grams written(texts, 3, 1), read(texts, 2, 2);
  Entries entries;
  StateWriter writer(entries);
  written.state(writer);
  StateReader reader(entries);
  read.state(reader);
  reader.finish();
  CHECK(read == written);
  CHECK(around(read, {4, 5, 6}, 2) == Ids{5, 6});
}

TEST_CASE("classify: what are no n-grams is not read", "[examples]") {
  using Flat = std::vector<std::uint64_t>;
  const std::vector<std::pair<std::uint64_t, Flat>> cases{{0, {}},
                                                          {100, {}},
                                                          {3, {1, 4}},           // one token is none
                                                          {3, {4, 4, 4, 4, 4}},  // longer than the longest
                                                          {3, {3, 4, 5}},        // cut
                                                          {3, {2, 4, 1ull << 40}},
                                                          {3, {2, 4, 5, 2, 4, 5}}};
  for (const auto& [longest, flat] : cases) {
    Entries whole;
    StateWriter to(whole);
    to("longest_gram", longest);
    to("grams", flat);
    StateReader reader(whole);
    Grams grams(texts, 3, 1);
    CHECK_THROWS_AS(grams.state(reader), CheckpointError);
    CHECK(grams == Grams(texts, 3, 1));
  }
}
