#include <cmath>

#include <catch2/catch.hpp>

#include "autograd/engine.hpp"
#include "compare.hpp"
#include "core/attention/division.hpp"
#include "core/parallel.hpp"
#include "modules/attention/attend.hpp"
#include "modules/streaming.hpp"

using namespace fovea;
using namespace fovea::streamed;
using streaming::key_tile;
using streaming::least_chunk_tiles;
using streaming::query_tile;

// The streaming driver against attention from plain ops: values and all gradients.

namespace {

struct Setting {
  Tensor query, keys, values;
  Score score;
  AttendOptions options = {};
  bool training = false;
};

struct Outcome {
  std::vector<std::string> names;
  std::vector<Tensor> tensors;

  void add(const std::string& name, const Tensor& tensor) {
    names.push_back(name);
    tensors.push_back(tensor);
  }
};

// Results, and gradients for cotangents that are fixed random numbers for each result in `loss`.
Outcome outcome(const Setting& s, bool composed, const Want& loss, bool context = true) {
  Variable q = Variable::leaf(s.query), k = Variable::leaf(s.keys), v = Variable::leaf(s.values);
  AttendOptions options = s.options;
  options.composed = composed;
  Variable bias;
  if (options.bias.defined()) options.bias = bias = Variable::leaf(options.bias.value());
  Pass pass{s.training, Rng(5)};
  const Attended a = attend(s.score, q, k, v, pass, options);
  std::vector<Variable> results;
  std::vector<Tensor> cotangents;
  Outcome out;
  const auto take = [&](const char* name, const Variable& result, bool in_loss) {
    if (!result.defined()) return;
    out.add(name, result.value());
    if (!in_loss) return;
    results.push_back(result);
    cotangents.push_back(drawn(result.shape(), 90 + results.size()));
  };
  take("context", a.context, context);
  take("scores", a.scores, loss.scores);
  take("weights", a.weights, loss.weights);
  take("entropy", a.entropy, loss.entropy);
  std::vector<Variable> inputs{q, k, v};
  if (bias.defined()) inputs.push_back(bias);
  if (const auto* additive = std::get_if<AdditiveScore>(&s.score)) inputs.push_back(additive->v);
  if (results.empty()) return out;
  const std::vector<Tensor> dx = gradients(results, cotangents, inputs);
  for (std::size_t i = 0; i < inputs.size(); ++i) out.add("gradient " + std::to_string(i), dx[i]);
  return out;
}

void check_same(const Setting& s, const Want& loss = {}, bool context = true) {
  const Outcome fused = outcome(s, false, loss, context), plain = outcome(s, true, loss, context);
  REQUIRE(fused.names == plain.names);
  for (std::size_t i = 0; i < fused.names.size(); ++i) {
    INFO(fused.names[i]);
    // Gradients are sums over pairs, whose rounding goes with the largest of them.
    double largest = 0;
    for (const Real x : plain.tensors[i]) largest = std::max(largest, std::abs(static_cast<double>(x)));
    CHECK_THAT(fused.tensors[i], close_to(plain.tensors[i], tolerance * std::max(1.0, largest)));
  }
}

std::vector<Score> both_scores(std::size_t width, std::size_t hidden = 7) {
  Rng rng(1);
  return {ScaledDotScore{}, AdditiveScore(width, width, hidden, rng)};
}

}  // namespace

TEST_CASE("streaming equals composed at the edges of tiles", "[modules][stream]") {
  for (const std::size_t queries :
       {std::size_t{1}, std::size_t{2}, std::size_t{16}, std::size_t{17}, std::size_t{33}, query_tile - 1,
        query_tile, query_tile + 1, 2 * query_tile + 1}) {
    for (const std::size_t keys : {std::size_t{1}, std::size_t{15}, std::size_t{16}, std::size_t{17},
                                   std::size_t{31}, key_tile - 1, key_tile, key_tile + 1, 2 * key_tile + 1}) {
      for (const Score& score : both_scores(5)) {
        INFO(queries << " queries, " << keys << " keys, score " << score.index());
        check_same({drawn({2, queries, 5}, 1),
                    drawn({2, keys, 5}, 2),
                    drawn({2, keys, 3}, 3),
                    score,
                    {{}, 0, {true, true, true}}},
                   {true, true, true});
      }
    }
  }
}

