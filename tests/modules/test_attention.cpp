#include <cmath>

#include <catch2/catch.hpp>

#include "autograd/engine.hpp"
#include "autograd/gradcheck.hpp"
#include "compare.hpp"
#include "core/draw.hpp"
#include "modules/attention/attend.hpp"
#include "modules/attention/bias.hpp"
#include "modules/attention/hybrid.hpp"

using namespace fovea;

namespace {

constexpr Real nan_value = std::numeric_limits<Real>::quiet_NaN();
constexpr Want everything{true, true, true};

Variable drawn(const Shape& shape, std::uint64_t seed) {
  Rng rng(seed);
  return Variable::leaf(normal(rng, shape, 0, 1));
}

std::vector<Score> all_scores(std::size_t width) {
  Rng rng(1);
  return {DotScore{},
          ScaledDotScore{},
          GeneralScore(width, width, rng),
          AdditiveScore(width, width, 5, rng),
          CosineScore(),
          AdditiveNormScore(width, width, 5, rng)};
}

Attended run(const Score& score, const Variable& q, const Variable& k, const Variable& v, Mask mask = {}) {
  Pass pass;
  return attend(score, q, k, v, pass, {std::move(mask), 0, everything});
}

void check_finite(const Variable& leaf) {
  REQUIRE(leaf.grad());
  CHECK(all_finite(*leaf.grad()));
}

}  // namespace

TEST_CASE("dot scores are products of queries and keys", "[modules]") {
  const Variable q = tensor({1, 1, 4}, {1, 2, 3, 4}), k = tensor({1, 2, 4}, {1, 0, 0, 0, 1, 1, 1, 1});
  CHECK_THAT(DotScore{}(q, k).value(), close_to(tensor({1, 1, 2}, {1, 10})));
  CHECK_THAT(ScaledDotScore{}(q, k).value(), close_to(tensor({1, 1, 2}, {0.5, 5})));
  CHECK_THROWS_WITH(DotScore{}(q, drawn({1, 2, 3}, 1)), Catch::Contains("[1, 2, 3]") &&
                                                            Catch::Contains("[1, 1, 4]") &&
                                                            Catch::Contains("additive"));
}

TEST_CASE("additive scores follow Bahdanau's formula for any widths", "[modules]") {
  Rng rng(2);
  AdditiveScore score(3, 4, 5, rng);
  score.key.bias.set(normal(rng, {5}, 0, 1));
  const Variable q = drawn({2, 2, 3}, 3), k = drawn({2, 3, 4}, 4);
  const Tensor actual = score(q, score.prepare(k)).value();
  const auto at = [](const Tensor& t, std::size_t i) { return static_cast<double>(t.data()[i]); };
  Tensor expected = uninitialized({2, 2, 3});
  for (std::size_t b = 0; b < 2; ++b) {
    for (std::size_t i = 0; i < 2; ++i) {
      for (std::size_t j = 0; j < 3; ++j) {
        double s = 0;
        for (std::size_t h = 0; h < 5; ++h) {
          double sum = at(score.key.bias.value(), h);
          for (std::size_t d = 0; d < 3; ++d)
            sum += at(score.query.weight.value(), h * 3 + d) * at(q.value(), (b * 2 + i) * 3 + d);
          for (std::size_t d = 0; d < 4; ++d)
            sum += at(score.key.weight.value(), h * 4 + d) * at(k.value(), (b * 3 + j) * 4 + d);
          s += at(score.v.value(), h) * std::tanh(sum);
        }
        expected.data()[(b * 2 + i) * 3 + j] = static_cast<Real>(s);
      }
    }
  }
  CHECK_THAT(actual, close_to(expected, sizeof(Real) == 8 ? 1e-12 : 1e-5));
}

