#include <functional>
#include <limits>

#include <catch2/catch.hpp>

#include "core/attention/mask.hpp"
#include "core/random.hpp"

using namespace fovea;

namespace {

using Rule = std::function<bool(std::size_t item, long i, long j)>;

void check_rule(const Mask& mask, std::size_t items, std::size_t queries, std::size_t keys,
                const Rule& rule) {
  const Keep keep = mask.expand(items, queries, keys);
  REQUIRE(keep.shape == Shape{items, queries, keys});
  std::size_t n = 0;
  for (std::size_t b = 0; b < items; ++b) {
    for (std::size_t i = 0; i < queries; ++i) {
      for (std::size_t j = 0; j < keys; ++j, ++n) {
        INFO("item " << b << ", query " << i << ", key " << j);
        CHECK(keep.values[n] == rule(b, static_cast<long>(i), static_cast<long>(j)));
      }
    }
  }
}

// A random mask of some parts.
Mask drawn(Rng& rng, std::size_t items, std::size_t queries, std::size_t keys, int depth) {
  const auto lengths = [&](std::size_t most) {
    std::vector<std::size_t> result;
    for (std::size_t b = 0; b < items; ++b) result.push_back(rng.below(most + 1));
    return result;
  };
  const auto ids = [&](std::size_t length, std::size_t kinds) {
    Ids result({items, length}, std::vector<std::int64_t>(items * length));
    for (auto& id : result.values) id = static_cast<std::int64_t>(rng.below(kinds));
    return result;
  };
  switch (rng.below(depth > 0 ? 14 : 11)) {
    case 0:
      return Mask::key_lengths(lengths(keys));
    case 1:
      return Mask::query_lengths(lengths(queries));
    case 2:
      return Mask::causal();
    case 3:
      return Mask::window(rng.below(5), rng.below(5));
    case 4:
      return Mask::global_tokens({rng.below(std::max(queries, keys)), rng.below(std::max(queries, keys))});
    case 5:
      return Mask::strided(1 + rng.below(4));
    case 6:
      return Mask::blocks(1 + rng.below(6));
    case 7: {
      std::vector<unsigned char> values;
      for (std::size_t n = 0; n < queries * keys; ++n) values.push_back(rng.chance(0.5));
      return Mask::keep(Keep({queries, keys}, values));
    }
    case 8:
      return Mask::first_tokens(rng.below(14));
    case 9:
      return Mask::groups(ids(queries, 3), ids(keys, 3));
    case 10:
      return Mask::other_groups(ids(queries, 3), ids(keys, 3));
    case 11:
      return Mask::reordered(drawn(rng, items, queries, keys, depth - 1), ids(queries, queries),
                             ids(keys, keys));
    case 12:
      return drawn(rng, items, queries, keys, depth - 1) & drawn(rng, items, queries, keys, depth - 1);
    default:
      return drawn(rng, items, queries, keys, depth - 1) | drawn(rng, items, queries, keys, depth - 1);
  }
}

// How many elements of a tile are allowed, one by one.
std::size_t allowed_in(const MaskView& view, std::size_t item, Span rows, Span columns) {
  std::size_t allowed = 0;
  for (std::size_t q = rows.begin; q < rows.end; ++q) {
    std::vector<unsigned char> row(columns.end - columns.begin);
    view.row(item, q, columns, row.data());
    for (unsigned char yes : row) allowed += yes;
  }
  return allowed;
}

}  // namespace

TEST_CASE("a mask that allows everything fills the span that was asked for and no more", "[core]") {
  std::vector<unsigned char> out(8, 7);
  Mask().view(1, 4, 10).row(0, 0, {6, 10}, out.data());
  CHECK(out == std::vector<unsigned char>{1, 1, 1, 1, 7, 7, 7, 7});
}

