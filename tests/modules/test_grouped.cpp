#include <array>
#include <cmath>

#include <catch2/catch.hpp>

#include "autograd/gradcheck.hpp"
#include "compare.hpp"
#include "core/parallel.hpp"
#include "modules/attention/attend.hpp"
#include "modules/attention/grouped.hpp"
#include "modules/streaming.hpp"

using namespace fovea;
using namespace fovea::streamed;
using Catch::Contains;

// Attention in parts against attention from plain ops, under the one mask that the parts make together.

namespace {

constexpr std::size_t items = 2, heads = 2, queries = 150, keys = 200, width = 5, value_width = 3;

struct Inputs {
  Variable query, keys, values, v;

  Inputs(std::size_t tq, std::size_t tk, std::uint64_t seed = 1, std::size_t b = items)
      : query(Variable::leaf(drawn({b, tq, heads * width}, seed))),
        keys(Variable::leaf(drawn({b, tk, heads * width}, seed + 1))),
        values(Variable::leaf(drawn({b, tk, heads * value_width}, seed + 2))),
        v(Variable::leaf(drawn({heads * width}, seed + 3))) {}

  HeadScoring scoring(bool additive) const { return {Real(0.4), additive ? v : Variable()}; }
  std::vector<Variable> all(bool additive) const {
    return additive ? std::vector{query, keys, values, v} : std::vector{query, keys, values};
  }
};

Ids drawn_ids(const Shape& shape, std::size_t kinds, std::uint64_t seed) {
  Rng rng(seed);
  Ids ids(shape, std::vector<std::int64_t>(volume(shape)));
  for (auto& id : ids.values) id = static_cast<std::int64_t>(rng.below(kinds));
  return ids;
}

Grouping drawn_grouping(std::size_t of_heads, std::size_t kinds, std::uint64_t seed, std::size_t tq = queries,
                        std::size_t tk = keys) {
  return {drawn_ids({items, of_heads, tq}, kinds, seed), drawn_ids({items, of_heads, tk}, kinds, seed + 50)};
}

// A head's ids, [B, T].
Ids of_head(const Ids& ids, std::size_t head) {
  const std::size_t g = ids.shape[1] == 1 ? 0 : head, length = ids.shape[2];
  std::vector<std::int64_t> found;
  for (std::size_t b = 0; b < ids.shape[0]; ++b) {
    const auto* from = ids.values.data() + (b * ids.shape[1] + g) * length;
    found.insert(found.end(), from, from + length);
  }
  return {{ids.shape[0], length}, found};
}

Variable cut(const Variable& x, std::size_t head) {
  const std::size_t size = x.length(-1) / heads;
  return slice(x, -1, head * size, (head + 1) * size);
}

// From plain ops, head by head, with every pair in memory.
Attended composed(const Inputs& in, bool additive, const std::vector<Grouping>& groupings,
                  const std::optional<Mask>& beside, const Mask& mask) {
  std::vector<Variable> context, scores, weights, entropies;
  for (std::size_t h = 0; h < heads; ++h) {
    const Variable q = cut(in.query, h), k = cut(in.keys, h);
    const std::size_t b = q.shape()[0], tq = q.shape()[1], tk = k.shape()[1];
    Variable s;
    if (additive) {
      const Variable sums = add(reshape(q, {b, tq, 1, width}), reshape(k, {b, 1, tk, width}));
      s = sum(mul(tanh(sums), slice(in.v, 0, h * width, (h + 1) * width)), -1);
    } else {
      s = scale(matmul(q, k, false, true), Real(0.4));
    }
    Mask all = Mask::keep(Keep({1}, {0}));
    for (const Grouping& grouping : groupings)
      all = all | Mask::groups(of_head(grouping.queries, h), of_head(grouping.keys, h));
    if (beside) all = all | *beside;
    Pass pass;
    const Attended one = attend_scores(s, cut(in.values, h), pass, {all & mask, 0, {true, true, true}});
    context.push_back(one.context);
    scores.push_back(one.scores);
    weights.push_back(one.weights);
    entropies.push_back(one.entropy);
  }
  return {concat(context, -1), stack(scores, 1), stack(weights, 1), stack(entropies, 1)};
}

AttentionOptions options_with(const Mask& mask) { return {mask, {}, 0, nullptr, {true, true, true}, heads}; }

// Gradients of all inputs for cotangents that are fixed random numbers; `which` of context, scores, weights,
// entropy has one.
std::vector<Tensor> gradients_of_all(const Attended& a, const Inputs& in, bool additive, int which) {
  std::vector<Variable> results;
  std::vector<Tensor> cotangents;
  for (const Variable& result : {a.context, a.scores, a.weights, a.entropy}) {
    if ((which & 1) && result.defined()) {
      results.push_back(result);
      cotangents.push_back(drawn(result.shape(), 90 + results.size()));
    }
    which >>= 1;
  }
  return gradients(results, cotangents, in.all(additive));
}

void check_close(const Tensor& found, const Tensor& expected) {
  double largest = 1;
  for (const Real x : expected) largest = std::max(largest, std::abs(static_cast<double>(x)));
  CHECK_THAT(found, close_to(expected, tolerance * largest));
}

void check_same(const Attended& found, const Attended& expected, const Inputs& in, bool additive,
                int which = 15) {
  check_close(found.context.value(), expected.context.value());
  check_close(found.scores.value(), expected.scores.value());
  check_close(found.weights.value(), expected.weights.value());
  check_close(found.entropy.value(), expected.entropy.value());
  const auto dx = gradients_of_all(found, in, additive, which),
             expected_dx = gradients_of_all(expected, in, additive, which);
  for (std::size_t i = 0; i < dx.size(); ++i) {
    INFO("gradient " << i);
    check_close(dx[i], expected_dx[i]);
  }
}

}  // namespace

