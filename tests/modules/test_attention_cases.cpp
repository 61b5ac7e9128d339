#include <catch2/catch.hpp>

#include "autograd/engine.hpp"
#include "compare.hpp"
#include "core/draw.hpp"
#include "modules/attention/attend.hpp"
#include "modules/attention/hybrid.hpp"
#include "modules/attention/settings.hpp"

// What others ran into with masks, dropout and empty inputs, for every attention there is.

using namespace fovea;

namespace {

constexpr Real nan_value = std::numeric_limits<Real>::quiet_NaN();

using Attention = std::function<Attended(const Variable& q, const Variable& k, const Variable& v, Pass&,
                                         const AttendOptions&)>;

// Every score and both hybrids, over queries and keys of this width.
std::vector<std::pair<std::string, Attention>> all_attentions(std::size_t width) {
  std::vector<std::pair<std::string, Attention>> all;
  Rng rng(1);
  for (const char* name : {"dot", "scaled_dot", "general", "additive", "cosine", "additive_norm"}) {
    const Score score = make_score(name, width, width, 5, rng);
    all.emplace_back(
        name, [score](const auto& q, const auto& k, const auto& v, Pass& pass, const AttendOptions& options) {
          return attend(score, q, k, v, pass, options);
        });
  }
  for (const std::string& kind : hybrid_names()) {
    const auto hybrid = std::make_shared<Hybrid>(hybrid_kind(kind), width, width, 5, rng);
    all.emplace_back("hybrid " + kind,
                     [hybrid](const auto& q, const auto& k, const auto& v, Pass& pass,
                              const AttendOptions& options) { return (*hybrid)(q, k, v, pass, options); });
  }
  return all;
}

constexpr Want weights_and_entropy{.weights = true, .entropy = true};

Variable drawn(const Shape& shape, std::uint64_t seed) {
  Rng rng(seed);
  return Variable::leaf(normal(rng, shape, 0, 1));
}

Tensor rows(const Variable& x, std::size_t begin, std::size_t end) { return slice(x, 1, begin, end).value(); }

}  // namespace

// Case pytorch#101967.
TEST_CASE("a NaN under padding leaves the other key's values, and finite gradients", "[modules]") {
  const Tensor counted = tensor({1, 2, 4}, {0, 1, 2, 3, 4, 5, 6, 7});
  Tensor spoiled = counted;
  for (std::size_t i = 4; i < 8; ++i) spoiled.data()[i] = nan_value;
  for (const auto& [name, attention] : all_attentions(4)) {
    for (const auto& [keys, values] : {std::pair(spoiled, counted), std::pair(counted, spoiled)}) {
      for (const Mask& mask : {Mask::key_lengths({1}), Mask::keep(Keep({2}, {1, 0}))}) {
        INFO(name);
        const Variable q = Variable::leaf(Tensor(counted)), k = Variable::leaf(Tensor(keys)),
                       v = Variable::leaf(Tensor(values));
        Pass pass;
        const Attended a = attention(q, k, v, pass, {mask, 0, weights_and_entropy});
        CHECK_THAT(a.context.value(), close_to(tensor({1, 2, 4}, {0, 1, 2, 3, 0, 1, 2, 3}), 0));
        backward(add(sum(a.context), sum(a.entropy)));
        for (const Variable& leaf : {q, k, v}) CHECK(all_finite(*leaf.grad()));
      }
    }
  }
}

// Case pytorch#41508.
TEST_CASE("a fully masked row is exactly zero on every path", "[modules]") {
  for (const auto& [name, attention] : all_attentions(3)) {
    for (const bool training : {false, true}) {
      for (const bool weights : {false, true}) {
        INFO(name);
        const Variable q = drawn({2, 2, 3}, 1), k = drawn({2, 3, 3}, 2), v = drawn({2, 3, 4}, 3);
        Pass pass{training, Rng(5)};
        const Attended a =
            attention(q, k, v, pass, {Mask::key_lengths({3, 0}), 0.5, {.weights = weights, .entropy = true}});
        CHECK_THAT(slice(a.context, 0, 1, 2).value(), close_to(zeros({1, 2, 4}), 0));
        CHECK_THAT(slice(a.entropy, 0, 1, 2).value(), close_to(zeros({1, 2}), 0));
        if (weights) CHECK_THAT(slice(a.weights, 0, 1, 2).value(), close_to(zeros({1, 2, 3}), 0));
        backward(add(sum(a.context), sum(a.entropy)));
        for (const Variable& leaf : {q, k, v}) {
          CHECK(all_finite(*leaf.grad()));
          const Tensor of_item = slice(Variable(leaf.grad()), 0, 1, 2).value();
          CHECK_THAT(of_item, close_to(zeros(of_item.shape()), 0));
        }
      }
    }
  }
}