TEST_CASE("each part of a mask means what its header says", "[core]") {
  check_rule(Mask::key_lengths({2, 0}), 2, 3, 4,
             [](std::size_t b, long, long j) { return j < (b == 0 ? 2 : 0); });
  check_rule(Mask::query_lengths({2, 0}), 2, 3, 4,
             [](std::size_t b, long i, long) { return i < (b == 0 ? 2 : 0); });
  check_rule(Mask::causal(), 1, 4, 4, [](std::size_t, long i, long j) { return j <= i; });
  check_rule(Mask::causal(), 1, 2, 5, [](std::size_t, long i, long j) { return j <= i + 3; });
  check_rule(Mask::causal(), 1, 5, 2, [](std::size_t, long i, long j) { return j <= i - 3; });
  check_rule(Mask::causal(-1), 1, 4, 5, [](std::size_t, long i, long j) { return j <= i - 1; });
  check_rule(Mask::window(2, 1), 1, 6, 6,
             [](std::size_t, long i, long j) { return i - 2 <= j && j <= i + 1; });
  check_rule(Mask::window(1, 0), 1, 2, 4,
             [](std::size_t, long i, long j) { return i + 1 <= j && j <= i + 2; });
  check_rule(Mask::window(0, 0), 1, 3, 3, [](std::size_t, long i, long j) { return i == j; });
  check_rule(Mask::window(1000, 1000), 1, 3, 3, [](std::size_t, long, long) { return true; });
  check_rule(Mask::global_tokens({3, 1}), 1, 5, 5,
             [](std::size_t, long i, long j) { return i == 1 || i == 3 || j == 1 || j == 3; });
  check_rule(Mask::first_tokens(2), 1, 4, 5, [](std::size_t, long i, long j) { return i + 1 < 2 || j < 2; });
  check_rule(Mask::first_tokens(2), 1, 5, 3,
             [](std::size_t, long i, long j) { return (0 <= i - 2 && i - 2 < 2) || j < 2; });
  // As many as there are, however many are asked for.
  check_rule(Mask::first_tokens(std::numeric_limits<std::size_t>::max()), 1, 3, 2,
             [](std::size_t, long, long) { return true; });
  check_rule(Mask::strided(3), 1, 7, 7, [](std::size_t, long i, long j) { return (i - j) % 3 == 0; });
  check_rule(Mask::blocks(2), 1, 5, 5, [](std::size_t, long i, long j) { return i / 2 == j / 2; });
  check_rule(Mask::keep(Keep({3}, {1, 0, 1})), 2, 2, 3, [](std::size_t, long, long j) { return j != 1; });
  check_rule(Mask::keep(Keep({2, 1, 1}, {0, 1})), 2, 2, 3, [](std::size_t b, long, long) { return b == 1; });
  check_rule(Mask(), 2, 2, 2, [](std::size_t, long, long) { return true; });
}

TEST_CASE("masks join by and, and by or", "[core]") {
  check_rule(Mask::causal() & Mask::key_lengths({2, 3}), 2, 3, 3,
             [](std::size_t b, long i, long j) { return j <= i && j < (b == 0 ? 2 : 3); });
  check_rule(Mask::window(1, 0) | Mask::global_tokens({0}), 1, 4, 4,
             [](std::size_t, long i, long j) { return (i - 1 <= j && j <= i) || i == 0 || j == 0; });
  check_rule(Mask() & Mask::causal(), 1, 2, 2, [](std::size_t, long i, long j) { return j <= i; });
  check_rule(Mask::causal() | Mask(), 1, 2, 2, [](std::size_t, long, long) { return true; });
  CHECK((Mask() & Mask()).allows_all());
  CHECK((Mask::causal() | Mask()).allows_all());
}

TEST_CASE("causal is aligned to each item's own end where both lengths are known", "[core]") {
  const Mask mask = Mask::causal() & Mask::key_lengths({3, 4}) & Mask::query_lengths({1, 2});
  check_rule(mask, 2, 2, 4, [](std::size_t b, long i, long j) {
    return b == 0 ? i < 1 && j < 3 && j <= i + 2 : i < 2 && j < 4 && j <= i + 2;
  });
  // Of two lengths the shorter is the item's own, whichever comes first.
  for (const Mask& keys : {Mask::key_lengths({2, 4}) & Mask::key_lengths({3, 3}),
                           Mask::key_lengths({3, 3}) & Mask::key_lengths({2, 4})}) {
    check_rule(Mask::causal() & Mask::query_lengths({2, 2}) & keys, 2, 2, 4,
               [](std::size_t b, long i, long j) { return b == 0 ? j < 2 && j <= i : j < 3 && j <= i + 1; });
  }
  // With key lengths alone a padded self-attention stays a triangle.
  check_rule(Mask::causal() & Mask::key_lengths({2}), 1, 4, 4,
             [](std::size_t, long i, long j) { return j <= i && j < 2; });
}

