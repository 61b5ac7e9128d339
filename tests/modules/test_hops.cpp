#include <algorithm>
#include <cmath>

#include <catch2/catch.hpp>

#include "autograd/engine.hpp"
#include "autograd/gradcheck.hpp"
#include "compare.hpp"
#include "core/draw.hpp"
#include "modules/attention/attention.hpp"

using namespace fovea;

namespace {

constexpr Want everything{true, true, true};
constexpr Want all_but_scores{.weights = true, .entropy = true};
constexpr double tolerance = sizeof(Real) == 8 ? 1e-12 : 1e-5;

Variable drawn(const Shape& shape, std::uint64_t seed) {
  Rng rng(seed);
  return Variable::leaf(normal(rng, shape, 0, 1));
}

ScoredAttention attention_of(const std::string& score, std::size_t hops, std::size_t value = 3) {
  Rng rng(7);
  return make_attention({.score = score, .hops = hops}, {3, 3, value, 5}, rng);
}

Attended run(const ScoredAttention& attention, const Variable& q, const Variable& k, const Variable& v,
             const Mask& mask = {}, Want want = everything) {
  Pass pass;
  return attention(q, attention.prepare(k), v, pass, {.mask = mask, .want = want});
}

// One query [D] over keys [T, D] and values [T, D] by dot, in double; refines the query, and returns the
// weights.
std::vector<double> hop_by_hand(std::vector<double>& query, const Tensor& keys, const Tensor& values) {
  const std::size_t count = keys.shape()[1], width = query.size();
  std::vector<double> weights(count, 0);
  double total = 0;
  for (std::size_t j = 0; j < count; ++j) {
    double s = 0;
    for (std::size_t d = 0; d < width; ++d) s += query[d] * static_cast<double>(keys.data()[j * width + d]);
    total += weights[j] = std::exp(s);
  }
  for (std::size_t j = 0; j < count; ++j) {
    weights[j] /= total;
    for (std::size_t d = 0; d < width; ++d)
      query[d] += weights[j] * static_cast<double>(values.data()[j * width + d]);
  }
  return weights;
}

}  // namespace

TEST_CASE("one hop is plain attention, to the bit", "[modules]") {
  const Variable q = drawn({2, 4, 3}, 1), k = drawn({2, 5, 3}, 2), v = drawn({2, 5, 2}, 3);
  for (const std::string& name : score_names()) {
    const ScoredAttention attention = attention_of(name, 1, 2);
    CHECK_FALSE(attention.join);
    Pass hopping{true, Rng(3)}, plainly{true, Rng(3)};
    const AttendOptions options{.mask = Mask::key_lengths({5, 2}), .dropout = 0.3, .want = everything};
    const Attended a = attention(q, attention.prepare(k), v, hopping, options);
    const Attended b = attend(std::get<Score>(attention.score), q, k, v, plainly, options);
    CHECK(same_bits(a.context.value(), b.context.value()));
    CHECK(same_bits(a.scores.value(), b.scores.value()));
    CHECK(same_bits(a.weights.value(), b.weights.value()));
    CHECK(same_bits(a.entropy.value(), b.entropy.value()));
    CHECK(hopping.rng.state() == plainly.rng.state());
  }
}

TEST_CASE("three hops are three attentions, each with what was found added to the query", "[modules]") {
  const Variable q = drawn({1, 1, 3}, 1), k = drawn({1, 5, 3}, 2), v = drawn({1, 5, 3}, 3);
  std::vector<double> query(q.value().data(), q.value().data() + 3);
  std::vector<double> weights, before;
  for (int hop = 0; hop < 3; ++hop) {
    before = query;
    weights = hop_by_hand(query, k.value(), v.value());
  }
  Tensor context = uninitialized({1, 1, 3}), expected = uninitialized({1, 1, 5});
  for (std::size_t d = 0; d < 3; ++d) context.data()[d] = static_cast<Real>(query[d] - before[d]);
  for (std::size_t j = 0; j < 5; ++j) expected.data()[j] = static_cast<Real>(weights[j]);
  const Attended a = run(attention_of("dot", 3), q, k, v);
  CHECK_THAT(a.context.value(), close_to(context, tolerance));
  CHECK_THAT(a.weights.value(), close_to(expected, tolerance));
  CHECK_THAT(a.entropy.value(), close_to(entropy(expected).value(), tolerance));
  // One query for each item goes the same way.
  const Attended flat = run(attention_of("dot", 3), reshape(q, {1, 3}), k, v);
  CHECK_THAT(flat.context.value(), close_to(reshape(context, {1, 3}).value(), tolerance));
}

TEST_CASE("hops over values of another width go through one projection", "[modules]") {
  const ScoredAttention attention = attention_of("dot", 2, 4);
  REQUIRE(attention.join);
  const Variable q = drawn({2, 2, 3}, 1), k = drawn({2, 5, 3}, 2), v = drawn({2, 5, 4}, 3);
  const Variable first = run(attention_of("dot", 1, 4), q, k, v).context;
  const Variable second = q + linear(first, attention.join->weight);
  CHECK_THAT(run(attention, q, k, v).context.value(),
             close_to(run(attention_of("dot", 1, 4), second, k, v).context.value(), tolerance));
  ScoredAttention model = attention;
  const auto params = parameters(model);
  REQUIRE(params.size() == 1);
  CHECK(params[0].path == "join.weight");
}

