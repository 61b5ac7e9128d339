#include <algorithm>
#include <cmath>

#include <catch2/catch.hpp>

#include "autograd/gradcheck.hpp"
#include "compare.hpp"
#include "modules/attention/pattern.hpp"
#include "modules/streaming.hpp"
#include "modules/transformer.hpp"

using namespace fovea;
using namespace fovea::streamed;
using Catch::Contains;

namespace {

constexpr std::size_t width = 8, heads = 4, length = 9;
constexpr HeadScore all_scores[] = {HeadScore::dot, HeadScore::scaled_dot, HeadScore::additive};

MultiHead module_of(HeadScore score, const Pattern& pattern = {}) {
  Rng rng(1);
  MultiHead module(width, heads, rng, score);
  Rng other(2);
  module.in.bias.set(normal(other, {3 * width}, 0, Real(0.5)));
  module.pattern = pattern;
  return module;
}

Variable head(const Variable& x, std::size_t h) { return slice(x, 1, h, h + 1); }

}  // namespace

TEST_CASE("a pattern is what its parts allow", "[modules][pattern]") {
  const auto allows = [](const Pattern& pattern, std::int64_t i, std::int64_t j) {
    if (pattern.is_full()) return true;
    const auto n = [](std::size_t x) { return static_cast<std::int64_t>(x); };
    const bool near =
        pattern.window && j >= i - n(pattern.window) / 2 && j <= i + (n(pattern.window) - 1) / 2;
    return near || (pattern.stride && (i - j) % n(pattern.stride) == 0) ||
           (pattern.block && i / n(pattern.block) == j / n(pattern.block)) || i < n(pattern.global) ||
           j < n(pattern.global);
  };
  for (const Pattern& pattern : {Pattern{}, Pattern{.window = 1}, Pattern{.window = 4}, Pattern{.window = 5},
                                 Pattern{.stride = 3}, Pattern{.block = 4}, Pattern{.window = 3, .global = 2},
                                 Pattern{.window = 2, .stride = 4, .block = 3, .global = 1}}) {
    const Keep kept = pattern.mask().expand(1, length, length);
    for (std::size_t i = 0; i < length; ++i)
      for (std::size_t j = 0; j < length; ++j)
        CHECK((kept.values[i * length + j] != 0) ==
              allows(pattern, static_cast<std::int64_t>(i), static_cast<std::int64_t>(j)));
  }
  // `window` is the number of positions in all.
  const Keep kept = Pattern{.window = 4}.mask().expand(1, length, length);
  CHECK(std::count(kept.values.begin() + 4 * length, kept.values.begin() + 5 * length, 1) == 4);
}

TEST_CASE("a window of 2T - 1 is all", "[modules][pattern]") {
  const Variable x = drawn({2, length, width}, 3);
  Pass pass;
  for (const HeadScore score : all_scores) {
    const Tensor full = module_of(score)(x, pass).context.value();
    CHECK((module_of(score, {.window = 2 * length - 1})(x, pass).context.value() == full));
    CHECK((module_of(score, {.block = length})(x, pass).context.value() == full));
    CHECK((module_of(score, {.stride = 1})(x, pass).context.value() == full));
    CHECK((module_of(score, {.window = 1, .global = length})(x, pass).context.value() == full));
    // More than there are: no list of them is made.
    CHECK((module_of(score, {.window = 1, .global = std::size_t{1} << 62})(x, pass).context.value() == full));
    CHECK_FALSE((module_of(score, {.window = 2 * length - 3})(x, pass).context.value() == full));
  }
}

