#include <catch2/catch.hpp>

#include "compare.hpp"
#include "modules/streaming.hpp"
#include "modules/transformer.hpp"

using namespace fovea;
using namespace fovea::streamed;

namespace {

constexpr std::size_t width = 8, heads = 2, head_width = width / heads;

MultiHead additive_heads() {
  Rng rng(1);
  MultiHead module(width, heads, rng, HeadScore::additive);
  Rng other(2);
  module.in.bias.set(normal(other, {3 * width}, 0, Real(0.5)));
  module.out.bias.set(normal(other, {width}, 0, Real(0.5)));
  return module;
}

// Head `h` as an attention of its own, from slices of the module's parameters.
Attended head_alone(const MultiHead& module, std::size_t h, const Variable& query, const Variable& keys,
                    const Variable& values, const Mask& mask) {
  const auto part = [&](const Param& of, std::size_t n) {
    const std::size_t begin = n * width + h * head_width;
    return Param(slice(of, 0, begin, begin + head_width).value());
  };
  AdditiveScore score;
  score.query.weight = part(module.in.weight, 0);
  score.query.bias = part(module.in.bias, 0);
  score.key.weight = part(module.in.weight, 1);
  score.key.bias = part(module.in.bias, 1);
  score.v = part(module.v, 0);
  Pass pass;
  return attend(score, query, keys, linear(values, part(module.in.weight, 2), part(module.in.bias, 2)), pass,
                {.mask = mask, .want = {true, true, true}, .composed = true});
}

Variable of_head(const Variable& x, std::size_t h) {
  Shape shape = x.shape();
  shape.erase(shape.begin() + 1);
  return reshape(slice(x, 1, h, h + 1), shape);
}

}  // namespace

TEST_CASE("additive heads are additive attentions side by side", "[modules][multi_head]") {
  const MultiHead module = additive_heads();
  const Variable x = drawn({3, 5, width}, 3), y = drawn({3, 7, width}, 4), z = drawn({3, 7, width}, 5);
  Pass pass;
  for (const bool self : {true, false}) {
    for (const Mask& mask : {Mask(), Mask::causal() & Mask::key_lengths({5, 1, 3})}) {
      const AttendOptions options{.mask = mask, .want = {true, true, true}};
      const Attended all = self ? module(x, pass, options) : module(x, y, z, pass, options);
      std::vector<Variable> contexts;
      for (std::size_t h = 0; h < heads; ++h) {
        const Attended one = head_alone(module, h, x, self ? x : y, self ? x : z, mask);
        CHECK_THAT(of_head(all.scores, h).value(), close_to(one.scores.value(), tolerance));
        CHECK_THAT(of_head(all.weights, h).value(), close_to(one.weights.value(), tolerance));
        CHECK_THAT(of_head(all.entropy, h).value(), close_to(one.entropy.value(), tolerance));
        contexts.push_back(one.context);
      }
      CHECK_THAT(all.context.value(), close_to(module.out(concat(contexts, -1)).value(), tolerance));
    }
  }
}

TEST_CASE("gradients of additive heads are those of the composed attentions", "[modules][multi_head]") {
  const MultiHead module = additive_heads();
  const Variable x = Variable::leaf(drawn({2, 4, width}, 3));
  const std::vector<Variable> wrt = {x, module.in.weight, module.in.bias, module.v};
  // The same from plain ops: [B, heads, T, T, D] and all.
  const auto composed = [&] {
    const auto split = [&](std::size_t n) {
      const Variable part = slice(module.in(x), -1, n * width, (n + 1) * width);
      return permute(reshape(part, {2, 4, heads, head_width}), {0, 2, 1, 3});
    };
    const Variable a = reshape(split(0), {2, heads, 4, 1, head_width});
    const Variable b = reshape(split(1), {2, heads, 1, 4, head_width});
    const Variable scores = sum(mul(tanh(add(a, b)), reshape(module.v, {heads, 1, 1, head_width})), -1);
    const Variable context = permute(matmul(softmax(scores, -1), split(2)), {0, 2, 1, 3});
    return module.out(reshape(context, {2, 4, width}));
  };
  const Tensor dy = drawn({2, 4, width}, 6);
  Pass pass;
  const auto expected = gradients_of(composed(), dy, wrt);
  const auto actual = gradients_of(module(x, pass).context, dy, wrt);
  for (std::size_t i = 0; i < wrt.size(); ++i) CHECK_THAT(actual[i], close_to(expected[i], tolerance));
}