TEST_CASE("grouped attention equals composed attention under the mask of the groups", "[modules][grouped]") {
  const std::vector<Mask> masks = {
      Mask(), Mask::causal(),
      Mask::key_lengths({keys, 70}) & Mask::query_lengths({queries, 40}) & Mask::causal(),
      Mask::window(60, 10) | Mask::first_tokens(2)};
  const std::vector<std::optional<Mask>> besides = {std::nullopt, Mask::window(0, 0),
                                                    Mask::window(4, 3) | Mask::first_tokens(1)};
  std::uint64_t seed = 1;
  for (const bool additive : {false, true}) {
    for (const std::size_t of_heads : {std::size_t{1}, heads}) {
      for (std::size_t count = 1; count <= 3; ++count) {
        for (std::size_t m = 0; m < masks.size(); ++m) {
          const auto& beside = besides[(m + count) % besides.size()];
          INFO("additive " << additive << ", groups of " << of_heads << " heads, " << count
                           << " groupings, mask " << m);
          const Inputs in(queries, keys, seed);
          std::vector<Grouping> groupings;
          for (std::size_t n = 0; n < count; ++n) groupings.push_back(drawn_grouping(of_heads, 4, ++seed));
          const Attended found = grouped_attention(in.scoring(additive), in.query, in.keys, in.values,
                                                   groupings, beside, options_with(masks[m]));
          check_same(found, composed(in, additive, groupings, beside, masks[m]), in, additive);
        }
      }
    }
  }
}

TEST_CASE("grouped attention: any of its results may have a cotangent", "[modules][grouped]") {
  const std::vector<Grouping> groupings{drawn_grouping(heads, 3, 1, 20, 70),
                                        drawn_grouping(heads, 5, 2, 20, 70)};
  for (const bool additive : {false, true}) {
    for (int which = 1; which < 16; ++which) {
      INFO("additive " << additive << ", results " << which);
      const Inputs in(20, 70);
      const Attended found = grouped_attention(in.scoring(additive), in.query, in.keys, in.values, groupings,
                                               Mask::window(1, 0), options_with(Mask::causal()));
      check_same(found, composed(in, additive, groupings, Mask::window(1, 0), Mask::causal()), in, additive,
                 which);
    }
  }
}

