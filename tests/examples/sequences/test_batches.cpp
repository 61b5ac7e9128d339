#include <catch2/catch.hpp>

#include "examples/sequences/batches.hpp"

using namespace fovea;
using namespace fovea::sequences;
using Catch::Contains;

namespace {
using Numbers = std::vector<std::int64_t>;
using Sizes = std::vector<std::size_t>;
const std::vector<Item> items{{{4, 5, 6}, {7}}, {{8}, {9, 10}}, {{5}, {}}};
}  // namespace

TEST_CASE("sequences: a batch is padded to its longest", "[examples]") {
  const Batch batch = make_batch(items);
  CHECK(batch.size() == 3);
  CHECK(batch.source.ids.shape == Shape{3, 3});
  CHECK(batch.source.ids.values == Numbers{4, 5, 6, 8, 0, 0, 5, 0, 0});
  CHECK(batch.source.lengths == Sizes{3, 1, 1});
  CHECK(batch.inputs.ids.shape == Shape{3, 3});
  CHECK(batch.inputs.ids.values == Numbers{1, 7, 0, 1, 9, 10, 1, 0, 0});
  CHECK(batch.targets.shape == Shape{3, 3});
  CHECK(batch.targets.values == Numbers{7, 2, 0, 9, 10, 2, 2, 0, 0});
  CHECK(batch.inputs.lengths == Sizes{2, 3, 1});
  CHECK(batch.tokens() == 6);
}

TEST_CASE("sequences: a batch of chosen items", "[examples]") {
  const Batch batch = make_batch(items, Sizes{1, 2, 1});
  CHECK(batch.source.ids.shape == Shape{3, 1});
  CHECK(batch.source.ids.values == Numbers{8, 5, 8});
  CHECK(batch.targets.values == Numbers{9, 10, 2, 2, 0, 0, 9, 10, 2});
  const Batch alone = make_batch(items, Sizes{2});  // nothing to say but the end
  CHECK(alone.inputs.ids.values == Numbers{1});
  CHECK(alone.targets.values == Numbers{2});
  CHECK(alone.tokens() == 1);
}

TEST_CASE("sequences: sources of words", "[examples]") {
  const Padded sources = pad(std::vector<Numbers>{{4}, {4, 6}});
  CHECK(sources.ids.shape == Shape{2, 2});
  CHECK(sources.ids.values == Numbers{4, 0, 4, 6});
  CHECK(sources.lengths == Sizes{1, 2});
}

TEST_CASE("sequences: an empty row is all padding, no rows are refused", "[examples]") {
  const Padded rows = pad(std::vector<Numbers>{{}, {4, 4}, {}});
  CHECK(rows.ids.values == Numbers{0, 0, 4, 4, 0, 0});
  CHECK(rows.lengths == Sizes{0, 2, 0});
  CHECK_THROWS_AS(pad(std::vector<Numbers>{}), ShapeError);
  CHECK_THROWS_WITH(pad(std::vector<Numbers>{{}, {}}), Contains("[batch] 2 sequences"));
  CHECK_THROWS_AS(make_batch(std::vector<Item>{}), ShapeError);
  CHECK_THROWS_AS(make_batch(std::vector<Item>{{{}, {4}}}), ShapeError);
}
