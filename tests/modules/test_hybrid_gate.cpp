#include <cmath>

#include <catch2/catch.hpp>

#include "autograd/engine.hpp"
#include "autograd/gradcheck.hpp"
#include "compare.hpp"
#include "core/draw.hpp"
#include "modules/attention/attention.hpp"

using namespace fovea;

namespace {

constexpr Want want{.weights = true, .entropy = true};
constexpr double tolerance = sizeof(Real) == 8 ? 1e-12 : 1e-5;

Variable drawn(const Shape& shape, std::uint64_t seed) {
  Rng rng(seed);
  return Variable::leaf(normal(rng, shape, 0, 1));
}

struct Setting {
  Variable q = drawn({2, 4, 3}, 1), k = drawn({2, 5, 3}, 2), v = drawn({2, 5, 2}, 3);
  Mask mask = Mask::key_lengths({5, 3});

  Hybrid hybrid(HybridKind kind) const {
    Rng rng(1);
    return Hybrid(kind, 3, 3, 5, rng);
  }
  Attended of(const Hybrid& hybrid) const {
    Pass pass;
    return hybrid(q, k, v, pass, {.mask = mask, .want = want});
  }
  Attended of(const Score& score) const {
    Pass pass;
    return attend(score, q, k, v, pass, {.mask = mask, .want = want});
  }
};

void check_same_bits(const Attended& a, const Attended& b) {
  CHECK(same_bits(a.context.value(), b.context.value()));
  CHECK(same_bits(a.weights.value(), b.weights.value()));
  CHECK(same_bits(a.entropy.value(), b.entropy.value()));
}

// Part `row` of each tensor of g · a + (1 - g) · b, in double.
void check_mixed(const Variable& found, const Variable& a, const Variable& b, const std::vector<double>& g) {
  const std::size_t length = found.size() / g.size();
  Tensor expected = uninitialized(found.shape());
  for (std::size_t i = 0; i < found.size(); ++i) {
    const double share = g[i / length];
    expected.data()[i] = static_cast<Real>(share * static_cast<double>(a.value().data()[i]) +
                                           (1 - share) * static_cast<double>(b.value().data()[i]));
  }
  CHECK_THAT(found.value(), close_to(expected, tolerance));
}

}  // namespace

TEST_CASE("a gate mixes two attentions, query by query", "[modules]") {
  const Setting s;
  Hybrid hybrid = s.hybrid(HybridKind::gate);
  hybrid.gate->weight.set(drawn({1, 3}, 5).value());
  hybrid.gate->bias.set(tensor({1}, {0.3}));
  std::vector<double> g;
  for (std::size_t row = 0; row < 8; ++row) {
    double z = static_cast<double>(Real(0.3));
    for (std::size_t d = 0; d < 3; ++d)
      z += static_cast<double>(hybrid.gate->weight.value().data()[d]) *
           static_cast<double>(s.q.value().data()[row * 3 + d]);
    g.push_back(1 / (1 + std::exp(-z)));
  }
  const Attended found = s.of(hybrid), dot = s.of(hybrid.scores[0]), additive = s.of(hybrid.scores[1]);
  CHECK(std::holds_alternative<ScaledDotScore>(hybrid.scores[0]));
  CHECK(std::holds_alternative<AdditiveScore>(hybrid.scores[1]));
  check_mixed(found.context, dot.context, additive.context, g);
  check_mixed(found.weights, dot.weights, additive.weights, g);
  check_mixed(found.entropy, dot.entropy, additive.entropy, g);
  // The mixture itself is at least as spread as its parts are in the mean.
  const Tensor of_mixture = entropy(found.weights).value();
  for (std::size_t i = 0; i < of_mixture.size(); ++i)
    CHECK(of_mixture.data()[i] >= found.entropy.value().data()[i] - Real(1e-6));
}

TEST_CASE("a gate starts as the mean, to the bit", "[modules]") {
  const Setting s;
  check_same_bits(s.of(s.hybrid(HybridKind::gate)), s.of(s.hybrid(HybridKind::mean)));
}

TEST_CASE("a gate at ±∞ is one of its parts, to the bit", "[modules]") {
  const Setting s;
  for (const int sign : {1, -1}) {
    Hybrid hybrid = s.hybrid(HybridKind::gate);
    hybrid.gate->bias.set(filled({1}, static_cast<Real>(sign) * std::numeric_limits<Real>::infinity()));
    const Attended found = s.of(hybrid);
    check_same_bits(found, s.of(hybrid.scores[sign > 0 ? 0 : 1]));
    backward(add(sum(found.context), sum(found.entropy)));
    for (const NamedParam& one : parameters(hybrid)) {
      INFO(one.path);
      if (one.param->grad()) CHECK(all_finite(*one.param->grad()));
    }
    for (const Variable& leaf : {s.q, s.k, s.v}) CHECK(all_finite(*leaf.grad()));
  }
}