TEST_CASE("what is asked for beside the context does not change it", "[modules][grouped]") {
  const std::vector<Grouping> groupings{drawn_grouping(heads, 4, 1), drawn_grouping(heads, 4, 2)};
  const Inputs in(queries, keys);
  const auto run = [&](const Want& want) {
    AttentionOptions options = options_with(Mask::causal());
    options.want = want;
    Rng rng(3);
    options.dropout = 0.3;
    options.rng = &rng;
    return grouped_attention(in.scoring(false), in.query, in.keys, in.values, groupings, {}, options)
        .context.value();
  };
  const Tensor plain = run({});
  CHECK(same_bits(run({true, true, true}), plain));
  CHECK(same_bits(run({false, false, true}), plain));
}

TEST_CASE("one group is full attention, to the bit", "[modules][grouped]") {
  const Grouping one{Ids({items, 1, queries}, std::vector<std::int64_t>(items * queries, 5)),
                     Ids({items, 1, keys}, std::vector<std::int64_t>(items * keys, 5))};
  for (const bool additive : {false, true}) {
    for (const Mask& mask : {Mask(), Mask::causal() & Mask::key_lengths({keys, 0})}) {
      for (const std::optional<Mask>& beside : {std::optional<Mask>(), std::optional(Mask::window(0, 0))}) {
        const Inputs in(queries, keys);
        Rng rng(4), other(4);
        AttentionOptions options = options_with(mask);
        options.dropout = 0.2;
        options.rng = &rng;
        const Attended found =
            grouped_attention(in.scoring(additive), in.query, in.keys, in.values, {&one, 1}, beside, options);
        options.rng = &other;
        const Attended full = additive ? additive_attention(in.query, in.keys, in.v, in.values, options)
                                       : dot_attention(in.query, in.keys, in.values, Real(0.4), options);
        CHECK((found.context.value() == full.context.value()));
        CHECK((found.scores.value() == full.scores.value()));
        CHECK((found.weights.value() == full.weights.value()));
        CHECK((found.entropy.value() == full.entropy.value()));
        const auto dx = gradients_of_all(found, in, additive, 13),
                   expected = gradients_of_all(full, in, additive, 13);
        for (std::size_t i = 0; i < dx.size(); ++i) CHECK((dx[i] == expected[i]));
      }
    }
  }
}

TEST_CASE("strided attention equals the strided mask", "[modules][grouped]") {
  for (const bool additive : {false, true}) {
    for (const std::size_t stride :
         {std::size_t{1}, std::size_t{3}, std::size_t{64}, std::size_t{500}, (std::size_t{1} << 63) - 1}) {
      for (const auto& [tq, tk] : {std::pair{queries, keys}, {keys, keys}, {keys, queries}, {1ul, keys}}) {
        INFO("stride " << stride << ", " << tq << " queries, " << tk << " keys");
        // Without a mask: under a causal one no query before the first key would see any.
        const Grouping groups = strided_groups(stride, {}, items, tq, tk);
        CHECK(
            Mask::groups(of_head(groups.queries, 0), of_head(groups.keys, 0)).expand(items, tq, tk).values ==
            Mask::strided(stride).expand(items, tq, tk).values);
        const Inputs in(tq, tk);
        const Mask mask = Mask::key_lengths({tk, 77}) & Mask::query_lengths({tq, tq / 2}) & Mask::causal();
        const Attended found = strided_attention(stride, in.scoring(additive), in.query, in.keys, in.values,
                                                 Mask::window(2, 1), options_with(mask));
        check_same(found, composed(in, additive, {}, Mask::strided(stride) | Mask::window(2, 1), mask), in,
                   additive, 5);
      }
    }
  }
  CHECK_THROWS_WITH(strided_groups(0, {}, 1, 2, 3), Contains("stride of 0"));
}

