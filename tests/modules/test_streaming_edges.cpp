#include <cmath>

#include <catch2/catch.hpp>

#include "autograd/engine.hpp"
#include "compare.hpp"
#include "core/attention/division.hpp"
#include "core/memory.hpp"
#include "core/parallel.hpp"
#include "modules/attention/multi_head.hpp"
#include "modules/streaming.hpp"

using namespace fovea;
using namespace fovea::streamed;
using streaming::key_tile;
using streaming::query_tile;

// The streaming driver where numbers end: infinities, NaN, clamped exponents, what comes later; and its
// heads.

TEST_CASE("streaming: a value that is not finite reaches the queries that see it and no other",
          "[modules][stream]") {
  for (const Real bad : {nan_value, inf, -inf}) {
    for (const Score& score : {Score(ScaledDotScore{}), Score(given_sums())}) {
      Tensor v = drawn({1, 70, 3}, 3);
      v.data()[3 * 65] = bad;
      Pass pass;
      const Tensor y = attend(score, Variable(drawn({1, 70, 2}, 1)), Variable(drawn({1, 70, 2}, 2)),
                              Variable(v), pass, {Mask::causal()})
                           .context.value();
      for (std::size_t i = 0; i < 70; ++i) {
        CHECK(std::isfinite(y.data()[3 * i]) == (i < 65));
        CHECK(std::isfinite(y.data()[3 * i + 1]));
      }
    }
  }
}

TEST_CASE("streaming: a cotangent that is not finite reaches the keys that its query saw",
          "[modules][stream]") {
  for (const Real bad : {nan_value, inf}) {
    for (const Score& score : {Score(ScaledDotScore{}), Score(given_sums())}) {
      const Variable q = Variable::leaf(drawn({1, 70, 2}, 1)), k = Variable::leaf(drawn({1, 70, 2}, 2)),
                     v = Variable::leaf(drawn({1, 70, 3}, 3));
      Pass pass;
      const Variable y = attend(score, q, k, v, pass, {Mask::causal()}).context;
      Tensor dy = drawn({1, 70, 3}, 4);
      dy.data()[3 * 5] = bad;  // query 5 sees keys 0 … 5
      const std::vector<Tensor> dx = gradients_of(y, dy, {q, k, v});
      for (std::size_t j = 0; j < 70; ++j) {
        INFO("key " << j);
        CHECK(std::isfinite(dx[2].data()[3 * j]) == (j > 5));
        CHECK(std::isfinite(dx[2].data()[3 * j + 1]));
        CHECK(std::isfinite(dx[1].data()[2 * j]) == (j > 5));
      }
    }
  }
}

TEST_CASE("a value that no longer counts is left out, also when it is infinite", "[modules][stream]") {
  Tensor keys = zeros({1, 2 * key_tile, 1}), values = filled({1, 2 * key_tile, 1}, 1);
  keys.data()[2 * key_tile - 1] = 2000;
  values.data()[0] = inf;
  Pass pass;
  const Attended a =
      attend(DotScore{}, Variable(filled({1, 1, 1}, 1)), Variable(keys), Variable(values), pass);
  CHECK(a.context.value().data()[0] == 1);
}

TEST_CASE("an infinite score makes its row NaN, but for what is masked", "[modules][stream]") {
  for (const bool composed : {false, true}) {
    Pass pass;
    const AttendOptions options{Mask::key_lengths({4}), 0, {false, true, false}, {}, composed};
    const Attended a =
        attend(DotScore{}, Variable(filled({1, 1, 1}, 1)), Variable(tensor({1, 5, 1}, {inf, 1, 267, -5, 3})),
               Variable(zeros({1, 5, 1})), pass, options);
    for (std::size_t j = 0; j < 4; ++j) CHECK(std::isnan(a.weights.value().data()[j]));
    CHECK(a.weights.value().data()[4] == 0);
  }
}