TEST_CASE("start values: additive projections orthogonal, biases zero, v small", "[modules]") {
  Rng rng(3);
  const AdditiveScore score(8, 6, 400, rng);
  CHECK_FALSE(score.query.bias.defined());
  CHECK_THAT(score.key.bias.value(), close_to(zeros({400})));
  const Variable w = score.query.weight.variable();
  Tensor identity = zeros({8, 8});
  for (std::size_t i = 0; i < 8; ++i) identity.data()[i * 9] = 1;
  CHECK_THAT(matmul(w, w, true).value(), close_to(identity, 1e-5));
  double squares = 0;
  for (Real x : score.v.value()) squares += static_cast<double>(x) * static_cast<double>(x);
  CHECK(squares == Approx(1).epsilon(0.3));
}

TEST_CASE("context is the weighted mean of the values, for every score and any value width", "[modules]") {
  for (const Score& score : all_scores(3)) {
    const Attended a = run(score, drawn({2, 4, 3}, 1), drawn({2, 5, 3}, 2), drawn({2, 5, 7}, 3));
    CHECK(a.context.shape() == Shape{2, 4, 7});
    CHECK(a.scores.shape() == Shape{2, 4, 5});
    CHECK_THAT(a.weights.value(), close_to(softmax(a.scores, -1).value()));
    CHECK_THAT(sum(a.weights, -1).value(), close_to(filled({2, 4}, 1)));
    CHECK_THAT(a.entropy.value(), close_to(entropy(a.weights).value()));
  }
}

TEST_CASE("what was not asked for is undefined", "[modules]") {
  Pass pass;
  const Attended a = attend(DotScore{}, drawn({1, 2, 3}, 1), drawn({1, 4, 3}, 2), drawn({1, 4, 3}, 3), pass);
  CHECK(a.context.defined());
  CHECK_FALSE((a.scores.defined() || a.weights.defined() || a.entropy.defined()));
  const Attended only =
      attend(DotScore{}, drawn({1, 2, 3}, 1), drawn({1, 4, 3}, 2), {}, pass, {{}, 0, {.entropy = true}});
  CHECK_FALSE(only.context.defined());
  CHECK(only.entropy.shape() == Shape{1, 2});
}

TEST_CASE("attention names shapes that do not fit", "[modules]") {
  const Variable q = drawn({8, 10, 4}, 1);
  CHECK_THROWS_WITH(
      run(DotScore{}, q, drawn({7, 5, 4}, 2), drawn({7, 5, 4}, 3)),
      Catch::Contains("[attention] keys have shape [7, 5, 4]") && Catch::Contains("[8, 10, 4]"));
  CHECK_THROWS_WITH(
      run(DotScore{}, q, drawn({8, 5, 4}, 2), drawn({8, 6, 4}, 3)),
      Catch::Contains("[attention] values have shape [8, 6, 4]") && Catch::Contains("expected 5"));
  CHECK_THROWS_WITH(run(DotScore{}, drawn({4}, 1), drawn({8, 5, 4}, 2), {}), Catch::Contains("[4]"));
  CHECK_THROWS_WITH(make_score("no such score", 1, 1, 1, *std::make_unique<Rng>(1)),
                    Catch::Contains("no such score") && Catch::Contains("scaled_dot"));
}

TEST_CASE("a mask that does not fit is refused on every path", "[modules]") {
  const Variable q = drawn({2, 4, 3}, 1), k = drawn({2, 5, 3}, 2), v = drawn({2, 5, 3}, 3);
  for (const Score& score : all_scores(3)) {
    for (const bool composed : {false, true}) {
      for (const Variable& values : {v, Variable()}) {  // without values: raw scores alone
        Pass pass;
        const AttendOptions options{Mask::key_lengths({9, 1}), 0, {true, false, false}, {}, composed};
        CHECK_THROWS_WITH(attend(score, q, k, values, pass, options), Catch::Contains("[mask]"));
      }
    }
  }
}