TEST_CASE("heads with a pattern beside heads without", "[modules][pattern]") {
  const Variable x = drawn({2, length, width}, 3);
  const Mask mask = Mask::causal() & Mask::key_lengths({length, 4});
  const Pattern local{.window = 3, .global = 1, .heads = 3};
  for (const HeadScore score : all_scores) {
    INFO("score " << static_cast<int>(score));
    Pass pass;
    const AttendOptions options{.mask = mask, .want = {true, true, true}};
    const Attended some = module_of(score, local)(x, pass, options),
                   all = module_of(score, {.window = 3, .global = 1})(x, pass, options),
                   none = module_of(score)(x, pass, options);
    for (std::size_t h = 0; h < heads; ++h) {
      const Attended& expected = h < 3 ? all : none;
      CHECK_THAT(head(some.weights, h).value(), close_to(head(expected.weights, h).value(), tolerance));
      CHECK_THAT(head(some.scores, h).value(), close_to(head(expected.scores, h).value(), tolerance));
      CHECK_THAT(head(some.entropy, h).value(), close_to(head(expected.entropy, h).value(), tolerance));
    }
    CHECK_FALSE((some.context.value() == all.context.value()));
    CHECK_FALSE((some.context.value() == none.context.value()));
    // With keys and values of their own, which takes another way to the driver.
    const Attended apart = module_of(score, local)(x, x, scale(x, 1), pass, options);
    CHECK_THAT(apart.context.value(), close_to(some.context.value(), tolerance));
  }
  // All of the heads, named or not, are the same.
  Pass pass;
  CHECK((module_of(HeadScore::dot, {.block = 2, .heads = heads})(x, pass).context.value() ==
         module_of(HeadScore::dot, {.block = 2})(x, pass).context.value()));
}

TEST_CASE("decoding step by step under a pattern equals the whole sequence", "[modules][pattern]") {
  const Variable x = drawn({3, 7, 8}, 3), memory = drawn({3, 5, 8}, 4);
  const Mask memory_mask = Mask::key_lengths({5, 2, 4});
  for (const Pattern& pattern : {Pattern{.window = 3}, Pattern{.stride = 2, .heads = 1}, Pattern{.block = 3},
                                 Pattern{.window = 2, .global = 1}}) {
    for (const HeadScore score : all_scores) {
      Rng rng(2);
      const TransformerDecoder decoder({.width = 8,
                                        .heads = 2,
                                        .inner = 12,
                                        .layers = 2,
                                        .attention = {.score = name_of(score), .pattern = pattern},
                                        .dropout = 0},
                                       rng);
      Pass pass;
      const Variable whole = decoder(x, memory, Mask::causal(), memory_mask, pass);
      auto caches = decoder.start(memory);
      for (std::size_t t = 0; t < 7; ++t) {
        const Variable one = decoder.step(slice(x, 1, t, t + 1), caches, memory_mask, pass);
        CHECK_THAT(one.value(), close_to(slice(whole, 1, t, t + 1).value(), tolerance));
      }
    }
  }
}

TEST_CASE("what a pattern hides has no influence, and no gradient", "[modules][pattern]") {
  for (const HeadScore score : all_scores) {
    const MultiHead module = module_of(score, {.window = 3});
    Tensor values = drawn({1, length, width}, 3);
    Pass pass;
    const Tensor before = module(Variable(values), pass).context.value();
    const Variable x = Variable::leaf(values);
    Tensor dy = zeros({1, length, width});
    for (std::size_t k = 0; k < width; ++k) dy.data()[k] = 1;  // of the first position
    const Tensor dx = gradients_of(module(x, pass).context, dy, {x})[0];
    for (std::size_t i = 2 * width; i < dx.size(); ++i) CHECK(dx.data()[i] == 0);
    for (std::size_t k = 0; k < width; ++k) values.data()[8 * width + k] = std::nan("");  // the last one
    const Tensor after = module(Variable(values), pass).context.value();
    for (std::size_t i = 0; i < 7 * width; ++i) CHECK(after.data()[i] == before.data()[i]);
  }
}

TEST_CASE("gradients of heads of two kinds", "[modules][pattern]") {
  if constexpr (sizeof(Real) == sizeof(double)) {
    for (const HeadScore score : all_scores) {
      MultiHead module = module_of(score, {.window = 3, .heads = 1});
      const Variable x = drawn({2, 5, width}, 3);
      const GradcheckReport report = gradcheck(parameters(module), [&] {
        Pass pass;
        const Variable y = module(x, pass, {.mask = Mask::key_lengths({5, 3})}).context;
        return sum(y * y);
      });
      INFO(report.text());
      CHECK(report.passed);
    }
  }
}

TEST_CASE("patterns without effect are errors", "[modules][pattern]") {
  CHECK_THROWS_WITH(check_pattern({.global = 1}, 4), Contains("need a window"));
  CHECK_THROWS_WITH(check_pattern({.heads = 1}, 4), Contains("need a window"));
  CHECK_THROWS_WITH(check_pattern({.window = 1, .heads = 5}, 4), Contains("5 heads") && Contains("of 4"));
  CHECK_NOTHROW(check_pattern({.window = 1, .global = 3, .heads = 4}, 4));
}