TEST_CASE("hops: a fully masked row is exactly zero, and NaN under a mask stays there", "[modules]") {
  for (const std::string& name : attention_names()) {
    CAPTURE(name);
    const ScoredAttention attention = attention_of(name, 3);
    const Variable q = drawn({2, 2, 3}, 1), v = drawn({2, 4, 3}, 3);
    Tensor spoiled = drawn({2, 4, 3}, 2).value();
    std::fill_n(spoiled.data() + 9, 3, std::numeric_limits<Real>::quiet_NaN());  // key 3 of item 0
    const Variable k = Variable::leaf(Tensor(spoiled));
    const Attended a = run(attention, q, k, v, Mask::key_lengths({3, 0}), all_but_scores);
    CHECK(all_finite(a.context.value()));
    for (const Variable& one : {a.context, a.weights, a.entropy}) {
      const Tensor of_item = slice(one, 0, 1, 2).value();
      CHECK_THAT(of_item, close_to(zeros(of_item.shape()), 0));
    }
    backward(add(sum(mul(a.context, a.context)), sum(a.entropy)));
    for (const Variable& leaf : {q, k, v}) {
      CHECK(all_finite(*leaf.grad()));
      const Tensor of_item = slice(Variable(leaf.grad()), 0, 1, 2).value();
      CHECK_THAT(of_item, close_to(zeros(of_item.shape()), 0));
    }
  }
}

TEST_CASE("hops: all gradients agree with differences", "[modules]") {
  if (sizeof(Real) < 8) return;
  for (const std::string& name : attention_names()) {
    for (const std::size_t width : {3, 2}) {
      ScoredAttention attention = attention_of(name, 3, width);
      Param q(drawn({2, 2, 3}, 1).value()), k(drawn({2, 4, 3}, 2).value()),
          v(drawn({2, 4, width}, 3).value());
      std::vector<NamedParam> params = {{"q", &q, true}, {"k", &k, true}, {"v", &v, true}};
      for (const NamedParam& one : parameters(attention)) params.push_back(one);
      const Tensor by_context = drawn({2, 2, width}, 4).value(), by_weight = drawn({2, 2, 4}, 5).value(),
                   by_entropy = drawn({2, 2}, 6).value();
      const auto report = gradcheck(params, [&] {
        const Attended a = run(attention, q, k, v, Mask::key_lengths({4, 2}), all_but_scores);
        return add(sum(mul(a.context, by_context)),
                   add(sum(mul(a.weights, by_weight)), sum(mul(a.entropy, by_entropy))));
      });
      INFO(name << report.text());
      CHECK(report.passed);
    }
  }
}

TEST_CASE("hops that cannot be are refused", "[modules]") {
  Pass pass;
  ScoredAttention attention = attention_of("dot", 2);
  const Variable q = drawn({2, 2, 3}, 1), k = drawn({2, 4, 3}, 2);
  CHECK_THROWS_WITH(attention(q, attention.prepare(k), {}, pass, {.want = everything}),
                    Catch::Contains("[hops]") && Catch::Contains("no values"));
  CHECK_THROWS_WITH(run(attention, q, k, drawn({2, 4, 5}, 3)), Catch::Contains("[hops]") &&
                                                                   Catch::Contains("[2, 2, 5]") &&
                                                                   Catch::Contains("[2, 2, 3]"));
  CHECK_THROWS_WITH(attention_of("dot", 0), Catch::Contains("[hops]"));
  CHECK_FALSE(attention_of("additive", 2).plain_additive());
}

TEST_CASE("a value transform is the attention of values that were multiplied before", "[modules]") {
  const Variable q = drawn({2, 4, 3}, 1), k = drawn({2, 5, 3}, 2), v = drawn({2, 5, 2}, 3);
  const Mask mask = Mask::key_lengths({5, 0});
  for (const std::string& name : attention_names()) {
    for (const std::uint64_t hops : {1, 2}) {
      Rng rng(7);
      const ScoredAttention with =
          make_attention({.score = name, .hops = hops, .value_transform = true}, {3, 3, 2, 5}, rng);
      REQUIRE(with.value);
      CHECK_FALSE(with.plain_additive());
      ScoredAttention without = with;
      without.value.reset();
      const Attended expected = run(without, q, k, (*with.value)(v), mask, all_but_scores),
                     own = run(with, q, k, v, mask, all_but_scores);
      CHECK_THAT(own.context.value(), close_to(expected.context.value(), tolerance));
      CHECK_THAT(own.weights.value(), close_to(expected.weights.value(), tolerance));
      const Tensor alone = slice(own.context, 0, 1, 2).value();  // of the item without keys
      CHECK(std::all_of(alone.data(), alone.data() + alone.size(), [](Real x) { return x == 0; }));
    }
  }
  Rng rng(1);
  CHECK_FALSE(make_attention({}, {3, 3, 2, 5}, rng).value);
}
