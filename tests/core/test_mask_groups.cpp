#include <algorithm>
#include <numeric>

#include <catch2/catch.hpp>

#include "core/attention/mask.hpp"
#include "core/random.hpp"

using namespace fovea;
using Cover = MaskView::Cover;

// Masks of groups, and masks seen through an order.

namespace {

Ids drawn(Rng& rng, const Shape& shape, std::size_t kinds) {
  Ids ids(shape, std::vector<std::int64_t>(volume(shape)));
  for (auto& id : ids.values) id = static_cast<std::int64_t>(rng.below(kinds)) - 2;
  return ids;
}

// A permutation for each item.
Ids orders(Rng& rng, std::size_t items, std::size_t length) {
  std::vector<std::int64_t> places;
  for (std::size_t b = 0; b < items; ++b) {
    for (const std::size_t place : rng.permutation(length))
      places.push_back(static_cast<std::int64_t>(place));
  }
  return {{items, length}, places};
}

std::size_t allowed_in(const Keep& whole, std::size_t item, Span rows, Span columns) {
  std::size_t allowed = 0;
  for (std::size_t i = rows.begin; i < rows.end; ++i) {
    const auto* row = whole.values.data() + (item * whole.shape[1] + i) * whole.shape[2];
    allowed += static_cast<std::size_t>(std::count(row + columns.begin, row + columns.end, 1));
  }
  return allowed;
}

}  // namespace

TEST_CASE("groups allow what has the same id, other groups the rest", "[core]") {
  Rng rng(1);
  const std::size_t items = 2, queries = 40, keys = 70;
  const Ids q = drawn(rng, {items, queries}, 4), k = drawn(rng, {items, keys}, 4);
  const Keep same = Mask::groups(q, k).expand(items, queries, keys),
             other = Mask::other_groups(q, k).expand(items, queries, keys);
  std::size_t n = 0;
  for (std::size_t b = 0; b < items; ++b) {
    for (std::size_t i = 0; i < queries; ++i) {
      for (std::size_t j = 0; j < keys; ++j, ++n) {
        const bool equal = q.values[b * queries + i] == k.values[b * keys + j];
        REQUIRE(same.values[n] == equal);
        REQUIRE(other.values[n] == !equal);
      }
    }
  }
}

// With ids in their order each tile is one of: several groups without a common one, one group, neither.
TEST_CASE("sorted groups decide every tile", "[core]") {
  Rng rng(2);
  for (const std::size_t kinds : {1, 3, 9}) {
    const std::size_t queries = 200, keys = 150;
    Ids q = drawn(rng, {1, queries}, kinds), k = drawn(rng, {1, keys}, kinds);
    std::ranges::sort(q.values);
    std::ranges::sort(k.values);
    const Mask masks[] = {Mask::groups(q, k), Mask::other_groups(q, k)};
    for (const Mask& mask : masks) {
      const MaskView view = mask.view(1, queries, keys);
      const Keep whole = mask.expand(1, queries, keys);
      for (int tile = 0; tile < 3000; ++tile) {
        const std::size_t i = rng.below(queries), j = rng.below(keys);
        const Span rows{i, i + 1 + rng.below(queries - i)}, columns{j, j + 1 + rng.below(keys - j)};
        const std::size_t allowed = allowed_in(whole, 0, rows, columns);
        const Cover cover = view.cover(0, rows, columns);
        const bool full = allowed == (rows.end - rows.begin) * (columns.end - columns.begin);
        REQUIRE((cover == Cover::all) == full);
        REQUIRE((cover == Cover::none) == (allowed == 0));
      }
    }
  }
}

TEST_CASE("a reordered mask is the mask at the places of its order", "[core]") {
  Rng rng(3);
  const std::size_t items = 2, heads = 3, queries = 9, keys = 300;  // more keys than a piece of a row
  std::vector<unsigned char> any(items * queries * keys);
  for (auto& keep : any) keep = rng.chance(0.5);
  const Ids q = drawn(rng, {items, queries}, 3), k = drawn(rng, {items, keys}, 3);
  const std::vector<Mask> masks = {
      Mask::key_lengths({100, 299}),
      Mask::query_lengths({5, 8}),
      Mask::causal(),
      Mask::causal(-3),
      Mask::window(20, 70),
      Mask::global_tokens({3, 200, 296}),
      Mask::first_tokens(7),
      Mask::first_tokens(295),
      Mask::strided(7),
      Mask::blocks(16),
      Mask::keep(Keep({items, queries, keys}, any)),
      Mask::keep(Keep({queries, 1}, {1, 0, 1, 1, 0, 1, 0, 0, 1})),
      Mask::groups(q, k),
      Mask::other_groups(q, k),
      Mask::causal() & Mask::key_lengths({100, 299}) & Mask::query_lengths({5, 8}),
      Mask::window(9, 9) | (Mask::strided(3) & Mask::groups(q, k)),
      Mask::reordered(Mask::causal() | Mask::groups(q, k), orders(rng, items, queries),
                      orders(rng, items, keys)),
      Mask()};
  for (std::size_t n = 0; n < masks.size(); ++n) {
    const Ids by_query = orders(rng, items * heads, queries), by_key = orders(rng, items * heads, keys);
    const Keep inner = masks[n].expand(items, queries, keys);
    const Mask mask = Mask::reordered(masks[n], by_query, by_key, heads);
    const Keep outer = mask.expand(items * heads, queries, keys);
    const MaskView view = mask.view(items * heads, queries, keys);
    INFO("mask " << n);
    for (std::size_t b = 0; b < items * heads; ++b) {
      for (std::size_t i = 0; i < queries; ++i) {
        const auto from = static_cast<std::size_t>(by_query.values[b * queries + i]);
        const std::size_t begin = rng.below(keys), end = begin + 1 + rng.below(keys - begin);
        std::vector<unsigned char> row(end - begin, 7), picked(end - begin, 7);
        view.row(b, i, {begin, end}, row.data());
        std::vector<std::int64_t> some(end - begin);
        std::iota(some.begin(), some.end(), begin);
        std::ranges::reverse(some);
        view.picked(b, i, some, picked.data());
        std::ranges::reverse(picked);
        for (std::size_t j = 0; j < keys; ++j) {
          const auto key = static_cast<std::size_t>(by_key.values[b * keys + j]);
          const unsigned char expected = inner.values[(b / heads * queries + from) * keys + key];
          REQUIRE(outer.values[(b * queries + i) * keys + j] == expected);
          if (begin <= j && j < end) REQUIRE(row[j - begin] == expected);
          if (begin <= j && j < end) REQUIRE(picked[j - begin] == expected);
        }
      }
    }
  }
}