TEST_CASE("the general score is a product through a matrix", "[modules]") {
  Rng rng(1);
  GeneralScore score(2, 3, rng);
  score.key.weight.set(tensor({2, 3}, {1, 0, 0, 0, 2, 0}));
  const Variable q = tensor({1, 1, 2}, {10, 1}), k = tensor({1, 2, 3}, {1, 2, 3, 4, 5, 6});
  CHECK_THAT(score(q, score.prepare(k)).value(), close_to(tensor({1, 1, 2}, {14, 50})));
}

TEST_CASE("one query for each item, and keys that the batch shares", "[modules]") {
  for (const Score& score : all_scores(3)) {
    const Variable q = drawn({2, 3}, 1), k = drawn({5, 3}, 2), v = drawn({5, 4}, 3);
    const Attended a = run(score, q, k, v);
    CHECK(a.context.shape() == Shape{2, 4});
    CHECK(a.weights.shape() == Shape{2, 5});
    CHECK(a.entropy.shape() == Shape{2});
    const auto twice = [](const Variable& x) {
      const Variable one = reshape(x, {1, x.shape()[0], x.shape()[1]});
      return concat({one, one}, 0);
    };
    const Attended full = run(score, reshape(q, {2, 1, 3}), twice(k), twice(v));
    CHECK_THAT(a.context.value(), close_to(reshape(full.context, {2, 4}).value()));
    backward(sum(mul(a.context, a.context)));
    const Tensor shared_k = *k.grad(), shared_v = *v.grad();
    const Variable q2 = drawn({2, 3}, 1), k2 = drawn({5, 3}, 2), v2 = drawn({5, 4}, 3);
    const Attended again = run(score, reshape(q2, {2, 1, 3}), twice(k2), twice(v2));
    backward(sum(mul(again.context, again.context)));
    CHECK_THAT(shared_k, close_to(*k2.grad(), sizeof(Real) == 8 ? 1e-12 : 1e-5));
    CHECK_THAT(shared_v, close_to(*v2.grad(), sizeof(Real) == 8 ? 1e-12 : 1e-5));
  }
}

TEST_CASE("a bias is added to the scores, and a constant one changes nothing", "[modules]") {
  const Variable q = drawn({2, 3, 4}, 1), k = drawn({2, 5, 4}, 2), v = drawn({2, 5, 4}, 3);
  Pass pass;
  const auto with = [&](Variable bias) {
    return attend(DotScore{}, q, k, v, pass, {{}, 0, everything, std::move(bias)});
  };
  const Attended plain = run(DotScore{}, q, k, v), raised = with(Variable(scalar(7)));
  CHECK_THAT(raised.weights.value(), close_to(plain.weights.value(), sizeof(Real) == 8 ? 1e-12 : 1e-5));
  CHECK_THAT(raised.scores.value(), close_to(plain.scores.value()));
  const Variable by_distance = alibi(Real(0.5), 3, 5);
  CHECK_THAT(with(by_distance).weights.value(),
             close_to(softmax(add(plain.scores, by_distance), -1).value()));
  CHECK_THROWS_WITH(with(Variable(zeros({4}))), Catch::Contains("[4]") && Catch::Contains("[2, 3, 5]"));
}

TEST_CASE("biases by distance are aligned at the end", "[modules]") {
  CHECK_THAT(alibi(2, 2, 3).value(), close_to(tensor({2, 3}, {-2, 0, -2, -4, -2, 0})));
  CHECK(alibi_slopes(8).front() == Real(0.5));
  CHECK(alibi_slopes(8).back() == Real(1) / 256);
  RelativeBias relative(1);
  relative.table.set(tensor({3}, {10, 20, 30}));
  CHECK_THAT(relative(2, 3).value(), close_to(tensor({2, 3}, {10, 20, 30, 10, 10, 20})));
}