TEST_CASE("grouped attention: what is not finite has no influence under a mask", "[modules][grouped]") {
  const std::size_t length = 120;
  const Mask mask = Mask::key_lengths({50, length}) & Mask::query_lengths({40, length}) & Mask::causal();
  for (const bool additive : {false, true}) {
    std::vector<Grouping> clean_groups{drawn_grouping(heads, 4, 1, length, length)};
    std::vector<Grouping> other_groups = clean_groups;
    Inputs clean(length, length);
    Tensor q = clean.query.value(), k = clean.keys.value(), v = clean.values.value();
    for (std::size_t t = 50; t < length; ++t) {
      for (std::size_t n = 0; n < heads * width; ++n)
        k.data()[t * heads * width + n] = n % 2 ? nan_value : inf;
      for (std::size_t n = 0; n < heads * value_width; ++n) v.data()[t * heads * value_width + n] = nan_value;
      for (std::size_t h = 0; h < heads; ++h) other_groups[0].keys.values[h * length + t] = 1;
    }
    for (std::size_t t = 40; t < length; ++t) q.data()[t * heads * width] = nan_value;
    Inputs dirty = clean;
    dirty.query = Variable::leaf(q), dirty.keys = Variable::leaf(k), dirty.values = Variable::leaf(v);
    AttentionOptions options = options_with(mask);
    options.want.scores = false;
    const auto run = [&](const Inputs& in, const std::vector<Grouping>& groups) {
      return grouped_attention(in.scoring(additive), in.query, in.keys, in.values, groups, Mask::window(0, 0),
                               options);
    };
    const Attended expected = run(clean, clean_groups), found = run(dirty, other_groups);
    CHECK(same_bits(found.context.value(), expected.context.value()));
    CHECK(same_bits(found.weights.value(), expected.weights.value()));
    CHECK(same_bits(found.entropy.value(), expected.entropy.value()));
    const auto dx = gradients_of_all(found, dirty, additive, 13),
               expected_dx = gradients_of_all(expected, clean, additive, 13);
    for (std::size_t i = 0; i < dx.size(); ++i) CHECK((dx[i] == expected_dx[i]));
    // Nothing reaches what is hidden.
    for (std::size_t n = 50 * heads * width; n < length * heads * width; ++n) REQUIRE(dx[1].data()[n] == 0);
  }
}

TEST_CASE("grouped attention: a query without a key has results and gradients of 0", "[modules][grouped]") {
  // Query 3 of item 0 is alone in its group, item 1 has no keys at all.
  Grouping groups{Ids({items, 1, 6}, std::vector<std::int64_t>(items * 6, 1)),
                  Ids({items, 1, 6}, std::vector<std::int64_t>(items * 6, 1))};
  groups.queries.values[3] = 2;
  for (const bool additive : {false, true}) {
    const Inputs in(6, 6);
    const Attended a = grouped_attention(in.scoring(additive), in.query, in.keys, in.values, {&groups, 1}, {},
                                         options_with(Mask::key_lengths({6, 0})));
    const auto dx = gradients_of_all(a, in, additive, 13);
    const auto zero_row = [&](const Tensor& x, std::size_t t) {
      const std::size_t size = x.shape()[2];
      for (std::size_t n = t * size; n < (t + 1) * size; ++n) REQUIRE(x.data()[n] == 0);
    };
    for (const std::size_t t : {3, 6, 7, 8, 9, 10, 11}) {
      zero_row(a.context.value(), t);
      zero_row(dx[0], t);
    }
    for (std::size_t n = items * heads * 3; n < items * heads * 6; ++n)
      REQUIRE(a.entropy.value().data()[n] == 0);
    CHECK(a.context.value().data()[0] != 0);
    // In self-attention a position sees itself.
    const Attended self = grouped_attention(in.scoring(additive), in.query, in.keys, in.values, {&groups, 1},
                                            Mask::window(0, 0), options_with(Mask::key_lengths({6, 0})));
    for (std::size_t n = 0; n < heads * value_width; ++n) {
      const std::size_t at = 3 * heads * value_width + n;
      CHECK(self.context.value().data()[at] == in.values.value().data()[at]);
    }
  }
}