TEST_CASE("a hybrid in an attention: prepared keys, one query for each item, watching eyes", "[modules]") {
  const Setting s;
  for (const std::string& kind : hybrid_names()) {
    CAPTURE(kind);
    Rng rng(1);
    const ScoredAttention attention = make_attention({.score = "hybrid", .hybrid = kind}, {3, 3, 2, 5}, rng);
    CHECK(attention.prepare(s.k).size() == (kind == "by-dims" ? 1 : 2));
    CHECK_FALSE(attention.plain_additive());
    Pass pass;
    const Attended found = attention(s.q, attention.prepare(s.k), s.v, pass, {.mask = s.mask, .want = want});
    check_same_bits(found, s.of(std::get<Hybrid>(attention.score)));
    const Variable single = reshape(slice(s.q, 1, 0, 1), {2, 3});
    const Attended one = attention(single, attention.prepare(s.k), s.v, pass, {.mask = s.mask, .want = want});
    CHECK(one.context.shape() == Shape{2, 2});
    CHECK(one.weights.shape() == Shape{2, 5});
    CHECK_THAT(one.entropy.value(), close_to(reshape(slice(found.entropy, 1, 0, 1), {2}).value(), tolerance));
    // Who watches wants scores of everything; a caller who wants them of two attentions is told.
    Observations seen({.scores = true, .weights = true});
    Pass watched{.observations = &seen};
    attention(s.q, attention.prepare(s.k), s.v, watched);
    REQUIRE(seen.all().size() == 1);
    CHECK(seen.all()[0].weights.shape() == Shape{2, 1, 4, 5});
    CHECK(seen.all()[0].scores.defined() == (kind == "by-dims"));
    if (kind != "by-dims")
      CHECK_THROWS_WITH(attention(s.q, attention.prepare(s.k), s.v, pass, {.want = {.scores = true}}),
                        Catch::Contains("[hybrid]") && Catch::Contains("no raw scores"));
  }
  const Hybrid two = s.hybrid(HybridKind::gate);
  Pass pass;
  const std::vector<Variable> few{s.k};
  CHECK_THROWS_WITH(two.attend_prepared(s.q, few, s.v, pass),
                    Catch::Contains("1 prepared keys for 2 scores"));
  Rng rng(1);
  CHECK_THROWS_WITH(Hybrid(HybridKind::gate, 3, 4, 5, rng), Catch::Contains("by-dims"));
}

TEST_CASE("a gate: all gradients agree with differences, under every normaliser and in hops", "[modules]") {
  if (sizeof(Real) < 8) return;
  for (const char* normalizer : {"softmax", "sparsemax", "top-k:2"}) {
    for (const std::uint64_t hops : {1, 2}) {
      Rng rng(1);
      ScoredAttention attention = make_attention(
          {.score = "hybrid", .hybrid = "gate", .normalizer = normalizer, .hops = hops}, {3, 3, 2, 5}, rng);
      std::get<Hybrid>(attention.score).gate->weight.set(drawn({1, 3}, 5).value());
      Param q(drawn({2, 3, 3}, 1).value()), k(drawn({2, 4, 3}, 2).value()), v(drawn({2, 4, 2}, 3).value());
      std::vector<NamedParam> params = {{"q", &q, true}, {"k", &k, true}, {"v", &v, true}};
      for (const NamedParam& one : parameters(attention)) params.push_back(one);
      const Tensor by_context = drawn({2, 3, 2}, 4).value(), by_weight = drawn({2, 3, 4}, 5).value(),
                   by_entropy = drawn({2, 3}, 6).value();
      const auto report = gradcheck(params, [&] {
        Pass pass;
        const Attended a = attention(q, attention.prepare(k), v, pass,
                                     {.mask = Mask::causal() & Mask::key_lengths({4, 0}), .want = want});
        return add(sum(mul(a.context, by_context)),
                   add(sum(mul(a.weights, by_weight)), sum(mul(a.entropy, by_entropy))));
      });
      INFO(normalizer << hops << report.text());
      CHECK(report.passed);
    }
  }
}