TEST_CASE("key lengths share the weight among the keys that are there", "[modules]") {
  const Attended a = run(DotScore{}, Variable(zeros({1, 1, 2})), drawn({1, 4, 2}, 1), drawn({1, 4, 2}, 2),
                         Mask::key_lengths({3}));
  const Real third = Real(1) / 3;
  CHECK_THAT(a.weights.value(), close_to(tensor({1, 1, 4}, {third, third, third, 0})));
  CHECK_THROWS_WITH(Mask::key_lengths({1, 2}).expand(1, 1, 4), Catch::Contains("2 key lengths for 1 items"));
  CHECK_THROWS_WITH(Mask::key_lengths({5}).expand(1, 1, 4), Catch::Contains("length 5 of 4"));
  CHECK_THROWS_AS(Mask::keep(Keep({2}, {1, 0})).expand(1, 1, 4), ShapeError);
}

TEST_CASE("a query without an allowed key gets exact zeros and harms nobody", "[modules]") {
  // Item 1 has keys 2 and 3 padded; each query sees itself and the one before; so its query 3 sees none.
  std::vector<unsigned char> window(16, 0);
  for (std::size_t i = 0; i < 4; ++i) {
    for (std::size_t j = 0; j < 4; ++j) window[i * 4 + j] = j == i || j + 1 == i;
  }
  const Mask band = Mask::keep(Keep({4, 4}, window));
  for (const Score& score : all_scores(3)) {
    const Variable q = drawn({2, 4, 3}, 1), k = drawn({2, 4, 3}, 2), v = drawn({2, 4, 3}, 3);
    const Attended both = run(score, q, k, v, band & Mask::key_lengths({4, 2}));
    backward(add(sum(both.context), sum(both.entropy)));
    const Tensor context = slice(slice(both.context, 0, 1, 2), 1, 3, 4).value();
    CHECK_THAT(context, close_to(zeros({1, 1, 3}), 0));
    CHECK_THAT(slice(slice(both.weights, 0, 1, 2), 1, 3, 4).value(), close_to(zeros({1, 1, 4}), 0));
    for (const Variable& leaf : {q, k, v}) check_finite(leaf);

    const auto alone = [](const Variable& x) { return Variable::leaf(slice(x, 0, 0, 1).value()); };
    const Variable q0 = alone(q), k0 = alone(k), v0 = alone(v);
    const Attended first = run(score, q0, k0, v0, band);
    backward(add(sum(first.context), sum(first.entropy)));
    CHECK_THAT(slice(Variable(q.grad()), 0, 0, 1).value(), close_to(*q0.grad()));
    CHECK_THAT(slice(Variable(k.grad()), 0, 0, 1).value(), close_to(*k0.grad()));
    CHECK_THAT(slice(Variable(v.grad()), 0, 0, 1).value(), close_to(*v0.grad()));
  }
}

TEST_CASE("NaN under a masked key reaches neither result nor gradient", "[modules]") {
  const Tensor clean = tensor({1, 4, 2}, {0, 1, 2, 3, 4, 5, 6, 7});
  Tensor spoiled = clean;
  spoiled.data()[2] = spoiled.data()[3] = nan_value;
  const Mask mask = Mask::keep(Keep({4}, {1, 0, 1, 1}));
  for (const Score& score : all_scores(2)) {
    const auto results = [&](const Tensor& keys, const Tensor& values) {
      const Variable q = Variable::leaf(Tensor(clean)), k = Variable::leaf(Tensor(keys)),
                     v = Variable::leaf(Tensor(values));
      const Attended a = run(score, q, k, v, mask);
      backward(add(sum(a.context), sum(a.entropy)));
      return std::vector<Tensor>{a.context.value(), a.weights.value(), *q.grad(), *k.grad(), *v.grad()};
    };
    const auto expected = results(clean, clean);
    for (const auto& found : {results(spoiled, clean), results(clean, spoiled), results(spoiled, spoiled)}) {
      for (std::size_t i = 0; i < found.size(); ++i) CHECK_THAT(found[i], close_to(expected[i]));
    }
  }
}