TEST_CASE("a mask that does not fit is refused in words", "[core]") {
  CHECK_THROWS_WITH(Mask::key_lengths({1}).expand(2, 3, 4), Catch::Contains("1 key lengths for 2 items"));
  CHECK_THROWS_WITH((Mask::causal() & Mask::query_lengths({4})).expand(1, 3, 4),
                    Catch::Contains("query length 4 of 3"));
  // Wherever it stands in the whole.
  const Mask bad = Mask::query_lengths({4}), good = Mask::causal();
  for (const Mask& mask : {bad & good, good & bad, bad | good, good | bad, good & (good | (bad & good))})
    CHECK_THROWS_WITH(mask.expand(1, 3, 4), Catch::Contains("query length 4 of 3"));
  CHECK_THROWS_WITH(Mask::keep(Keep({2}, {1, 1})).expand(1, 3, 4),
                    Catch::Contains("[2]") && Catch::Contains("[1, 3, 4]"));
  CHECK_THROWS_WITH(Mask::global_tokens({4}).expand(1, 3, 4), Catch::Contains("global token 4"));
  CHECK_THROWS_AS(Mask::strided(0), ConfigError);
  CHECK_THROWS_AS(Mask::blocks(0), ConfigError);
  const std::size_t too_far = std::size_t{1} << 63;
  CHECK_THROWS_WITH(Mask::strided(too_far), Catch::Contains("9223372036854775808"));
  CHECK_THROWS_WITH(Mask::blocks(too_far), Catch::Contains("9223372036854775808"));
  CHECK_NOTHROW(Mask::strided(too_far - 1));
}

TEST_CASE("what a tile is said to hold is true of its elements", "[core]") {
  Rng rng(5);
  std::size_t decided = 0;
  for (int round = 0; round < 300; ++round) {
    const std::size_t items = 1 + rng.below(2), queries = 1 + rng.below(12), keys = 1 + rng.below(12);
    const MaskView view = drawn(rng, items, queries, keys, 3).view(items, queries, keys);
    for (int tile = 0; tile < 20; ++tile) {
      const std::size_t b = rng.below(items), i = rng.below(queries), j = rng.below(keys);
      const Span rows{i, i + 1 + rng.below(queries - i)}, columns{j, j + 1 + rng.below(keys - j)};
      const MaskView::Cover cover = view.cover(b, rows, columns);
      decided += cover != MaskView::Cover::some;
      const std::size_t allowed = allowed_in(view, b, rows, columns);
      if (cover == MaskView::Cover::none) CHECK(allowed == 0);
      if (cover == MaskView::Cover::all)
        CHECK(allowed == (rows.end - rows.begin) * (columns.end - columns.begin));
    }
  }
  CHECK(decided > 1000);
}

TEST_CASE("a tile of a single part is decided wherever it can be", "[core]") {
  using Cover = MaskView::Cover;
  const std::size_t queries = 6, keys = 7;
  const std::vector<std::pair<Mask, bool>> parts = {// the mask, and whether `all` is recognised
                                                    {Mask::key_lengths({4}), true},
                                                    {Mask::query_lengths({3}), true},
                                                    {Mask::causal(), true},
                                                    {Mask::causal(-2), true},
                                                    {Mask::window(2, 1), true},
                                                    {Mask::window(0, 0), true},
                                                    {Mask::blocks(2), true},
                                                    {Mask::blocks(3), true},
                                                    {Mask::blocks(1), true},
                                                    {Mask::strided(1), true},
                                                    {Mask::global_tokens({2, 5}), false},
                                                    {Mask::global_tokens({0}), false},
                                                    {Mask::global_tokens({}), false},
                                                    {Mask::first_tokens(3), true},
                                                    {Mask::first_tokens(0), true},
                                                    {Mask::causal() & Mask::key_lengths({0}), true},
                                                    {Mask::causal(9) | Mask::keep(Keep({1}, {0})), true}};
  for (std::size_t number = 0; number < parts.size(); ++number) {
    for (const std::size_t wide : {keys, std::size_t{3}}) {  // more keys than queries, and fewer
      if (wide < keys && (number == 0 || number == 10)) continue;
      const MaskView view = parts[number].first.view(1, queries, wide);
      for (std::size_t i = 0; i < queries; ++i) {
        for (std::size_t j = 0; j < wide; ++j) {
          for (std::size_t i_end = i + 1; i_end <= queries; ++i_end) {
            for (std::size_t j_end = j + 1; j_end <= wide; ++j_end) {
              INFO("part " << number << ", " << wide << " keys, queries " << i << " … " << i_end << ", keys "
                           << j << " … " << j_end);
              const std::size_t allowed = allowed_in(view, 0, {i, i_end}, {j, j_end});
              const Cover cover = view.cover(0, {i, i_end}, {j, j_end});
              REQUIRE((cover == Cover::none) == (allowed == 0));
              const bool full = allowed == (i_end - i) * (j_end - j);
              if (parts[number].second) REQUIRE((cover == Cover::all) == full);
            }
          }
        }
      }
    }
  }
}