TEST_CASE("grouped attention has the same bits for any number of threads", "[modules][grouped]") {
  for (const bool additive : {false, true}) {
    const Inputs in(500, 400);
    const std::vector<Grouping> groupings{drawn_grouping(heads, 6, 1, 500, 400),
                                          drawn_grouping(heads, 6, 2, 500, 400)};
    const auto run = [&](std::size_t count) {
      set_threads(count);
      Rng rng(3);
      AttentionOptions options{Mask::causal(), {}, 0.2, &rng, {false, false, true}, heads};
      const Attended a = grouped_attention(in.scoring(additive), in.query, in.keys, in.values, groupings,
                                           Mask::window(0, 0), options);
      std::vector<Tensor> all = gradients_of_all(a, in, additive, 9);
      all.push_back(a.context.value());
      all.push_back(a.entropy.value());
      set_threads(0);
      return all;
    };
    const auto one = run(1), three = run(3);
    for (std::size_t i = 0; i < one.size(); ++i) CHECK(same_bits(one[i], three[i]));
  }
}

TEST_CASE("grouped attention drops weights of every grouping", "[modules][grouped]") {
  // Values that are an identity show the weights.
  const std::size_t length = 80;
  const std::vector<Grouping> groupings{drawn_grouping(heads, 2, 1, length, length),
                                        drawn_grouping(heads, 2, 2, length, length)};
  const Inputs in(length, length);
  Tensor identity = zeros({items, length, heads * length});
  for (std::size_t n = 0; n < items * length; ++n) {
    for (std::size_t h = 0; h < heads; ++h) identity.data()[n * heads * length + h * length + n % length] = 1;
  }
  Rng rng(3);
  const AttentionOptions options{{}, {}, 0.25, &rng, {.weights = true}, heads};
  const Attended a =
      grouped_attention(in.scoring(false), in.query, in.keys, Variable(identity), groupings, {}, options);
  CHECK(rng.state().counter == 2 * (items * heads * length * length / 2));
  std::size_t dropped = 0, there = 0;
  for (std::size_t b = 0; b < items; ++b) {
    for (std::size_t h = 0; h < heads; ++h) {
      for (std::size_t i = 0; i < length; ++i) {
        for (std::size_t j = 0; j < length; ++j) {
          const double w = a.weights.value().at(b, h, i, j),
                       kept = a.context.value().at(b, i, h * length + j);
          if (w == 0) continue;
          ++there;
          dropped += kept == 0;
          if (kept != 0) REQUIRE(kept == Approx(w / 0.75).epsilon(1e-5));
        }
      }
    }
  }
  // Four standard deviations.
  const double n = static_cast<double>(there);
  CHECK(std::abs(static_cast<double>(dropped) - 0.25 * n) < 4 * std::sqrt(0.25 * 0.75 * n));
}

TEST_CASE("grouped attention of nothing is nothing", "[modules][grouped]") {
  for (const bool additive : {false, true}) {
    for (const auto& [b, tq, tk] : {std::array<std::size_t, 3>{2, 3, 0}, {2, 0, 3}, {0, 3, 3}, {2, 0, 0}}) {
      const Inputs in(tq, tk, 1, b);
      const Grouping groups{drawn_ids({b, heads, tq}, 2, 1), drawn_ids({b, heads, tk}, 2, 2)};
      const Attended a = grouped_attention(in.scoring(additive), in.query, in.keys, in.values, {&groups, 1},
                                           Mask::window(0, 0), options_with(Mask::causal()));
      CHECK_THAT(a.context.value(), close_to(zeros({b, tq, heads * value_width})));
      CHECK_THAT(a.entropy.value(), close_to(zeros({b, heads, tq})));
      for (const Tensor& dx : gradients_of_all(a, in, additive, 15))
        CHECK_THAT(dx, close_to(zeros(dx.shape())));
    }
  }
}