TEST_CASE("causal attention never looks ahead, not by a bit", "[modules]") {
  for (const Score& score : all_scores(3)) {
    for (const double rate : {0.0, 0.3}) {
      for (const Mask& mask : {Mask::causal(), Mask::causal() & Mask::key_lengths({6})}) {
        const auto outputs = [&](const Tensor& x) {
          Pass pass{true, Rng(7)};
          const Variable v = x;
          return attend(score, v, v, v, pass, {mask, rate, everything});
        };
        const Tensor x = drawn({1, 6, 3}, 1).value();
        const Attended before = outputs(x);
        for (const Real other : {Real(80), Real(-80), nan_value}) {
          Tensor changed = x;
          for (std::size_t i = 4 * 3; i < 5 * 3; ++i) changed.data()[i] = other;  // token 4
          const Attended after = outputs(changed);
          CHECK(same_bits(slice(before.context, 1, 0, 4).value(), slice(after.context, 1, 0, 4).value()));
          CHECK(same_bits(slice(before.weights, 1, 0, 4).value(), slice(after.weights, 1, 0, 4).value()));
        }
      }
    }
  }
}

TEST_CASE("causal is aligned to the end", "[modules]") {
  CHECK(Mask::causal().expand(1, 2, 3).values == std::vector<unsigned char>{1, 1, 0, 1, 1, 1});
  CHECK(Mask::causal().expand(1, 3, 2).values == std::vector<unsigned char>{0, 0, 1, 0, 1, 1});
  CHECK((Mask() & Mask::causal()).expand(1, 1, 2).values == std::vector<unsigned char>{1, 1});
  CHECK(Mask().allows_all());
  CHECK((Mask::causal() & Mask::key_lengths({2, 1})).expand(2, 2, 2).values ==
        std::vector<unsigned char>{1, 0, 1, 1, 1, 0, 1, 0});
}

TEST_CASE("attention: all gradients agree with differences", "[modules]") {
  if (sizeof(Real) < 8) return;
  std::vector<Score> scores = all_scores(3);
  for (Score& score : scores) {
    for (const Mask& mask : {Mask(), Mask::causal() & Mask::key_lengths({4, 0})}) {
      Param q(drawn({2, 3, 3}, 1).value()), k(drawn({2, 4, 3}, 2).value()), v(drawn({2, 4, 2}, 3).value());
      const Tensor by_context = drawn({2, 3, 2}, 4).value(), by_weight = drawn({2, 3, 4}, 5).value(),
                   by_entropy = drawn({2, 3}, 6).value();
      std::vector<NamedParam> params = {{"q", &q, true}, {"k", &k, true}, {"v", &v, true}};
      walk(score, [&](const std::string& path, Param& param) {
        if (param.defined()) params.push_back({path, &param, true});
      });
      Param bias(drawn({3, 4}, 7).value());
      params.push_back({"bias", &bias, true});
      const auto report = gradcheck(params, [&] {
        Pass pass;
        const Attended a = attend(score, q, k, v, pass, {mask, 0, everything, bias});
        return add(add(sum(mul(a.context, by_context)), sum(mul(a.weights, by_weight))),
                   add(sum(mul(a.entropy, by_entropy)), sum(mul(a.scores, by_weight))));
      });
      INFO(report.text());
      CHECK(report.passed);
    }
  }
}

