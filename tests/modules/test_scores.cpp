#include <cmath>

#include <catch2/catch.hpp>

#include "autograd/engine.hpp"
#include "compare.hpp"
#include "core/draw.hpp"
#include "modules/attention/attention.hpp"

// Cosine and normalised additive scores against their formulas in double.

using namespace fovea;

namespace {

constexpr Want everything{true, true, true};

Tensor drawn(const Shape& shape, std::uint64_t seed) {
  Rng rng(seed);
  return normal(rng, shape, 0, 1);
}

using Row = std::vector<double>;

Row row_of(const Tensor& t, std::size_t row, std::size_t width) {
  const Real* from = t.data() + row * width;
  return Row(from, from + width);
}

double dot(const Row& a, const Row& b) {
  double total = 0;
  for (std::size_t i = 0; i < a.size(); ++i) total += a[i] * b[i];
  return total;
}

// W x
Row through(const Param& weight, const Row& x) {
  Row y;
  for (std::size_t h = 0; h < weight.shape()[0]; ++h)
    y.push_back(dot(row_of(weight.value(), h, x.size()), x));
  return y;
}

Row normalised(const LayerNorm& norm, const Row& x) {
  double mean = 0, variance = 0;
  for (const double one : x) mean += one / static_cast<double>(x.size());
  for (const double one : x) variance += (one - mean) * (one - mean) / static_cast<double>(x.size());
  Row y;
  for (std::size_t h = 0; h < x.size(); ++h)
    y.push_back((x[h] - mean) / std::sqrt(variance + static_cast<double>(norm.eps)) *
                    static_cast<double>(norm.gain.value().data()[h]) +
                static_cast<double>(norm.bias.value().data()[h]));
  return y;
}

// Scores [2, 3, 4] of each pair of rows.
template <class OfPair>
Tensor by_pair(const Tensor& q, const Tensor& k, const OfPair& of_pair) {
  Tensor expected = uninitialized({2, 3, 4});
  for (std::size_t b = 0; b < 2; ++b) {
    for (std::size_t i = 0; i < 3; ++i) {
      for (std::size_t j = 0; j < 4; ++j)
        expected.data()[(b * 3 + i) * 4 + j] = static_cast<Real>(
            of_pair(row_of(q, b * 3 + i, q.shape()[2]), row_of(k, b * 4 + j, k.shape()[2])));
    }
  }
  return expected;
}

constexpr double tolerance = sizeof(Real) == 8 ? 1e-12 : 1e-5;

Attended run(const Score& score, const Variable& q, const Variable& k, const Variable& v,
             bool composed = false) {
  Pass pass;
  return attend(score, q, k, v, pass, {.want = everything, .composed = composed});
}

// Each row of unit length.
Tensor units(const Shape& shape, std::uint64_t seed) { return l2_normalize(drawn(shape, seed)).value(); }

}  // namespace

TEST_CASE("cosine scores are ten times the angle's cosine at first, on every path", "[modules]") {
  const Tensor q = drawn({2, 3, 5}, 1), k = scale(drawn({2, 4, 5}, 2), Real(100)).value();
  const Tensor v = drawn({2, 4, 2}, 3);
  CosineScore score;
  for (const double scale_now : {10.0, 0.5}) {
    score.log_scale.set(filled({1}, static_cast<Real>(std::log(scale_now))));
    const Tensor expected = by_pair(q, k, [&](const Row& a, const Row& b) {
      return scale_now * dot(a, b) / std::sqrt(dot(a, a) * dot(b, b));
    });
    CHECK_THAT(score(q, score.prepare(k)).value(), close_to(expected, tolerance));
    for (const bool composed : {false, true}) {
      const Attended a = run(score, q, k, v, composed);
      CHECK_THAT(a.scores.value(), close_to(expected, tolerance));
      CHECK_THAT(a.weights.value(), close_to(softmax(expected, -1).value(), tolerance));
    }
  }
  CHECK_THROWS_WITH(run(CosineScore(), q, drawn({2, 4, 3}, 1), v),
                    Catch::Contains("[2, 4, 3]") && Catch::Contains("[2, 3, 5]"));
}

TEST_CASE("a cosine score starts with a scale of 10 that does not decay", "[modules]") {
  Score score = CosineScore();
  const auto params = parameters(score);
  REQUIRE(params.size() == 1);
  CHECK(params[0].path == "log_scale");
  CHECK_FALSE(params[0].decays);
  CHECK_THAT(exp(params[0].param->variable()).value(), close_to(filled({1}, 10), tolerance));
}