TEST_CASE("heads start as their header says", "[modules][multi_head]") {
  const MultiHead module = additive_heads();
  for (std::size_t h = 0; h < 2 * heads; ++h) {
    const Variable rows = slice(module.in.weight, 0, h * head_width, (h + 1) * head_width);
    Tensor identity = zeros({head_width, head_width});
    for (std::size_t i = 0; i < head_width; ++i) identity.data()[i * head_width + i] = 1;
    CHECK_THAT(matmul(rows, rows, false, true).value(), close_to(identity, 1e-6));
  }
  Rng rng(1);
  for (const std::size_t big : {64, 256}) {
    const MultiHead dot(big, 4, rng), additive(big, 4, rng, HeadScore::additive);
    CHECK(parameter_count(dot) == 4 * big * (big + 1));
    CHECK(parameter_count(additive) == parameter_count(dot) + big);
    CHECK(all_finite(additive.v.value()));
  }
  CHECK(head_score("dot") == HeadScore::dot);
  CHECK(head_score("scaled_dot") == HeadScore::scaled_dot);
  CHECK(head_score("additive") == HeadScore::additive);
  CHECK_THROWS_WITH(head_score("general"), Catch::Contains("general") && Catch::Contains("additive"));
  CHECK_THROWS_AS(MultiHead(8, 2, rng, HeadScore::dot, 1.0), ConfigError);
}

TEST_CASE("the factor of dot heads is 1, that of scaled ones 1/√D", "[modules][multi_head]") {
  Rng rng(1);
  MultiHead dot(width, heads, rng, HeadScore::dot);
  MultiHead scaled = dot;
  scaled.scores.assign(heads, HeadScore::scaled_dot);
  const Variable x = drawn({2, 3, width}, 3);
  Pass pass;
  const AttendOptions options{.want = {.scores = true}};
  CHECK_THAT(scale(dot(x, pass, options).scores, Real(0.5)).value(),
             close_to(scaled(x, pass, options).scores.value()));
  CHECK_THAT(scale(dot(x, x, x, pass, options).scores, Real(0.5)).value(),
             close_to(scaled(x, x, x, pass, options).scores.value()));
}

TEST_CASE("the module's dropout counts while training, an option's before it", "[modules][multi_head]") {
  const Variable x = drawn({2, 3, width}, 3);
  for (const HeadScore score : {HeadScore::scaled_dot, HeadScore::additive}) {
    Rng rng(1);
    MultiHead module(width, heads, rng, score, 0.5), other = module;
    other.dropout = 0.2;
    const auto run = [&](const MultiHead& of, bool training, double rate) {
      Pass pass{.training = training, .rng = Rng(4)};
      return of(x, pass, {.dropout = rate}).context.value();
    };
    CHECK_THAT(run(module, false, 0), close_to(run(other, false, 0.7), 0));
    CHECK_THAT(run(module, true, 0), !close_to(run(module, false, 0), 0.01));
    CHECK_THAT(run(module, true, 0), close_to(run(other, true, 0.5), 0));
    CHECK_THAT(run(module, true, 0), !close_to(run(other, true, 0), 0.01));
  }
}

TEST_CASE("prepared keys and values serve several calls", "[modules][multi_head]") {
  const MultiHead module = additive_heads();
  const Variable keys = drawn({2, 4, width}, 3), values = drawn({2, 4, width}, 4);
  const MultiHead::Prepared prepared = module.prepare(keys, values);
  for (const std::uint64_t seed : {5, 6}) {
    const Variable query = drawn({2, 3, width}, seed);
    Pass pass;
    CHECK_THAT(module.attend_prepared(query, prepared, pass).context.value(),
               close_to(module(query, keys, values, pass).context.value(), 0));
  }
  Pass pass;
  CHECK_THROWS_WITH(module.attend_prepared(Variable(drawn({2, 3, 5}, 7)), prepared, pass),
                    Catch::Contains("[2, 3, 5]") && Catch::Contains("queries"));
}