TEST_CASE("a zero cotangent gives zero gradients, whatever v and the scale are", "[modules][stream]") {
  const Variable a = Variable::leaf(drawn({1, 3, 2}, 1)), b = Variable::leaf(drawn({1, 4, 2}, 2)),
                 v = Variable::leaf(tensor({2}, {inf, 1})), values = Variable::leaf(drawn({1, 4, 2}, 3));
  for (const Variable& y :
       {additive_attention(a, b, v, values).context, dot_attention(a, b, values, inf).context}) {
    for (const Tensor& dx : gradients_of(y, zeros({1, 3, 2}), {a, b, v, values})) {
      CHECK_THAT(dx, close_to(zeros(dx.shape()), 0));
    }
  }
}

// One query and one key each, so that no other pair speaks for this one.
TEST_CASE("a pair whose sum is small though both sides are large is exact by itself", "[modules][stream]") {
  const Real large = additive_high + 17,
             below = additive_high - 2;  // the clamp of one side alone would mislead
  for (const Real a : {large, -large, below, -below, additive_far + 1, -additive_far - 1}) {
    for (const Real other : {large, additive_high + 1, below, additive_far + 2}) {
      const Real b = a > 0 ? -other : other;
      INFO(a << " meets " << b);
      const Variable s = additive_scores(Variable(filled({1, 1, 1}, a)), Variable(filled({1, 1, 1}, b)),
                                         Variable(filled({1}, 1)));
      CHECK_THAT(s.value(), close_to(filled({1, 1, 1}, std::tanh(a + b)), tolerance));
    }
  }
}

// Causal: whatever comes later, near or far beyond every limit, changes no bit of what came before.
TEST_CASE("streaming never looks ahead, not by a bit, in values or gradients", "[modules][stream]") {
  const std::size_t time = 2 * key_tile + 30, kept = key_tile + 20;
  for (const Score& score : {Score(ScaledDotScore{}), Score(given_sums())}) {
    const auto run = [&](Real later) {
      Tensor k = drawn({1, time, 2}, 2, 5), v = drawn({1, time, 3}, 3);
      for (std::size_t j = kept; later != 0 && j < time; ++j) k.data()[2 * j] = v.data()[3 * j] = later;
      const Variable query = Variable::leaf(drawn({1, time, 2}, 1, 5)), keys = Variable::leaf(k),
                     values = Variable::leaf(v);
      Pass pass;
      const Variable context = attend(score, query, keys, values, pass, {Mask::causal()}).context;
      Tensor dy = drawn({1, time, 3}, 4);
      std::fill(dy.data() + 3 * kept, dy.data() + 3 * time, Real(0));  // the loss looks at what came before
      std::vector<Tensor> all = gradients_of(context, dy, {query, keys, values});
      all.push_back(context.value());
      for (Tensor& tensor : all) tensor = slice(Variable(tensor), 1, 0, kept).value();
      return all;
    };
    const std::vector<Tensor> before = run(0);
    for (const Real size :
         {Real(12), additive_far + 1, additive_high + 1, 10 * additive_high, inf, nan_value}) {
      for (const Real later : {size, -size}) {
        INFO("later keys and values are " << later);
        const std::vector<Tensor> after = run(later);
        for (std::size_t n = 0; n < before.size(); ++n) CHECK(same_bits(before[n], after[n]));
      }
    }
  }
}