TEST_CASE("an offset past all keys allows all, or none", "[core]") {
  check_rule(Mask::causal(std::numeric_limits<std::int64_t>::max()), 1, 4, 2,
             [](std::size_t, long, long) { return true; });
  check_rule(Mask::causal(std::numeric_limits<std::int64_t>::min()), 1, 4, 2,
             [](std::size_t, long, long) { return false; });
}

TEST_CASE("a shape with more elements than can be counted is refused", "[core]") {
  const std::size_t many = std::size_t{1} << 32;
  CHECK_THROWS_AS(volume(Shape{many, many}), ShapeError);
}

TEST_CASE("a plain mask sees the keys that the mask allows", "[core]") {
  constexpr std::size_t items = 3;
  Rng rng(8);
  const auto lengths = [&](std::size_t most) {
    std::vector<std::size_t> result;
    for (std::size_t b = 0; b < items; ++b) result.push_back(rng.below(most + 1));
    return result;
  };
  for (int round = 0; round < 300; ++round) {
    const std::size_t queries = rng.below(6), keys = rng.below(6);
    Mask mask;
    if (rng.chance(0.5)) mask = mask & Mask::key_lengths(lengths(keys));
    if (rng.chance(0.5)) mask = Mask::query_lengths(lengths(queries)) & mask;
    if (rng.chance(0.5)) mask = mask & Mask::causal();
    if (rng.chance(0.3)) mask = Mask::causal(static_cast<std::int64_t>(rng.below(12)) - 6) & mask;
    if (rng.chance(0.3)) mask = mask & Mask::key_lengths(lengths(keys));
    const std::optional<PlainMask> plain = mask.plain(items, queries, keys);
    REQUIRE(plain);
    REQUIRE(plain->items.size() == items);
    check_rule(mask, items, queries, keys, [&](std::size_t b, long i, long j) {
      return static_cast<std::size_t>(j) < plain->items[b].seen(static_cast<std::size_t>(i));
    });
  }
}

TEST_CASE("a mask with another part is not plain", "[core]") {
  const Mask lengths = Mask::key_lengths({2, 3});
  for (const Mask& mask : {Mask::window(2, 0), Mask::window(3, 3), Mask::global_tokens({1}), Mask::strided(1),
                           Mask::blocks(4), Mask::keep(Keep({1}, {1})), lengths | Mask::causal()}) {
    CHECK_FALSE(mask.plain(2, 4, 4));
    CHECK_FALSE((mask & lengths).plain(2, 4, 4));
    CHECK_FALSE((lengths & Mask::causal() & mask).plain(2, 4, 4));
  }
  const std::size_t all = std::numeric_limits<std::size_t>::max();
  for (const std::size_t after : {std::size_t{0}, std::size_t{2}}) {
    const std::optional<PlainMask> open = Mask::window(all, after).plain(1, 4, 5);
    REQUIRE(open);
    for (std::size_t i = 0; i < 4; ++i)
      CHECK(open->items[0].seen(i) == std::min<std::size_t>(5, i + 2 + after));
  }
  CHECK_THROWS_WITH(lengths.plain(3, 4, 4), Catch::Contains("2 key lengths for 3 items"));
}
