#include <cmath>
#include <string>

#include <catch2/catch.hpp>

#include "autograd/gradcheck.hpp"
#include "autograd/rotation.hpp"
#include "compare.hpp"
#include "modules/attention/multi_head.hpp"
#include "modules/streaming.hpp"
#include "modules/transformer.hpp"

using namespace fovea;
using namespace fovea::streamed;
using Catch::Contains;

namespace {

constexpr std::size_t width = 8, heads = 4, head_width = 2, length = 6;

MultiHead module_of(const HeadSettings& settings) {
  Rng rng(1);
  MultiHead module(width, heads, rng, settings);
  Rng other(2);
  module.in.bias.set(normal(other, module.in.bias.shape(), 0, Real(0.5)));
  return module;
}

Variable rows(const Variable& x, std::size_t begin, std::size_t end) { return slice(x, 0, begin, end); }

// Its weights and biases with those of each head of keys and values written down for every head that uses
// them.
MultiHead written_out(const MultiHead& shared) {
  const std::size_t each = heads / shared.key_value_heads, few = shared.key_value_heads * head_width;
  MultiHead module = shared;
  module.key_value_heads = heads;
  const auto all = [&](const Param& of) {
    std::vector<Variable> parts{rows(of, 0, width)};
    for (const std::size_t begin : {width, width + few})
      for (std::size_t h = 0; h < heads; ++h)
        parts.push_back(rows(of, begin + h / each * head_width, begin + (h / each + 1) * head_width));
    return Param(concat(parts, 0).value());
  };
  module.in.weight = all(shared.in.weight);
  module.in.bias = all(shared.in.bias);
  return module;
}

void check_gradients(MultiHead module, const Mask& mask) {
  if constexpr (sizeof(Real) == sizeof(double)) {
    const Variable x = drawn({2, 5, width}, 3);
    const GradcheckReport report = gradcheck(parameters(module), [&] {
      Pass pass;
      const Variable y = module(x, pass, {.mask = mask}).context;
      return sum(y * y);
    });
    INFO(report.text());
    CHECK(report.passed);
  }
}

}  // namespace

TEST_CASE("heads that share keys and values equal heads with copies of them", "[modules][heads]") {
  const Variable x = drawn({2, length, width}, 3), y = drawn({2, 3, width}, 4);
  const Mask mask = Mask::key_lengths({length, 4});
  for (const char* score : {"dot", "scaled_dot", "additive"}) {
    for (const std::uint64_t few : {1, 2}) {
      const MultiHead module = module_of({.score = score, .key_value_heads = few}),
                      copies = written_out(module);
      CHECK(module.in.weight.shape() == Shape{width + 2 * few * head_width, width});
      Pass pass;
      const AttendOptions options{.mask = mask, .want = {true, true, true}};
      const Attended own = module(x, pass, options), expected = copies(x, pass, options);
      CHECK_THAT(own.context.value(), close_to(expected.context.value(), tolerance));
      CHECK_THAT(own.weights.value(), close_to(expected.weights.value(), tolerance));
      CHECK_THAT(module(y, x, x, pass, options).context.value(),
                 close_to(copies(y, x, x, pass, options).context.value(), tolerance));
      CHECK(module.prepare(x, x).keys.shape() == Shape{2, length, few * head_width});
      check_gradients(module, Mask::key_lengths({5, 3}));
    }
  }
}

TEST_CASE("pairs are turned by their positions", "[autograd][rotation]") {
  // One head of width 4, position 3: the first pair turns by 3, the second by 3 / 100.
  const Variable x(tensor({1, 2, 4}, {9, 9, 9, 9, 1, 0, 2, 1}));
  const Tensor y = rotate_pairs(x, 1, 2).value();
  const std::vector<double> expected{std::cos(3.0), std::sin(3.0), 2 * std::cos(0.03) - std::sin(0.03),
                                     2 * std::sin(0.03) + std::cos(0.03)};
  for (std::size_t i = 0; i < 4; ++i)
    CHECK(static_cast<double>(y.data()[4 + i]) == Approx(expected[i]).margin(1e-6));
  CHECK((rotate_pairs(x, 1).value().data()[0] == 9));
  // Each head in the same way.
  CHECK((slice(rotate_pairs(concat({x, x}, 2), 2, 2), 2, 4, 8).value() == y));

  const Variable q = Variable::leaf(drawn({2, 3, 8}, 5)), k = drawn({2, 3, 8}, 6);
  const auto product = [&](std::size_t shift) {
    return sum(rotate_pairs(q, 2, 7 + shift) * rotate_pairs(k, 2, 4 + shift)).item();
  };
  CHECK(static_cast<double>(product(0)) == Approx(static_cast<double>(product(1000))).epsilon(1e-3));
  if constexpr (sizeof(Real) == sizeof(double)) {
    const Variable weight(drawn({2, 3, 8}, 7));
    const auto report =
        gradcheck([&](std::span<const Variable> in) { return sum(rotate_pairs(in[0], 2, 3) * weight); },
                  std::vector<Tensor>{q.value()});
    INFO(report.text());
    CHECK(report.passed);
  }
  CHECK_THROWS_WITH(rotate_pairs(Variable(drawn({1, 2, 6}, 1)), 2),
                    Contains("[1, 2, 6]") && Contains("even"));
  CHECK_THROWS_AS(rotate_pairs(q, 2, 0, -1.0), ConfigError);
}