// Each head is an attention of its own part of the width, with its own bias and dropout.
TEST_CASE("heads attend by themselves", "[modules][stream]") {
  const std::size_t heads = 3, width = 4, out = 2, items = 2, queries = query_tile + 5, keys = key_tile + 6;
  for (const std::size_t key_items : {items, std::size_t{1}}) {
    const Variable q = drawn({items, queries, heads * width}, 1),
                   k = drawn({key_items, keys, heads * width}, 2),
                   v = drawn({key_items, keys, heads * out}, 3),
                   bias = drawn({items, heads, queries, keys}, 5), weight = drawn({heads * width}, 6);
    for (const bool additive : {false, true}) {
      Rng rng(7), mask_rng(7);
      const AttentionOptions together{Mask::causal(), bias, 0.3, &rng, {true, true, true}, heads};
      const Attended all = additive ? additive_attention(q, k, weight, v, together)
                                    : dot_attention(q, k, v, Real(0.5), together);
      const Variable kept = keep_mask(mask_rng, {items, heads, queries, keys}, 0.7);
      CHECK(rng.state() == mask_rng.state());
      for (std::size_t h = 0; h < heads; ++h) {
        INFO("head " << h << ", additive " << additive << ", items of keys " << key_items);
        const auto part = [&](const Variable& x, std::size_t n) { return slice(x, -1, h * n, (h + 1) * n); };
        const auto head_of = [&](const Variable& x) {
          const Variable one = slice(x, 1, h, h + 1);
          Shape shape = one.shape();
          shape.erase(shape.begin() + 1);
          return reshape(one, shape);
        };
        const AttentionOptions alone{Mask::causal(), head_of(bias), 0, nullptr, {true, true, true}};
        const Attended one =
            additive
                ? additive_attention(part(q, width), part(k, width), part(weight, width), part(v, out), alone)
                : dot_attention(part(q, width), part(k, width), part(v, out), Real(0.5), alone);
        const Variable dropped = mul(one.weights, scale(head_of(kept), 1 / Real(0.7)));
        CHECK_THAT(part(all.context, out).value(),
                   close_to(weighted_sum(dropped, part(v, out)).value(), tolerance));
        CHECK_THAT(head_of(all.scores).value(), close_to(one.scores.value(), tolerance));
        CHECK_THAT(head_of(all.weights).value(), close_to(one.weights.value(), tolerance));
        CHECK_THAT(head_of(all.entropy).value(), close_to(one.entropy.value(), tolerance));
      }
    }
  }
}

TEST_CASE("multi-head attention of a sequence to itself is that of queries to keys", "[modules][stream]") {
  for (const std::size_t heads : {1, 2}) {
    Rng rng(3);
    const MultiHead module(8, heads, rng);
    const Variable x = drawn({2, 7, 8}, 4);
    Pass pass;
    AttendOptions options{Mask::causal(), 0, {true, true, true}};
    const Attended self = module(x, pass, options), cross = module(x, x, x, pass, options);
    CHECK(self.weights.shape() == Shape{2, heads, 7, 7});
    CHECK(self.entropy.shape() == Shape{2, heads, 7});
    CHECK_THAT(self.context.value(), close_to(cross.context.value(), tolerance));
    CHECK_THAT(self.weights.value(), close_to(cross.weights.value(), tolerance));
    CHECK_THAT(sum(self.weights, -1).value(), close_to(filled({2, heads, 7}, 1), tolerance));
    CHECK_THROWS_WITH(module(Variable(drawn({2, 7, 6}, 4)), pass),
                      Catch::Contains("[multi-head]") && Catch::Contains("[2, 7, 6]"));
    options.composed = true;
    CHECK_THROWS_AS(module(x, pass, options), ConfigError);
  }
  Rng rng(3);
  CHECK_THROWS_WITH(MultiHead(8, 3, rng), Catch::Contains("3 heads"));
}

// Case RT-DETR PR#680. All memory is taken on this thread, so that it counts.
TEST_CASE("attention over 4,096 keys holds no array of queries and keys, forward or backward",
          "[modules][stream][slow]") {
  constexpr std::size_t time = 4096, heads = 4, width = 32;
  const HeadScore score = GENERATE(HeadScore::scaled_dot, HeadScore::additive);
  const std::size_t before = threads();
  set_threads(1);
  Rng rng(1);
  const MultiHead attention(width, heads, rng, score);
  const Variable x(streamed::drawn({1, time, width}, 2));
  Pass pass = Pass::evaluation();
  {
    const memory::Budget budget(time * time * sizeof(Real) / 2);  // half of what one head would take
    const Variable context = attention(x, pass).context;
    backward(mean(context * context));
  }
  set_threads(before);
  REQUIRE(attention.in.weight.grad());
  CHECK(all_finite(*attention.in.weight.grad()));
}
