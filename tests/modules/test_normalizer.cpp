#include <cmath>

#include <catch2/catch.hpp>

#include "autograd/engine.hpp"
#include "autograd/gradcheck.hpp"
#include "compare.hpp"
#include "core/draw.hpp"
#include "modules/attention/attention.hpp"
#include "modules/attention/multi_head.hpp"

using namespace fovea;

namespace {

constexpr Real nan_value = std::numeric_limits<Real>::quiet_NaN();
constexpr Real inf = std::numeric_limits<Real>::infinity();
constexpr Want everything{true, true, true};
constexpr double tolerance = sizeof(Real) == 8 ? 1e-12 : 1e-5;
const Normalizer sparse = normalizer_named("sparsemax"), two = normalizer_named("top-k:2");

Variable drawn(const Shape& shape, std::uint64_t seed, Real deviation = 1) {
  Rng rng(seed);
  return Variable::leaf(normal(rng, shape, 0, deviation));
}

std::vector<Score> all_scores(std::size_t width) {
  std::vector<Score> all;
  Rng rng(1);
  for (const std::string& name : score_names()) all.push_back(make_score(name, width, width, 5, rng));
  return all;
}

// The τ with Σ max(x - τ, 0) = 1, by bisection: the sum falls as τ rises.
std::vector<double> sparsemax_by_bisection(const std::vector<double>& x) {
  double high = *std::max_element(x.begin(), x.end()), low = high - 1;
  for (int i = 0; i < 200; ++i) {
    const double middle = (low + high) / 2;
    double sum = 0;
    for (const double one : x) sum += std::max(one - middle, 0.0);
    (sum > 1 ? low : high) = middle;
  }
  std::vector<double> y;
  for (const double one : x) y.push_back(std::max(one - low, 0.0));
  return y;
}

// By what the definition says: an element is in when fewer than k come before it.
std::vector<double> top_k_by_rank(const std::vector<double>& x, std::size_t k) {
  std::vector<double> y(x.size());
  double total = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    std::size_t before = 0;
    for (std::size_t j = 0; j < x.size(); ++j) before += x[j] > x[i] || (x[j] == x[i] && j < i);
    if (before < k) total += y[i] = std::exp(x[i]);
  }
  for (double& one : y) one /= total;
  return y;
}

// Each row of x, without what `keep` leaves out, through `of_row`.
template <class OfRow>
Tensor by_row(const Tensor& x, const Keep& keep, const OfRow& of_row) {
  const std::vector<unsigned char> kept = broadcast_values(keep, x.shape());
  const std::size_t n = x.shape().back();
  Tensor y = zeros(x.shape());
  for (std::size_t row = 0; row < x.size(); row += n) {
    std::vector<double> some;
    for (std::size_t i = row; i < row + n; ++i)
      if (kept[i]) some.push_back(static_cast<double>(x.data()[i]));
    if (some.empty()) continue;
    const std::vector<double> weights = of_row(some);
    auto next = weights.begin();
    for (std::size_t i = row; i < row + n; ++i)
      if (kept[i]) y.data()[i] = static_cast<Real>(*next++);
  }
  return y;
}

const Keep all({1}, {1});
const Keep some({3, 1, 7},
                {1, 1, 0, 1, 0, 1, 1, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0});  // the last: nothing

}  // namespace

TEST_CASE("sparsemax is the threshold that bisection finds", "[modules]") {
  for (const Real deviation : {Real(0.1), Real(1), Real(5)}) {
    const Tensor x = drawn({3, 8, 7}, 1, deviation).value();
    CHECK_THAT(sparsemax(x).value(), close_to(by_row(x, all, sparsemax_by_bisection), tolerance));
    CHECK_THAT(sparsemax(x, some).value(), close_to(by_row(x, some, sparsemax_by_bisection), tolerance));
  }
  // However far the scores are from 0: only differences count.
  const Tensor far = tensor({1, 3}, {Real(1e6), Real(1e6) - Real(0.5), Real(1e6) - 2});
  CHECK_THAT(sparsemax(far).value(), close_to(tensor({1, 3}, {0.75, 0.25, 0}), 0));
}

TEST_CASE("top-k is a softmax over the best, of equal ones the first", "[modules]") {
  Tensor x = drawn({3, 8, 7}, 1).value();
  for (std::size_t i = 0; i < x.size(); ++i) x.data()[i] = std::round(2 * x.data()[i]) / 2;  // many ties
  for (const std::size_t k : {1, 2, 3, 6}) {
    const auto rule = [k](const std::vector<double>& row) { return top_k_by_rank(row, k); };
    CHECK_THAT(top_k_softmax(x, k).value(), close_to(by_row(x, all, rule), tolerance));
    CHECK_THAT(top_k_softmax(x, k, some).value(), close_to(by_row(x, some, rule), tolerance));
  }
  CHECK_THAT(top_k_softmax(tensor({4}, {1, 3, 3, 3}), 2).value(), close_to(tensor({4}, {0, 0.5, 0.5, 0}), 0));
}