TEST_CASE("rotary scores know distances alone", "[modules][heads]") {
  const MultiHead module = module_of({.rotary = true});
  const Variable x = drawn({2, length, width}, 3);
  Pass pass;
  const Want want{true, true, true};
  const Attended all = module(x, pass, {.want = want});
  // By hand from the projections.
  const Variable packed = module.in(x);
  const auto part = [&](std::size_t n) { return slice(packed, -1, n * width, (n + 1) * width); };
  const auto by_heads = [&](const Variable& of) {
    return permute(reshape(of, {2, length, heads, head_width}), {0, 2, 1, 3});
  };
  const Variable scores = scale(
      matmul(by_heads(rotate_pairs(part(0), heads)), by_heads(rotate_pairs(part(1), heads)), false, true),
      Real(1 / std::sqrt(2.0)));
  CHECK_THAT(all.scores.value(), close_to(scores.value(), 10 * tolerance));
  // Three zeros before it move all by three.
  const Variable later = concat({Variable(zeros({2, 3, width})), x}, 1);
  const Variable moved = module(later, pass, {.want = want}).scores;
  CHECK_THAT(slice(slice(moved, 2, 3, length + 3), 3, 3, length + 3).value(),
             close_to(scores.value(), 10 * tolerance));
  // The last queries stand at the end.
  const Variable last = slice(x, 1, length - 2, length);
  CHECK_THAT(module(last, x, x, pass).context.value(),
             close_to(slice(all.context, 1, length - 2, length).value(), 10 * tolerance));
  CHECK_FALSE((all.context.value() == module_of({})(x, pass).context.value()));
  CHECK_THROWS_WITH(module(x, last, last, pass), Contains("fewer keys"));
  check_gradients(module, Mask::causal());
}

TEST_CASE("each head scores in its own way", "[modules][heads]") {
  const MultiHead module = module_of({.score = "additive,dot,scaled_dot,additive"});
  CHECK(module.v.shape() == Shape{2 * head_width});
  const Variable x = drawn({2, length, width}, 3);
  const Mask mask = Mask::causal() & Mask::key_lengths({length, 4});
  Pass pass;
  const AttendOptions options{.mask = mask, .want = {true, true, true}};
  const Attended mixed = module(x, pass, options);
  for (const HeadScore score : {HeadScore::additive, HeadScore::dot, HeadScore::scaled_dot}) {
    MultiHead alike = module;
    alike.scores.assign(heads, score);
    const Variable middle(zeros({2 * head_width}));
    if (score == HeadScore::additive)
      alike.v = Param(concat({slice(module.v, 0, 0, 2), middle, slice(module.v, 0, 2, 4)}, 0).value());
    const Attended all = alike(x, pass, options);
    for (std::size_t h = 0; h < heads; ++h) {
      if (module.scores[h] != score) continue;
      for (const auto part : {&Attended::scores, &Attended::weights, &Attended::entropy})
        CHECK_THAT(slice(mixed.*part, 1, h, h + 1).value(),
                   close_to(slice(all.*part, 1, h, h + 1).value(), tolerance));
    }
  }
  check_gradients(module, Mask::causal() & Mask::key_lengths({5, 3}));
  CHECK_THROWS_WITH(head_scores("dot,dot", 4), Contains("2 scores for 4 heads") && Contains("one for each"));
  CHECK_THROWS_WITH(head_scores("dot,", 2), Contains("no score \"\""));
  CHECK(head_scores("dot", 3) == std::vector<HeadScore>(3, HeadScore::dot));
  CHECK(head_scores("dot, additive", 2) == std::vector<HeadScore>{HeadScore::dot, HeadScore::additive});
}