// The cosine of √D times unit vectors does not see the √D; the scaled dot of them is √D times their cosine.
TEST_CASE("cosine with a scale of √D is the scaled dot of √D times unit vectors", "[modules]") {
  constexpr std::size_t width = 16;
  const Variable q = scale(units({2, 3, width}, 1), 4), k = scale(units({2, 4, width}, 2), 4);
  const Variable v = drawn({2, 4, 2}, 3);
  CosineScore cosine;
  cosine.log_scale.set(filled({1}, std::log(Real(4))));
  const Attended one = run(cosine, q, k, v), other = run(ScaledDotScore{}, q, k, v);
  CHECK_THAT(one.scores.value(), close_to(other.scores.value(), tolerance));
  CHECK_THAT(one.context.value(), close_to(other.context.value(), tolerance));
  CHECK_THAT(one.entropy.value(), close_to(other.entropy.value(), tolerance));
}

TEST_CASE("zero vectors have a cosine of 0 with everything, and no gradient", "[modules]") {
  Tensor with_zero_q = drawn({1, 2, 3}, 1), with_zero_k = drawn({1, 3, 3}, 2);
  std::fill_n(with_zero_q.data() + 3, 3, Real(0));
  std::fill_n(with_zero_k.data() + 3, 3, Real(0));
  for (const bool composed : {false, true}) {
    const Variable q = Variable::leaf(Tensor(with_zero_q)), k = Variable::leaf(Tensor(with_zero_k));
    const Attended a = run(CosineScore(), q, k, drawn({1, 3, 2}, 3), composed);
    for (const std::size_t pair : {1, 3, 4, 5}) CHECK(a.scores.value().data()[pair] == 0);
    backward(sum(mul(a.context, a.context)) + sum(mul(a.scores, drawn({1, 2, 3}, 4))));
    CHECK_THAT(slice(Variable(q.grad()), 1, 1, 2).value(), close_to(zeros({1, 1, 3}), 0));
    CHECK_THAT(slice(Variable(k.grad()), 1, 1, 2).value(), close_to(zeros({1, 1, 3}), 0));
    CHECK(sum(abs(Variable(q.grad()))).item() > 0);
    CHECK(all_finite(*k.grad()));
  }
}

TEST_CASE("normalised additive scores follow their formula for any widths, on every path", "[modules]") {
  Rng rng(5);
  AdditiveNormScore score(5, 6, 7, rng);
  for (LayerNorm* norm : {&score.query_norm, &score.key_norm}) {
    norm->gain.set(uniform(rng, {7}, Real(0.5), 2));
    norm->bias.set(normal(rng, {7}, 0, 1));
  }
  const Tensor q = drawn({2, 3, 5}, 1), k = drawn({2, 4, 6}, 2), v = drawn({2, 4, 2}, 3);
  const Tensor expected = by_pair(q, k, [&](const Row& a, const Row& b) {
    const Row at_query = normalised(score.query_norm, through(score.query.weight, a));
    const Row at_key = normalised(score.key_norm, through(score.key.weight, b));
    double s = 0;
    for (std::size_t h = 0; h < 7; ++h)
      s += static_cast<double>(score.v.value().data()[h]) * std::tanh(at_query[h] + at_key[h]);
    return s;
  });
  CHECK_THAT(score(q, score.prepare(k)).value(), close_to(expected, tolerance));
  for (const bool composed : {false, true})
    CHECK_THAT(run(score, q, k, v, composed).scores.value(), close_to(expected, tolerance));
}

// Where the projections are normalised already (here each hidden unit is 1 or -1, as many of each), the norm
// changes nothing but for its eps.
TEST_CASE("normalised additive scores of normalised projections are plain additive ones", "[modules]") {
  Rng rng(1);
  AdditiveNormScore normed(4, 4, 4, rng);
  AdditiveScore plain(4, 4, 4, rng);
  Tensor identity = zeros({4, 4});
  for (std::size_t i = 0; i < 4; ++i) identity.data()[i * 5] = 1;
  for (Param* weight : {&normed.query.weight, &normed.key.weight, &plain.query.weight, &plain.key.weight})
    weight->set(Tensor(identity));
  normed.v.set(Tensor(plain.v.value()));
  normed.query_norm.eps = normed.key_norm.eps = Real(1e-30);
  const Tensor q = tensor({1, 2, 4}, {1, 1, -1, -1, -1, 1, -1, 1}), k = tensor({1, 1, 4}, {-1, 1, 1, -1});
  CHECK_THAT(normed(q, normed.prepare(k)).value(), close_to(plain(q, plain.prepare(k)).value(), tolerance));
  // And it does not see how large queries and keys are.
  const Variable large = scale(Variable(k), 1000);
  CHECK_THAT(normed(q, normed.prepare(large)).value(),
             close_to(plain(q, plain.prepare(k)).value(), tolerance));
}