TEST_CASE("top-k of at least as many as there are is softmax, to the bit", "[modules]") {
  const Variable x = drawn({3, 8, 7}, 1);
  for (const std::size_t k : {7, 8, 1000}) {
    CHECK(same_bits(top_k_softmax(x, k).value(), softmax(x, -1).value()));
    CHECK(same_bits(top_k_softmax(x, k, some).value(), masked_softmax(x, some).value()));
  }
  Rng rng(1);
  for (const Score& score : all_scores(3)) {
    const Variable q = drawn({2, 4, 3}, 1), k = drawn({2, 5, 3}, 2), v = drawn({2, 5, 2}, 3);
    Pass pass;
    const auto with = [&](const char* name) {
      return attend(
          score, q, k, v, pass,
          {.mask = Mask::key_lengths({5, 3}), .want = everything, .normalizer = normalizer_named(name)});
    };
    const Attended plain = with("softmax"), same = with("top-k:5");
    CHECK_THAT(same.context.value(), close_to(plain.context.value(), tolerance));
    CHECK_THAT(same.weights.value(), close_to(plain.weights.value(), tolerance));
    CHECK_THAT(same.entropy.value(), close_to(plain.entropy.value(), tolerance));
    CHECK_THAT(same.scores.value(), close_to(plain.scores.value(), tolerance));
  }
}

TEST_CASE("sparse weights of rows at the edge", "[modules]") {
  const Tensor x = tensor({4, 3}, {-inf, -inf, -inf, 2, nan_value, 1, -inf, 0, 0, nan_value, 5, 5});
  for (const Tensor& y : {sparsemax(x).value(), top_k_softmax(x, 2).value()}) {
    CHECK_THAT(slice(y, 0, 0, 1).value(), close_to(zeros({1, 3}), 0));  // as softmax has it
    for (std::size_t i = 3; i < 6; ++i) CHECK(std::isnan(y.data()[i]));
    CHECK_THAT(slice(y, 0, 2, 3).value(), close_to(tensor({1, 3}, {0, 0.5, 0.5}), 0));
  }
  const Keep second({4, 3}, {1, 1, 1, 1, 0, 1, 1, 1, 1, 0, 1, 1});  // hides both NaN
  for (const Variable& y : {sparsemax(x, second), top_k_softmax(x, 2, second)}) {
    CHECK(all_finite(y.value()));
    CHECK_THAT(slice(y, 0, 3, 4).value(), close_to(tensor({1, 3}, {0, 0.5, 0.5}), 0));
  }
  // Between 0 and 1 a sparse weight counts nothing towards the entropy: 0 · log 0 = 0, and without a
  // gradient.
  const Variable certain = Variable::leaf(tensor({1, 3}, {5, 1, 0}));
  const Variable h = entropy(sparsemax(certain));
  CHECK(h.value().data()[0] == 0);
  backward(h, tensor({1}, {1}));
  CHECK_THAT(*certain.grad(), close_to(zeros({1, 3}), 0));
}

TEST_CASE("a fully masked row is exactly zero under sparse weights, too", "[modules]") {
  for (const Normalizer& normalizer : {sparse, two}) {
    for (const Score& score : all_scores(3)) {
      const Variable q = drawn({2, 2, 3}, 1), k = drawn({2, 3, 3}, 2), v = drawn({2, 3, 4}, 3);
      Pass pass{true, Rng(5)};
      const Attended a = attend(
          score, q, k, v, pass,
          {.mask = Mask::key_lengths({3, 0}), .dropout = 0.5, .want = everything, .normalizer = normalizer});
      for (const Variable& one : {a.context, a.weights, a.entropy}) {
        const Tensor of_item = slice(one, 0, 1, 2).value();
        CHECK_THAT(of_item, close_to(zeros(of_item.shape()), 0));
      }
      backward(add(sum(a.context), sum(a.entropy)));
      for (const Variable& leaf : {q, k, v}) {
        CHECK(all_finite(*leaf.grad()));
        const Tensor of_item = slice(Variable(leaf.grad()), 0, 1, 2).value();
        CHECK_THAT(of_item, close_to(zeros(of_item.shape()), 0));
      }
    }
  }
}