TEST_CASE("streaming equals composed over a thousand keys", "[modules][stream]") {
  for (const Score& score : both_scores(8)) {
    check_same({drawn({1, 70, 8}, 1),
                drawn({1, 1000, 8}, 2),
                drawn({1, 1000, 16}, 3),
                score,
                {Mask::causal(), 0, {false, false, true}}},
               {false, false, true});
  }
}

// Each chunk of queries is a task that sums gradients of the same keys.
TEST_CASE("streaming equals composed in several chunks of queries", "[modules][stream]") {
  constexpr std::size_t chunk = least_chunk_tiles * query_tile;
  for (const std::size_t queries : {chunk + 1, 2 * chunk + 24}) {
    for (const Shape& keys : {Shape{2, key_tile + 1, 5}, Shape{key_tile + 1, 5}}) {
      for (const Shape& values : {Shape{2, key_tile + 1, 3}, Shape{key_tile + 1, 3}}) {
        for (const Score& score : both_scores(5)) {
          INFO(queries << " queries, keys " << to_string(keys) << ", values " << to_string(values));
          check_same({drawn({2, queries, 5}, 1),
                      drawn(keys, 2),
                      drawn(values, 3),
                      score,
                      {Mask::window(40, 30), 0, {true, true, true}}},
                     {true, true, true});
        }
      }
    }
  }
}

TEST_CASE("streaming equals composed for every combination of results", "[modules][stream]") {
  for (int loss = 1; loss < 16; ++loss) {
    for (const Score& score : both_scores(4)) {
      INFO("loss of results " << loss);
      const Want want{(loss & 1) != 0, (loss & 2) != 0, (loss & 4) != 0};
      check_same({drawn({2, 5, 4}, 1),
                  drawn({2, 70, 4}, 2),
                  drawn({2, 70, 3}, 3),
                  score,
                  {Mask::key_lengths({70, 3}), 0, want}},
                 want, (loss & 8) != 0);
    }
  }
}

TEST_CASE("streaming equals composed under every mask", "[modules][stream]") {
  Rng rng(4);
  std::vector<unsigned char> any(2 * 70 * 80);
  for (auto& keep : any) keep = rng.chance(0.3);
  const std::vector<Mask> masks = {Mask::causal(),
                                   Mask::causal(-20),
                                   Mask::window(5, 2),
                                   Mask::window(3, 0) | Mask::global_tokens({0, 40}),
                                   Mask::strided(7) | Mask::window(2, 2),
                                   Mask::blocks(16),
                                   Mask::key_lengths({0, 77}),
                                   Mask::query_lengths({69, 1}) & Mask::causal(),
                                   Mask::keep(Keep({2, 70, 80}, any))};
  for (std::size_t n = 0; n < masks.size(); ++n) {
    for (const Score& score : both_scores(4)) {
      INFO("mask " << n);
      check_same({drawn({2, 70, 4}, 1),
                  drawn({2, 80, 4}, 2),
                  drawn({2, 80, 3}, 3),
                  score,
                  {masks[n], 0, {true, true, true}}},
                 {true, true, true});
      // Keys and values that the batch shares: its items are queries of one group.
      check_same({drawn({2, 70, 4}, 1),
                  drawn({80, 4}, 2),
                  drawn({80, 3}, 3),
                  score,
                  {masks[n], 0, {true, true, true}}},
                 {true, true, true});
    }
  }
}

TEST_CASE("streaming equals composed with a bias and with dropout", "[modules][stream]") {
  for (const Shape& shape : {Shape{2, 5, 70}, Shape{5, 70}, Shape{5, 1}, Shape{2, 1, 70}, Shape{}}) {
    for (const Score& score : both_scores(4)) {
      check_same({drawn({2, 5, 4}, 1),
                  drawn({2, 70, 4}, 2),
                  drawn({2, 70, 3}, 3),
                  score,
                  {Mask::causal(), 0.3, {false, true, true}, Variable(drawn(shape, 6))},
                  true},
                 {false, true, true});
    }
  }
}