TEST_CASE("every name of an attention makes a score, and the errors list them all", "[modules]") {
  Rng rng(1);
  for (const std::string& name : score_names()) {
    CHECK_NOTHROW(make_attention({name}, {4, 4, 4, 3}, rng));
    CHECK_THROWS_WITH(make_score("none", 4, 4, 3, rng), Catch::Contains(name));
  }
}

namespace {

// Both projections of an additive score, with a layer norm or without.
std::vector<Tensor> projections_of(const Score& score) {
  if (const auto* plain = std::get_if<AdditiveScore>(&score))
    return {plain->query.weight.value(), plain->key.weight.value()};
  const auto& normed = std::get<AdditiveNormScore>(score);
  return {normed.query.weight.value(), normed.key.weight.value()};
}

}  // namespace

TEST_CASE("projections of an additive score start as Xavier where that is asked for", "[modules]") {
  constexpr std::size_t query = 30, key = 50, hidden = 40;
  for (const char* name : {"additive", "additive_norm"}) {
    CAPTURE(name);
    Rng rng(1), same(1), again(1);
    const AttentionSettings settings{.score = name, .additive_start = "xavier"};
    const ScoredAttention made = make_attention(settings, {query, key, 4, hidden}, rng);
    const ScoredAttention plain = make_attention({.score = name}, {query, key, 4, hidden}, same);
    const std::vector<Tensor> drawn_so = projections_of(std::get<Score>(made.score));
    const std::vector<Tensor> orthogonal_ones = projections_of(std::get<Score>(plain.score));
    for (std::size_t i = 0; i < 2; ++i) {
      const std::size_t inputs = i == 0 ? query : key;
      REQUIRE(drawn_so[i].shape() == Shape{hidden, inputs});
      CHECK_FALSE(same_bits(drawn_so[i], orthogonal_ones[i]));
      // Uniform within the bound: nothing beyond it, something near, and the deviation bound / √3.
      const double bound = std::sqrt(6.0 / static_cast<double>(hidden + inputs));
      double most = 0, squares = 0;
      for (const Real x : drawn_so[i]) {
        most = std::max(most, std::abs(static_cast<double>(x)));
        squares += static_cast<double>(x) * static_cast<double>(x);
      }
      CHECK(most <= bound * (1 + 1e-6));
      CHECK(most > 0.99 * bound);
      CHECK(std::sqrt(squares / static_cast<double>(drawn_so[i].size())) ==
            Approx(bound / std::sqrt(3.0)).epsilon(0.05));
    }
    const ScoredAttention twin = make_attention(settings, {query, key, 4, hidden}, again);
    CHECK(same_bits(projections_of(std::get<Score>(twin.score))[0], drawn_so[0]));
  }
}

TEST_CASE("how additive projections start: of a hybrid, too, and of nothing that has none", "[modules]") {
  Rng rng(1), same(1);
  const auto additive_of = [](const ScoredAttention& made) {
    return projections_of(std::get<Hybrid>(made.score).scores.at(1));
  };
  const ScoredAttention hybrid =
      make_attention({.score = "hybrid", .additive_start = "xavier"}, {4, 4, 4, 3}, rng);
  const ScoredAttention plain = make_attention({.score = "hybrid"}, {4, 4, 4, 3}, same);
  for (std::size_t i = 0; i < 2; ++i) CHECK_FALSE(same_bits(additive_of(hybrid)[i], additive_of(plain)[i]));

  for (const char* name : {"dot", "scaled_dot", "cosine", "general"}) {
    CHECK_THROWS_AS(make_attention({.score = name, .additive_start = "xavier"}, {4, 4, 4, 3}, rng),
                    ConfigError);
    CHECK_THROWS_WITH(make_attention({.score = name, .additive_start = "xavier"}, {4, 4, 4, 3}, rng),
                      Catch::Contains("additive-start") && Catch::Contains(name));
  }
  CHECK_THROWS_WITH(make_attention({.additive_start = "zeros"}, {4, 4, 4, 3}, rng),
                    Catch::Contains("orthogonal or xavier") && Catch::Contains("zeros"));
}