TEST_CASE("hybrid by mean averages two attentions", "[modules]") {
  Rng rng(1);
  const Hybrid hybrid(HybridKind::mean, 3, 3, 5, rng);
  const Variable q = drawn({2, 4, 3}, 1), k = drawn({2, 5, 3}, 2), v = drawn({2, 5, 2}, 3);
  Pass pass;
  const Want want{.weights = true, .entropy = true};
  const Attended both = hybrid(q, k, v, pass, {{}, 0, want});
  const Attended dot = attend(hybrid.scores[0], q, k, v, pass, {{}, 0, want});
  const Attended additive = attend(hybrid.scores[1], q, k, v, pass, {{}, 0, want});
  CHECK(hybrid.scores[0].index() == 1);
  CHECK(hybrid.scores[1].index() == 3);
  CHECK_THAT(both.context.value(), close_to(scale(add(dot.context, additive.context), Real(0.5)).value()));
  CHECK_THAT(both.weights.value(), close_to(scale(add(dot.weights, additive.weights), Real(0.5)).value()));
  CHECK_THAT(both.entropy.value(), close_to(scale(add(dot.entropy, additive.entropy), Real(0.5)).value()));
  CHECK_THROWS_WITH(hybrid(q, k, v, pass, {{}, 0, {.scores = true}}), Catch::Contains("no raw scores"));
}

TEST_CASE("hybrid by dimensions takes dot where they agree, else additive", "[modules]") {
  Rng rng(1);
  CHECK(Hybrid(HybridKind::by_dims, 3, 3, 5, rng).scores.at(0).index() == 1);
  CHECK(Hybrid(HybridKind::by_dims, 3, 4, 5, rng).scores.at(0).index() == 3);
  CHECK_THROWS_WITH(Hybrid(HybridKind::mean, 3, 4, 5, rng),
                    Catch::Contains("3") && Catch::Contains("by-dims"));
  CHECK_THROWS_WITH(hybrid_kind("vote"), Catch::Contains("vote") && Catch::Contains("by-dims"));
}

TEST_CASE("attention without keys or without items keeps shapes, with zeros", "[modules]") {
  for (const Score& score : all_scores(3)) {
    const Variable q = drawn({2, 3, 3}, 1), k = drawn({2, 0, 3}, 2), v = drawn({2, 0, 4}, 3);
    const Attended none = run(score, q, k, v);
    CHECK_THAT(none.context.value(), close_to(zeros({2, 3, 4}), 0));
    backward(sum(none.context));
    CHECK_THAT(*q.grad(), close_to(zeros({2, 3, 3}), 0));
    CHECK(run(score, drawn({0, 3, 3}, 1), drawn({0, 5, 3}, 2), drawn({0, 5, 4}, 3)).context.shape() ==
          Shape{0, 3, 4});
  }
}

TEST_CASE("a query that is NaN and that the loss does not look at harms nobody", "[modules]") {
  for (const Score& score : all_scores(2)) {
    const Variable q = Variable::leaf(tensor({1, 2, 2}, {1, 2, nan_value, nan_value}));
    const Variable k = drawn({1, 3, 2}, 1), v = drawn({1, 3, 2}, 2);
    const Attended a = run(score, q, k, v);
    backward(a.context, tensor({1, 2, 2}, {1, 1, 0, 0}));
    check_finite(k);
    check_finite(v);
    const Variable q1 = Variable::leaf(tensor({1, 1, 2}, {1, 2})), k1 = drawn({1, 3, 2}, 1),
                   v1 = drawn({1, 3, 2}, 2);
    backward(run(score, q1, k1, v1).context, filled({1, 1, 2}, 1));
    CHECK_THAT(*v.grad(), close_to(*v1.grad()));
    CHECK_THAT(*k.grad(), close_to(*k1.grad()));
  }
}

TEST_CASE("scores of nothing but -inf give zeros, with a mask and without", "[modules]") {
  const Real inf = std::numeric_limits<Real>::infinity();
  const Variable q = drawn({1, 1, 2}, 1), k = drawn({1, 2, 2}, 2), v = drawn({1, 2, 2}, 3);
  for (const Mask& mask : {Mask(), Mask::key_lengths({2})}) {
    Pass pass;
    const Attended a = attend(DotScore{}, q, k, v, pass, {mask, 0, everything, filled({1, 2}, -inf)});
    CHECK_THAT(a.weights.value(), close_to(zeros({1, 1, 2}), 0));
    CHECK_THAT(a.context.value(), close_to(zeros({1, 1, 2}), 0));
  }
}