TEST_CASE("causal in the order of groups leaves out upper tiles and fills lower ones", "[core]") {
  // Two groups of 128, of even and of odd positions.
  const std::size_t length = 256;
  std::vector<std::int64_t> places, numbers;
  for (std::int64_t t = 0; t < 256; ++t) {
    places.push_back(t < 128 ? 2 * t : 2 * (t - 128) + 1);
    numbers.push_back(t < 128 ? 0 : 1);
  }
  const Ids order({1, length}, places), ids({1, length}, numbers);
  const MaskView view =
      (Mask::groups(ids, ids) & Mask::reordered(Mask::causal(), order, order)).view(1, length, length);
  CHECK(view.cover(0, {64, 128}, {0, 64}) == Cover::all);
  CHECK(view.cover(0, {0, 64}, {64, 128}) == Cover::none);
  CHECK(view.cover(0, {64, 128}, {64, 128}) == Cover::some);
  CHECK(view.cover(0, {64, 128}, {128, 192}) == Cover::none);
  CHECK(view.cover(0, {192, 256}, {128, 192}) == Cover::all);
}

TEST_CASE("a view knows lengths and shifts of its items", "[core]") {
  const MaskView plain = Mask::causal().view(2, 3, 5);
  CHECK((plain.items() == 2 && plain.shift(1) == 2 && plain.queries(1) == 3 && plain.keys(0) == 5));
  const MaskView view =
      (Mask::key_lengths({4, 1}) & Mask::causal() & Mask::query_lengths({3, 2})).view(2, 3, 5);
  CHECK((view.keys(0) == 4 && view.keys(1) == 1 && view.queries(0) == 3 && view.queries(1) == 2));
  CHECK((view.shift(0) == 1 && view.shift(1) == -1));
  // Lengths of one side of `|` hold for that side alone.
  CHECK((Mask::key_lengths({4, 1}) | Mask::causal()).view(2, 3, 5).keys(1) == 5);
}

TEST_CASE("groups and orders that do not fit are refused in words", "[core]") {
  using Catch::Contains;
  const Ids four({1, 4}, {0, 1, 2, 3}), three({1, 3}, {0, 1, 2});
  CHECK_THROWS_WITH(Mask::groups(four, three).expand(1, 4, 4), Contains("[1, 4]") && Contains("[1, 3]"));
  CHECK_THROWS_WITH(Mask::other_groups(four, three).expand(2, 4, 3), Contains("expected [2, 4] and [2, 3]"));
  CHECK_THROWS_WITH(Mask::groups(Ids({0, 1}), three), Contains("[2]") && Contains("[items, queries]"));
  CHECK_THROWS_WITH(Mask::groups(four, Ids({3, 1}, {0, 1, 2})), Contains("[3, 1]"));
  CHECK_THROWS_WITH(Mask::reordered(Mask::causal(), four, three).expand(1, 3, 3), Contains("orders have"));
  CHECK_THROWS_WITH(Mask::reordered(Mask::causal(), three, three, 2),
                    Contains("1 items") && Contains("2 heads"));
  CHECK_THROWS_WITH(Mask::reordered(Mask::causal(), three, three, 0), Contains("0 heads"));
  CHECK_THROWS_WITH(Mask::reordered(Mask::key_lengths({4}), four, three), Contains("key length 4 of 3"));
  CHECK_THROWS_WITH(Mask::reordered(Mask::causal(), Ids({1, 3}, {0, 3, 1}), three),
                    Contains("order of queries has place 3 at [0, 1], of 3"));
  CHECK_THROWS_WITH(Mask::reordered(Mask::causal(), three, Ids({1, 3}, {0, 1, -1})),
                    Contains("order of keys has place -1 at [0, 2]"));
}