// Case keras#23038.
TEST_CASE("a later token changes no earlier output, not by a bit, whatever else is asked for", "[modules]") {
  const std::size_t length = 6;
  const Tensor x = drawn({1, length, 3}, 1).value();
  for (const auto& [name, attention] : all_attentions(3)) {
    for (const double rate : {0.0, 0.3}) {
      for (const bool weights : {false, true}) {
        for (const Mask& mask : {Mask::causal(0), Mask::causal(0) & Mask::key_lengths({length - 1})}) {
          const auto outputs = [&](const Tensor& tokens) {
            Pass pass{true, Rng(7)};
            return attention(tokens, tokens, tokens, pass, {mask, rate, {.weights = weights}});
          };
          const Attended before = outputs(x);
          for (std::size_t t = 0; t + 1 < length; ++t) {
            for (const Real other : {Real(80), Real(-80), nan_value}) {
              INFO(name << ", dropout " << rate << ", weights " << weights << ", token " << t + 1);
              Tensor changed = x;
              std::fill_n(changed.data() + (t + 1) * 3, 3, other);
              const Attended after = outputs(changed);
              CHECK(same_bits(rows(before.context, 0, t + 1), rows(after.context, 0, t + 1)));
              if (weights) CHECK(same_bits(rows(before.weights, 0, t + 1), rows(after.weights, 0, t + 1)));
            }
          }
        }
      }
    }
  }
}

// Case pytorch#124464.
TEST_CASE("dropout does nothing outside of training, for every attention", "[modules]") {
  const Variable q = drawn({2, 3, 4}, 1), k = drawn({2, 5, 4}, 2), v = drawn({2, 5, 4}, 3);
  for (const auto& [name, attention] : all_attentions(4)) {
    INFO(name);
    Pass pass{false, Rng(1)}, training{true, Rng(1)};
    const auto context = [&](Pass& which, double rate) {
      return attention(q, k, v, which, {{}, rate}).context.value();
    };
    const Tensor first = context(pass, 0.5), second = context(pass, 0.5), without = context(pass, 0);
    CHECK(same_bits(first, second));
    CHECK(same_bits(first, without));
    CHECK(pass.rng.state() == Rng(1).state());  // it drew nothing
    CHECK_FALSE(same_bits(context(training, 0.5), without));
    CHECK(same_bits(context(training, 0), without));
  }
}

// Cases pytorch#17262, #34202.
TEST_CASE("attention over nothing keeps shapes, and its parameters' gradients are zero", "[modules]") {
  for (const auto& [batch, keys] :
       {std::pair<std::size_t, std::size_t>(0, 5), std::pair<std::size_t, std::size_t>(2, 0)}) {
    for (const Mask& mask : {Mask(), Mask::causal()}) {
      Rng rng(1);
      AdditiveScore additive(3, 3, 4, rng);
      const Score score = additive;
      const Variable q = drawn({batch, 2, 3}, 1), k = drawn({batch, keys, 3}, 2),
                     v = drawn({batch, keys, 4}, 3);
      Pass pass;
      const Attended a = attend(score, q, k, v, pass, {mask, 0, {true, true, true}});
      CHECK(a.context.shape() == Shape{batch, 2, 4});
      CHECK(a.weights.shape() == Shape{batch, 2, keys});
      CHECK(a.entropy.shape() == Shape{batch, 2});
      backward(add(sum(a.context), sum(a.entropy)));
      walk(std::get<AdditiveScore>(score), [](const std::string& path, const Param& param) {
        INFO(path);
        if (param.defined() && param.grad()) CHECK_THAT(*param.grad(), close_to(zeros(param.shape()), 0));
      });
      for (const Variable& leaf : {q, k, v}) CHECK_THAT(*leaf.grad(), close_to(zeros(leaf.shape()), 0));
    }
  }
}