TEST_CASE("additive streaming equals composed for every pair of pre-activations", "[modules][stream]") {
  std::vector<Real> x;
  for (const double size : {0.0, 1.0, 30.0, 34.0, 36.0, 40.0, 42.9, 43.1, 50.0, 60.0, 79.5, 80.0, 1e4}) {
    x.push_back(static_cast<Real>(size));
    x.push_back(static_cast<Real>(-size));
    if (sizeof(Real) == 8) {  // the same places of the wider exponent
      x.push_back(static_cast<Real>(size * 8.14));
      x.push_back(static_cast<Real>(-size * 8.14));
    }
  }
  Tensor a = uninitialized({1, x.size(), 2}), b = uninitialized({1, x.size(), 2});
  for (std::size_t i = 0; i < x.size(); ++i) {
    a.data()[2 * i] = b.data()[2 * i] = x[i];
    a.data()[2 * i + 1] = x[(i * 5 + 1) % x.size()];
    b.data()[2 * i + 1] = x[(i * 3 + 2) % x.size()];
  }
  check_same({a, b, drawn({1, x.size(), 3}, 3), given_sums(), {{}, 0, {true, true, true}}},
             {true, true, true});
  check_same({a, b, drawn({1, x.size(), 3}, 3), given_sums(), {Mask::causal(), 0, {true, true, true}}},
             {true, true, true});
}

TEST_CASE("streaming: what is not finite has no influence under a mask", "[modules][stream]") {
  for (const Real bad : {nan_value, inf, -inf}) {
    for (const Score& score : {Score(ScaledDotScore{}), Score(given_sums())}) {
      Tensor q = drawn({2, 60, 2}, 1), k = drawn({2, 70, 2}, 2), v = drawn({2, 70, 3}, 3);
      // Keys and values from 50 on are padding in item 0, queries from 40 on.
      for (std::size_t j = 50; j < 70; ++j) k.data()[2 * j] = v.data()[3 * j + 1] = bad;
      for (std::size_t i = 40; i < 60; ++i) q.data()[2 * i + 1] = bad;
      const Mask mask = Mask::key_lengths({50, 70}) & Mask::query_lengths({40, 60});
      const Setting dirty{q, k, v, score, {mask, 0, {false, true, true}}};
      const Outcome out = outcome(dirty, false, {false, true, true});
      for (std::size_t n = 0; n < out.names.size(); ++n) {
        INFO(out.names[n]);
        CHECK(all_finite(out.tensors[n]));
      }
    }
  }
}

TEST_CASE("streaming has the same bits for any number of threads", "[modules][stream]") {
  for (const Score& score : both_scores(16)) {
    for (const Shape& keys : {Shape{3, 300, 16}, Shape{300, 16}}) {
      const Setting s{drawn({3, 500, 16}, 1),
                      drawn(keys, 2),
                      drawn(keys, 3),
                      score,
                      {Mask::causal(), 0.2, {false, false, true}},
                      true};
      set_threads(1);
      const Outcome one = outcome(s, false, {false, false, true});
      set_threads(3);
      const Outcome three = outcome(s, false, {false, false, true});
      set_threads(0);
      for (std::size_t n = 0; n < one.names.size(); ++n) CHECK(same_bits(one.tensors[n], three.tensors[n]));
    }
  }
}

TEST_CASE("a row without cotangents gives no gradients, whatever it holds", "[modules][stream]") {
  for (const Score& score : {Score(ScaledDotScore{}), Score(given_sums())}) {
    Tensor q = drawn({1, 60, 2}, 1);
    q.data()[2 * 59] = nan_value;
    const Variable query = Variable::leaf(q), k = Variable::leaf(drawn({1, 70, 2}, 2)),
                   v = Variable::leaf(drawn({1, 70, 3}, 3));
    Pass pass;
    const Attended a = attend(score, query, k, v, pass);
    CHECK(std::isnan(a.context.value().data()[59 * 3]));
    Tensor dy = drawn({1, 60, 3}, 4);
    for (std::size_t d = 0; d < 3; ++d) dy.data()[59 * 3 + d] = 0;
    const std::vector<Variable> inputs{query, k, v};
    for (const Tensor& gradient : gradients(std::span(&a.context, 1), std::span(&dy, 1), inputs)) {
      CHECK(all_finite(gradient));
    }
  }
}