TEST_CASE("low-rank heads with an identity for each position are full ones", "[modules][low_rank]") {
  const Variable x = drawn({2, length, width}, 3);
  for (const char* score : {"dot", "scaled_dot", "additive"}) {
    MultiHead module = module_of({.score = score, .rank = length, .longest = length});
    const MultiHead full = module_of({.score = score});
    Tensor identity = zeros({length, length});
    for (std::size_t i = 0; i < length; ++i) identity.data()[i * length + i] = 1;
    module.low_rank->keys.set(identity);
    module.low_rank->values.set(identity);
    Pass pass;
    const AttendOptions options{.want = {true, true, true}};
    const Attended own = module(x, pass, options), expected = full(x, pass, options);
    CHECK_THAT(own.context.value(), close_to(expected.context.value(), tolerance));
    CHECK_THAT(own.entropy.value(), close_to(expected.entropy.value(), tolerance));
  }
}

TEST_CASE("slots are what the projections make of keys and values that are no padding",
          "[modules][low_rank]") {
  Rng rng(4);
  const LowRank module(3, length, rng);
  Tensor keys = drawn({2, 5, 4}, 5), values = drawn({2, 5, 6}, 6);
  const Mask padding = Mask::key_lengths({5, 2});
  for (std::size_t i = 0; i < 3 * 4; ++i) keys.data()[(5 + 2) * 4 + i] = nan_value;
  const LowRank::Slots slots = module(Variable(keys), Variable(values), padding, 5);
  for (std::size_t b = 0; b < 2; ++b) {
    for (std::size_t slot = 0; slot < 3; ++slot) {
      for (std::size_t d = 0; d < 4; ++d) {
        double sum = 0;
        for (std::size_t t = 0; t < (b == 0 ? 5U : 2U); ++t)
          sum += static_cast<double>(module.keys.value().data()[slot * length + t]) *
                 static_cast<double>(keys.data()[(b * 5 + t) * 4 + d]);
        CHECK(static_cast<double>(slots.keys.value().data()[(b * 3 + slot) * 4 + d]) ==
              Approx(sum).margin(1e-6));
      }
    }
  }
  CHECK(slots.values.shape() == Shape{2, 3, 6});
  const Variable x = drawn({2, 5, width}, 3), longer = drawn({2, length + 1, width}, 3);
  const MultiHead heads_of_rank = module_of({.rank = 3, .longest = length});
  Pass pass;
  CHECK(heads_of_rank(x, pass, {.want = {.weights = true}}).weights.shape() == Shape{2, heads, 5, 3});
  // What a pass sees of them is the entropy: nobody else knows what slots are.
  Observations seen({true, true, true});
  Pass looking{.observations = &seen};
  heads_of_rank(x, looking);
  REQUIRE(seen.all().size() == 1);
  CHECK(seen.all()[0].entropy.shape() == Shape{2, heads, 5});
  CHECK_FALSE((seen.all()[0].weights.defined() || seen.all()[0].scores.defined()));
  // An item without keys, and a query that is padding, get nothing.
  const Mask mask = Mask::key_lengths({5, 0}) & Mask::query_lengths({3, 5});
  const Tensor context = heads_of_rank(x, pass, {.mask = mask, .want = {.entropy = true}}).entropy.value();
  for (std::size_t i = 0; i < context.size(); ++i)
    CHECK((context.data()[i] == 0) == (i / (heads * 5) == 1 || i % 5 >= 3));
  CHECK_THROWS_WITH(heads_of_rank(longer, pass), Contains("a sequence of 7") && Contains("6"));
  CHECK_THROWS_WITH(heads_of_rank(x, pass, {.mask = Mask::causal()}), Contains("mixtures"));
  CHECK_THROWS_WITH(heads_of_rank(x, pass, {.mask = Mask::window(1, 1)}), Contains("mixtures"));
  check_gradients(heads_of_rank, Mask::key_lengths({5, 3}));
  check_gradients(module_of({.score = "additive", .rank = 2, .longest = length}), Mask::key_lengths({5, 3}));
}