TEST_CASE("gradients of grouped attention", "[modules][grouped]") {
  if constexpr (sizeof(Real) == sizeof(double)) {
    const std::size_t length = 7;
    const std::vector<Grouping> groupings{drawn_grouping(heads, 3, 1, length, length),
                                          drawn_grouping(heads, 3, 2, length, length)};
    for (const bool additive : {false, true}) {
      const Inputs in(length, length);
      const auto f = [&](std::span<const Variable> x) {
        Rng rng(3);
        AttentionOptions options{Mask::causal(), {}, 0.3, &rng, {true, true, true}, heads};
        const Attended a = grouped_attention({Real(0.4), additive ? x[3] : Variable()}, x[0], x[1], x[2],
                                             groupings, Mask::window(0, 0), options);
        std::vector<Variable> flat;
        for (const Variable& y : {a.context, a.scores, a.weights, a.entropy})
          flat.push_back(reshape(y, {y.size()}));
        return concat(flat, 0);
      };
      std::vector<Tensor> inputs;
      for (const Variable& x : in.all(additive)) inputs.push_back(x.value());
      const GradcheckReport report = gradcheck(f, inputs);
      INFO(report.text());
      CHECK(report.passed);
    }
  }
}

TEST_CASE("grouped attention refuses in words what does not fit", "[modules][grouped]") {
  const Inputs in(4, 5);
  const Grouping fits = drawn_grouping(heads, 2, 1, 4, 5);
  const auto run = [&](const Grouping& groups, AttentionOptions options = {.heads = heads}) {
    return grouped_attention({}, in.query, in.keys, in.values, {&groups, 1}, {}, options);
  };
  CHECK_NOTHROW(run(fits));
  CHECK_THROWS_WITH(run({fits.keys, fits.queries}),
                    Contains("[2, 2, 5] and [2, 2, 4]") && Contains("[2, 4, 10]"));
  CHECK_THROWS_WITH(run(drawn_grouping(3, 2, 1, 4, 5)), Contains("3 heads") && Contains("2 heads"));
  CHECK_THROWS_WITH(run({Ids({1, 2}), Ids({1})}), Contains("[2] and [1]"));
  CHECK_THROWS_WITH(run(fits, {.mask = Mask::key_lengths({9, 9}), .heads = heads}),
                    Contains("key length 9 of 5"));
  CHECK_THROWS_AS(run(fits, {.bias = Variable(zeros({4, 5})), .heads = heads}), ConfigError);
  CHECK_THROWS_WITH(grouped_attention({}, in.query, in.keys, in.values, {}, {}, {.heads = heads}),
                    Contains("no part"));
  CHECK_THROWS_WITH(grouped_attention({}, in.query, in.keys, {}, {&fits, 1}, {}, {.heads = heads}),
                    Contains("values are undefined"));
  CHECK_THROWS_WITH(
      grouped_attention({}, in.query, slice(in.keys, 0, 0, 1), in.values, {&fits, 1}, {}, {.heads = heads}),
      Contains("[2, 4, 10]") && Contains("[1, 5, 10]"));
  CHECK_THROWS_WITH(
      grouped_attention({}, in.query, in.keys, slice(in.values, 0, 0, 1), {&fits, 1}, {}, {.heads = heads}),
      Contains("[1, 5, 6]") && Contains("each of the 2 items"));
  // Orders that are none.
  const Ids q({2, 1, 4}, {0, 1, 2, 3, 3, 2, 1, 0}), k({2, 1, 5}, {0, 1, 2, 3, 4, 0, 1, 2, 3, 3});
  const OrderedPairs twice{q, k}, wide{q, q};
  CHECK_THROWS_WITH(dot_attention_in_parts(in.query, in.keys, in.values, 1, {&twice, 1}, {.heads = heads}),
                    Contains("order of keys is no permutation: place 3 at [1, 0, 4]"));
  CHECK_THROWS_WITH(dot_attention_in_parts(in.query, in.keys, in.values, 1, {&wide, 1}, {.heads = heads}),
                    Contains("[2, 1, 4]") && Contains("[2, 1 or 2, 5]"));
}