TEST_CASE("NaN under a masked key reaches no sparse weight and no gradient", "[modules]") {
  const Tensor clean = drawn({1, 4, 2}, 1).value();
  Tensor spoiled = clean;
  spoiled.data()[2] = spoiled.data()[3] = nan_value;
  const Mask hidden = Mask::keep(Keep({4}, {1, 0, 1, 1}));
  for (const Normalizer& normalizer : {sparse, two}) {
    for (const Score& score : all_scores(2)) {
      const auto results = [&](const Tensor& keys, const Tensor& values) {
        const Variable q = drawn({1, 4, 2}, 2), k = Variable::leaf(Tensor(keys)),
                       v = Variable::leaf(Tensor(values));
        Pass pass;
        const Attended a =
            attend(score, q, k, v, pass, {.mask = hidden, .want = everything, .normalizer = normalizer});
        backward(add(sum(mul(a.context, a.context)), sum(a.entropy)));
        return std::vector<Tensor>{a.context.value(), a.weights.value(), *q.grad(), *k.grad(), *v.grad()};
      };
      const auto expected = results(clean, clean);
      for (const auto& found :
           {results(spoiled, clean), results(clean, spoiled), results(spoiled, spoiled)}) {
        for (std::size_t i = 0; i < found.size(); ++i)
          CHECK_THAT(found[i], close_to(expected[i], sizeof(Real) == 8 ? 1e-12 : 1e-5));
      }
    }
  }
}

TEST_CASE("sparse attention: all gradients agree with differences", "[modules]") {
  if (sizeof(Real) < 8) return;
  for (const Normalizer& normalizer : {sparse, two}) {
    for (Score& score : std::vector<Score>(all_scores(3))) {
      for (const Mask& mask : {Mask(), Mask::causal() & Mask::key_lengths({4, 0})}) {
        Param q(drawn({2, 3, 3}, 1).value()), k(drawn({2, 4, 3}, 2).value()), v(drawn({2, 4, 2}, 3).value()),
            bias(drawn({3, 4}, 7).value());
        const Tensor by_context = drawn({2, 3, 2}, 4).value(), by_weight = drawn({2, 3, 4}, 5).value(),
                     by_entropy = drawn({2, 3}, 6).value();
        std::vector<NamedParam> params = {
            {"q", &q, true}, {"k", &k, true}, {"v", &v, true}, {"bias", &bias, true}};
        for (const NamedParam& one : parameters(score)) params.push_back(one);
        const auto report = gradcheck(params, [&] {
          Pass pass;
          const Attended a =
              attend(score, q, k, v, pass,
                     {.mask = mask, .want = everything, .bias = bias, .normalizer = normalizer});
          return add(add(sum(mul(a.context, by_context)), sum(mul(a.weights, by_weight))),
                     add(sum(mul(a.entropy, by_entropy)), sum(mul(a.scores, by_weight))));
        });
        INFO(report.text());
        CHECK(report.passed);
      }
    }
  }
}

TEST_CASE("a normaliser is named, and refused where it cannot be", "[modules]") {
  CHECK(normalizer_named("softmax").is_softmax());
  CHECK(sparse.kind == Normalizer::Kind::sparsemax);
  CHECK(two.kind == Normalizer::Kind::top_k);
  CHECK(two.k == 2);
  for (const char* wrong : {"", "top-k", "top-k:", "top-k:0", "top-k:-1", "top-k:2x", "top-k: 2", "Softmax",
                            "top-k:99999999999999999999999"})
    CHECK_THROWS_WITH(normalizer_named(wrong), Catch::Contains("top-k:N") && Catch::Contains("sparsemax"));
  Rng rng(1);
  const MultiHead heads(4, 2, rng);
  Pass pass;
  CHECK_THROWS_WITH(heads(drawn({1, 3, 4}, 1), pass, {.normalizer = sparse}),
                    Catch::Contains("[multi-head]") && Catch::Contains("softmax"));
  const ScoredAttention made = make_attention({.score = "dot", .normalizer = "top-k:2"}, {4, 4, 4, 3}, rng);
  const Variable x = drawn({1, 5, 4}, 1);
  const Tensor weights = made(x, made.prepare(x), x, pass, {.want = everything}).weights.value();
  for (std::size_t i = 0; i < 5; ++i)
    CHECK(std::count_if(weights.data() + i * 5, weights.data() + i * 5 + 5, [](Real w) { return w > 0; }) ==
          2);
  CHECK(make_attention({}, {4, 4, 4, 3}, rng).plain_additive());
  CHECK_FALSE(make_attention({.normalizer = "sparsemax"}, {4, 4, 4, 3}, rng).plain_additive());
}