TEST_CASE("a Transformer with heads of many kinds, whole and step by step", "[modules][heads][transformer]") {
  const Variable x = drawn({3, 7, width}, 3), memory = drawn({3, 5, width}, 4);
  const Mask memory_mask = Mask::key_lengths({5, 2, 4});
  for (const HeadSettings& attention :
       {HeadSettings{.key_value_heads = 2}, HeadSettings{.score = "additive", .key_value_heads = 1},
        HeadSettings{.rotary = true}, HeadSettings{.score = "dot", .key_value_heads = 2, .rotary = true},
        HeadSettings{.score = "additive,dot,dot,scaled_dot", .pattern = {.window = 3, .heads = 2}},
        HeadSettings{.rank = 3, .longest = 5}, HeadSettings{.score = "linear"},
        HeadSettings{.score = "random_features,linear,dot,additive", .key_value_heads = 2, .features = 5},
        HeadSettings{.score = "scaled_dot", .buckets = 4, .rounds = 2},
        HeadSettings{.score = "additive", .pattern = {.window = 3, .heads = 1}, .buckets = 2}}) {
    Rng rng(2);
    const TransformerSettings settings{
        .width = width, .heads = heads, .inner = 12, .layers = 2, .attention = attention, .dropout = 0};
    const TransformerEncoder encoder(settings, rng);
    const TransformerDecoder decoder(settings, rng);
    Pass pass;
    const Variable read = encoder(memory, memory_mask, pass);
    const Variable whole = decoder(x, read, Mask::causal(), memory_mask, pass);
    auto caches = decoder.start(read);
    for (std::size_t t = 0; t < 7; ++t) {
      const Variable one = decoder.step(slice(x, 1, t, t + 1), caches, memory_mask, pass);
      CHECK_THAT(one.value(), close_to(slice(whole, 1, t, t + 1).value(), 10 * tolerance));
    }
    // An item of a padded batch gets what it gets alone.
    const Variable alone = encoder(slice(slice(memory, 0, 1, 2), 1, 0, 2), {}, pass);
    CHECK_THAT(slice(slice(read, 0, 1, 2), 1, 0, 2).value(), close_to(alone.value(), 10 * tolerance));
  }
}

TEST_CASE("heads without weights are linear attention of their projections", "[modules][heads]") {
  const Variable x = drawn({2, length, width}, 3);
  const Mask mask = Mask::causal() & Mask::key_lengths({length, 4});
  for (const char* score : {"linear", "random_features"}) {
    const MultiHead module = module_of({.score = score});
    REQUIRE(module.features.has_value() == (score == std::string("random_features")));
    if (module.features) CHECK(module.features->directions.value.shape() == Shape{head_width, head_width});
    const FeatureMap map = module.features ? FeatureMap(*module.features) : FeatureMap(EluFeatures{});
    const auto parts = split(module.in(x), -1, 3);
    const Variable expected = module.out(linear_attention(map, parts[0], parts[1], parts[2], mask, heads));
    Observations seen({true, true, true});
    Pass pass{.observations = &seen};
    CHECK_THAT(module(x, pass, {.mask = mask}).context.value(), close_to(expected.value(), tolerance));
    CHECK(seen.all().empty());
    CHECK_THROWS_WITH(module(x, pass, {.want = {.weights = true}}),
                      Contains("no scores, weights or entropy"));
    CHECK_THROWS_WITH(module(x, pass, {.mask = Mask::window(1, 1)}), Contains("mask"));
    CHECK_THROWS_WITH(module(x, pass, {.bias = Variable(zeros({length, length}))}), Contains("a bias"));
    check_gradients(module, Mask::causal());
  }
  CHECK(module_of({.score = "random_features", .features = 7}).features->count() == 7);
}

TEST_CASE("one bucket is all, and more are less", "[modules][heads]") {
  const Variable x = drawn({2, length, width}, 3);
  for (const char* score : {"scaled_dot", "additive"}) {
    Pass pass;
    const AttendOptions options{.mask = Mask::causal(), .want = {.weights = true}};
    const Attended full = module_of({.score = score})(x, pass, options),
                   one = module_of({.score = score, .buckets = 1})(x, pass, options);
    CHECK_THAT(one.context.value(), close_to(full.context.value(), tolerance));
    const MultiHead module = module_of({.score = score, .buckets = 4, .rounds = 2});
    REQUIRE(module.buckets.size() == 1);
    // From the hashes, which heads know each for itself.
    const auto parts = split(module.in(x), -1, 3);
    const std::vector<Ids> q = module.buckets[0].hash(parts[0].value()),
                           k = module.buckets[0].hash(parts[1].value());
    const Tensor weights = module(x, pass, options).weights.value();
    for (std::size_t n = 0; n < weights.size(); ++n) {
      const std::size_t j = n % length, row = n / length, i = row % length, first = row / length * length;
      const auto meets = [&](std::size_t round) {
        return q[round].values[first + i] == k[round].values[first + j];
      };
      CHECK((weights.data()[n] > 0) == (j <= i && (i == j || meets(0) || meets(1))));
    }
    // A pattern is added to them.
    MultiHead near = module;
    near.pattern = {.window = 2, .global = 1, .heads = 1};
    CHECK_THROWS_AS(near(x, pass, options), ShapeError);  // whose heads are of two kinds
    near.pattern.heads = 0;
    const Tensor more = near(x, pass, options).weights.value();
    for (std::size_t n = 0; n < more.size(); ++n) {
      const std::size_t j = n % length, i = n / length % length;
      CHECK((more.data()[n] > 0) == (weights.data()[n] > 0 || (j <= i && (i - j < 2 || j == 0))));
    }
    CHECK_THROWS_AS(module_of({.score = score, .buckets = 3}), ConfigError);
  }
  CHECK(module_of({.score = "dot,dot,additive,dot", .buckets = 2}).buckets.size() == 3);
}

TEST_CASE("a stride over a long sequence is its mask", "[modules][heads]") {
  constexpr std::size_t many = 300;
  const Variable x = drawn({2, many, width}, 3);
  for (const char* score : {"scaled_dot", "additive,dot,dot,additive"}) {
    for (const Pattern& pattern : {Pattern{.stride = 7}, Pattern{.window = 3, .stride = 16, .global = 1},
                                   Pattern{.stride = 9, .heads = 2}}) {
      const MultiHead sorted = module_of({.score = score, .pattern = pattern});
      MultiHead masked = sorted;
      masked.pattern = {};
      const Mask mask = Mask::key_lengths({many, 40}) & Mask::causal();
      Pass pass;
      const Tensor own = sorted(x, pass, {.mask = mask}).context.value();
      if (pattern.heads == 0) {
        CHECK_THAT(own,
                   close_to(masked(x, pass, {.mask = mask & pattern.mask()}).context.value(), tolerance));
        continue;
      }
      const AttendOptions all{.mask = mask, .want = {.weights = true}},
          some{.mask = mask & pattern.mask(), .want = {.weights = true}};
      const Variable weights = sorted(x, pass, all).weights;
      const auto part = [](const Variable& of, std::size_t begin) {
        return slice(of, 1, begin, begin + 2).value();
      };
      CHECK_THAT(part(weights, 0), close_to(part(masked(x, pass, some).weights, 0), tolerance));
      CHECK_THAT(part(weights, 2), close_to(part(masked(x, pass, all).weights, 2), tolerance));
    }
  }
}

TEST_CASE("settings of heads that do not go together are errors", "[modules][heads]") {
  const auto refused = [](const HeadSettings& settings) { check_heads(settings, width, heads); };
  CHECK_THROWS_WITH(refused({.key_value_heads = 3}), Contains("4 heads do not share 3"));
  CHECK_THROWS_WITH(refused({.key_value_heads = 8}), Contains("4 heads do not share 8"));
  CHECK_THROWS_WITH(refused({.score = "linear", .pattern = {.window = 3}}), Contains("linear heads"));
  CHECK_THROWS_WITH(refused({.score = "dot,linear,dot,dot", .pattern = {.window = 3, .heads = 2}}),
                    Contains("linear heads"));
  CHECK_NOTHROW(refused({.score = "dot,dot,linear,dot", .pattern = {.window = 3, .heads = 2}}));
  CHECK_THROWS_WITH(refused({.score = "additive", .rotary = true}), Contains("additive does not"));
  CHECK_THROWS_WITH(check_heads({.rotary = true}, 12, 4), Contains("3 for each head"));
  CHECK_THROWS_WITH(refused({.score = "linear", .rank = 2}), Contains("linear heads have none"));
  CHECK_THROWS_WITH(refused({.pattern = {.block = 2}, .rank = 2}), Contains("mixtures"));
  CHECK_THROWS_WITH(refused({.rotary = true, .rank = 2}), Contains("mixtures"));
  CHECK_THROWS_WITH(refused({.rank = 9, .longest = 8}), Contains("a rank of 9"));
  CHECK_THROWS_WITH(refused({.score = "random_features,linear,linear,dot", .buckets = 4}),
                    Contains("random_features heads have none"));
  CHECK_THROWS_WITH(refused({.features = 4}), Contains("there are none"));
  CHECK_THROWS_WITH(refused({.rounds = 2}), Contains("need buckets"));
  CHECK_THROWS_WITH(head_score("cosine"), Contains("one query at a time"));
  CHECK(across({.score = "linear,additive,random_features,dot",
                .pattern = {.window = 3},
                .key_value_heads = 2,
                .rank = 1},
               heads)
            .score == "scaled_dot,additive,scaled_dot,dot");
}
