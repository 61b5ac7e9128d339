#include <cmath>

#include <catch2/catch.hpp>

#include "autograd/gradcheck.hpp"
#include "compare.hpp"
#include "core/attention/linear_chunk.hpp"
#include "core/memory.hpp"
#include "core/parallel.hpp"
#include "modules/attention/feature_map.hpp"
#include "modules/streaming.hpp"

using namespace fovea;
using namespace fovea::streamed;
using Catch::Contains;
using running::chunk;

// Linear attention against the quadratic form that it is a rearrangement of, and at its edges.

namespace {

constexpr std::size_t heads = 2;

struct Setting {
  Tensor query, keys, values;
  Mask mask = {};
};

Setting drawn_setting(std::size_t items, std::size_t queries, std::size_t keys, std::size_t width,
                      std::size_t value_width, Mask mask, Real deviation = 1) {
  return {drawn({items, queries, heads * width}, 1, deviation),
          drawn({items, keys, heads * width}, 2, deviation), drawn({items, keys, heads * value_width}, 3),
          std::move(mask)};
}

std::vector<FeatureMap> both_maps(std::size_t width, std::size_t features = 7) {
  Rng rng(4);
  return {EluFeatures{}, RandomFeatures(features, width, rng)};
}

// The weights of all pairs from plain ops, [B, Tq, Tk] of one head, which a mask leaves.
Variable quadratic(const FeatureMap& map, const Setting& s, const Variable& query, const Variable& keys,
                   const Variable& values) {
  const std::size_t items = query.shape()[0], queries = query.shape()[1], count = keys.shape()[1];
  const Keep keep = s.mask.expand(items, queries, count);
  const auto features = [&](const Variable& x) {
    const auto part = [&](const Features& made) {
      // Features as the formula has them: with what was taken out.
      if (!made.log_scale.defined()) return made.values;
      const std::size_t time = x.shape()[1], all = made.values.length(-1);
      return reshape(reshape(made.values, {items, time, heads, all / heads}) *
                         reshape(exp(made.log_scale), {items, time, heads, 1}),
                     {items, time, all});
    };
    return std::visit([&](const auto& f) { return part(f(x, heads)); }, map);
  };
  const std::vector<Variable> q = split(features(query), -1, heads), k = split(features(keys), -1, heads),
                              v = split(values, -1, heads);
  std::vector<Variable> contexts;
  for (std::size_t head = 0; head < heads; ++head) {
    const Variable weights = where(keep, matmul(q[head], k[head], false, true), Variable(scalar(0)));
    const Variable totals = sum(weights, -1, true);
    Keep some(totals.shape(), std::vector<unsigned char>(totals.size()));
    for (std::size_t n = 0; n < totals.size(); ++n) some.values[n] = totals.value().data()[n] != 0;
    contexts.push_back(weighted_sum(weights, v[head]) / where(some, totals, Variable(scalar(1))));
  }
  return concat(contexts, -1);
}

struct Outcome {
  Tensor context;
  std::vector<Tensor> gradients;  // of queries, keys and values
};

Outcome outcome(const FeatureMap& map, const Setting& s, bool plain, const Tensor* cotangent = nullptr) {
  const Variable q = Variable::leaf(s.query), k = Variable::leaf(s.keys), v = Variable::leaf(s.values);
  const Variable y = plain ? quadratic(map, s, q, k, v) : linear_attention(map, q, k, v, s.mask, heads);
  return {y.value(), gradients_of(y, cotangent ? *cotangent : drawn(y.shape(), 9), {q, k, v})};
}

double largest(const Tensor& x) {
  double most = 0;
  for (const Real one : x) most = std::max(most, std::abs(static_cast<double>(one)));
  return most;
}

void check_same(const FeatureMap& map, const Setting& s) {
  const Outcome linear = outcome(map, s, false), plain = outcome(map, s, true);
  CHECK_THAT(linear.context, close_to(plain.context, tolerance));
  for (std::size_t n = 0; n < 3; ++n) {
    INFO("gradient " << n);
    // Sums over pairs, whose rounding goes with the largest of them.
    CHECK_THAT(linear.gradients[n],
               close_to(plain.gradients[n], tolerance * std::max(1.0, largest(plain.gradients[n]))));
  }
}

Tensor rows_of(const Tensor& x, std::size_t begin, std::size_t end) {
  return slice(Variable(x), 1, begin, end).value();
}

void set_rows(Tensor& x, std::size_t item, std::size_t begin, std::size_t end, Real value) {
  const std::size_t time = x.shape()[1], width = x.shape()[2];
  std::fill(x.data() + (item * time + begin) * width, x.data() + (item * time + end) * width, value);
}

bool zero_rows(const Tensor& x, std::size_t item, std::size_t begin, std::size_t end) {
  const std::size_t time = x.shape()[1], width = x.shape()[2];
  return std::all_of(x.data() + (item * time + begin) * width, x.data() + (item * time + end) * width,
                     [](Real one) { return one == 0; });
}

}  // namespace

TEST_CASE("linear attention equals its quadratic form at the edges of chunks", "[modules][linear]") {
  for (const std::size_t queries :
       {std::size_t{1}, std::size_t{5}, std::size_t{16}, chunk - 1, chunk, chunk + 1, 2 * chunk + 2}) {
    for (const std::size_t keys : {std::size_t{1}, std::size_t{17}, chunk, chunk + 1, 2 * chunk + 1}) {
      for (const Mask& mask : {Mask(), Mask::causal()}) {
        for (const FeatureMap& map : both_maps(5)) {
          INFO(queries << " queries, " << keys << " keys, map " << map.index()
                       << (mask.allows_all() ? "" : ", causal"));
          check_same(map, drawn_setting(2, queries, keys, 5, 3, mask));
        }
      }
    }
  }
}

TEST_CASE("linear attention equals its quadratic form under lengths and offsets", "[modules][linear]") {
  const Mask keys = Mask::key_lengths({80, 0, 66}), queries = Mask::query_lengths({70, 70, 3});
  for (const Mask& mask : {keys, queries, keys & queries, keys & Mask::causal(), queries & Mask::causal(),
                           keys & queries & Mask::causal(), Mask::causal(0), Mask::causal(-20),
                           Mask::causal(30), Mask::causal(-200), Mask::causal(500),
                           Mask::causal(3) & Mask::causal(), Mask::key_lengths({10, 70, 64}) & keys}) {
    for (const FeatureMap& map : both_maps(4, 70)) check_same(map, drawn_setting(3, 70, 80, 4, 6, mask));
  }
}

TEST_CASE("linear attention of one head in a width that fills whole lanes", "[modules][linear]") {
  for (const FeatureMap& map : both_maps(16, 32)) {
    check_same(map, drawn_setting(1, 200, 200, 16, 16, Mask::causal()));
    check_same(map, drawn_setting(1, 200, 200, 16, 32, {}));
  }
}

TEST_CASE("a row of linear attention that sees no key is 0, and so are its gradients", "[modules][linear]") {
  // Item 0 has no keys; of item 1 the queries 0 … 2 stand before key 0, and those from 7 on are padding.
  const Mask mask = Mask::key_lengths({0, 9}) & Mask::query_lengths({9, 7}) & Mask::causal(-3);
  for (const FeatureMap& map : both_maps(3)) {
    Setting s = drawn_setting(2, 9, 9, 3, 2, mask);
    for (const Real hidden : {Real(1), nan_value, inf}) {
      set_rows(s.query, 0, 0, 9, hidden);
      set_rows(s.query, 1, 0, 3, hidden);
      set_rows(s.query, 1, 7, 9, hidden);
      set_rows(s.keys, 0, 0, 9, hidden);
      set_rows(s.values, 0, 0, 9, hidden);
      set_rows(s.keys, 1, 4, 9, hidden);  // query 6 sees keys 0 … 3
      set_rows(s.values, 1, 4, 9, hidden);
      const Outcome got = outcome(map, s, false);
      CHECK(all_finite(got.context));
      CHECK(zero_rows(got.context, 0, 0, 9));
      CHECK(zero_rows(got.context, 1, 0, 3));
      CHECK(zero_rows(got.context, 1, 7, 9));
      CHECK_FALSE(zero_rows(got.context, 1, 3, 4));
      for (const Tensor& gradient : got.gradients) {
        CHECK(all_finite(gradient));
        CHECK(zero_rows(gradient, 0, 0, 9));
      }
      CHECK(zero_rows(got.gradients[0], 1, 0, 3));
      CHECK(zero_rows(got.gradients[0], 1, 7, 9));
      CHECK(zero_rows(got.gradients[1], 1, 4, 9));
      CHECK(zero_rows(got.gradients[2], 1, 4, 9));
    }
  }
}

TEST_CASE("a later key changes no bit of an earlier row of linear attention", "[modules][linear]") {
  for (const FeatureMap& map : both_maps(4)) {
    const Setting s = drawn_setting(1, 150, 150, 4, 3, Mask::causal());
    for (const std::size_t border : {std::size_t{1}, std::size_t{30}, chunk, std::size_t{100}}) {
      // Cotangents of earlier rows alone.
      Tensor dy = drawn({1, 150, heads * 3}, 9);
      set_rows(dy, 0, border, 150, 0);
      const Outcome before = outcome(map, s, false, &dy);
      for (const Real later : {Real(-7), Real(60), nan_value, inf}) {
        INFO("from " << border << " on: " << later);
        Setting other = s;
        for (Tensor* x : {&other.query, &other.keys, &other.values}) set_rows(*x, 0, border, 150, later);
        const Outcome after = outcome(map, other, false, &dy);
        CHECK(same_bits(rows_of(after.context, 0, border), rows_of(before.context, 0, border)));
        for (std::size_t n = 0; n < 3; ++n) CHECK(same_bits(after.gradients[n], before.gradients[n]));
      }
      // Without them at all, also to the bit.
      const Setting shorter{rows_of(s.query, 0, border), rows_of(s.keys, 0, border),
                            rows_of(s.values, 0, border), s.mask};
      CHECK(same_bits(outcome(map, shorter, false).context, rows_of(before.context, 0, border)));
    }
  }
}

TEST_CASE("what is not finite reaches the rows of linear attention that see it and no other",
          "[modules][linear]") {
  for (const FeatureMap& map : both_maps(4)) {
    const Setting s = drawn_setting(1, 100, 100, 4, 3, Mask::causal());
    for (const std::size_t at : {10, 70}) {
      Setting broken = s;
      broken.values.data()[at * heads * 3] = nan_value;  // head 0, element 0
      const Tensor y = outcome(map, broken, false).context;
      for (std::size_t i = 0; i < 100; ++i) {
        CHECK(std::isnan(y.data()[i * heads * 3]) == (i >= at));
        CHECK(std::isfinite(y.data()[i * heads * 3 + 1]));
      }
      // A query that is not finite breaks its own row, and the gradients of keys that it sees.
      broken = s;
      broken.query.data()[at * heads * 4] = nan_value;
      const Outcome out = outcome(map, broken, false);
      for (std::size_t i = 0; i < 100; ++i) {
        CHECK(std::isnan(out.context.data()[i * heads * 3]) == (i == at));
        CHECK(std::isnan(out.gradients[1].data()[i * heads * 4]) == (i <= at));
        CHECK(std::isnan(out.gradients[2].data()[i * heads * 3]) == (i <= at));
        CHECK(std::isfinite(out.gradients[2].data()[i * heads * 3 + 3]));  // head 1
      }
      // A key that is not finite breaks the rows that see it, and their gradients.
      broken = s;
      broken.keys.data()[at * heads * 4] = nan_value;
      const Outcome of_key = outcome(map, broken, false);
      for (std::size_t i = 0; i < 100; ++i) {
        CHECK(std::isnan(of_key.context.data()[i * heads * 3]) == (i >= at));
        CHECK(std::isnan(of_key.gradients[0].data()[i * heads * 4]) == (i >= at));
      }
    }
  }
}

TEST_CASE("a row of linear attention without cotangents gives no gradients, whatever it holds",
          "[modules][linear]") {
  for (const FeatureMap& map : both_maps(4)) {
    for (const Mask& mask : {Mask(), Mask::causal()}) {
      for (const std::size_t at : {10, 70}) {
        Setting s = drawn_setting(1, 100, 100, 4, 3, mask);
        Tensor dy = drawn({1, 100, heads * 3}, 9);
        set_rows(dy, 0, at, at + 1, 0);
        set_rows(s.query, 0, at, at + 1, nan_value);
        for (const Tensor& gradient : outcome(map, s, false, &dy).gradients) CHECK(all_finite(gradient));
        // Nor does it get one from a key or a value that other rows see, too.
        s = drawn_setting(1, 100, 100, 4, 3, mask);
        set_rows(s.keys, 0, at - 2, at - 1, nan_value);
        CHECK(zero_rows(outcome(map, s, false, &dy).gradients[0], 0, at, at + 1));
        s = drawn_setting(1, 100, 100, 4, 3, mask);
        set_rows(s.values, 0, 2, 3, nan_value);
        CHECK(zero_rows(outcome(map, s, false, &dy).gradients[0], 0, at, at + 1));
      }
    }
  }
}

TEST_CASE("linear attention step by step equals the rows of the whole", "[modules][linear]") {
  for (const FeatureMap& map : both_maps(4)) {
    const Setting s = drawn_setting(2, 70, 70, 4, 3, Mask::causal());
    const Tensor whole = linear_attention(map, s.query, s.keys, s.values, s.mask, heads).value();
    for (std::size_t t = 0; t < 70; ++t) {
      const Tensor one = linear_attention(map, rows_of(s.query, t, t + 1), rows_of(s.keys, 0, t + 1),
                                          rows_of(s.values, 0, t + 1), s.mask, heads)
                             .value();
      CHECK(same_bits(one, rows_of(whole, t, t + 1)));
    }
  }
}

TEST_CASE("linear attention has the same bits for any number of threads", "[modules][linear]") {
  for (const FeatureMap& map : both_maps(8, 16)) {
    const Setting s = drawn_setting(3, 200, 210, 8, 8, Mask::causal() & Mask::key_lengths({210, 100, 150}));
    set_threads(1);
    const Outcome one = outcome(map, s, false);
    set_threads(3);
    const Outcome three = outcome(map, s, false);
    set_threads(0);
    CHECK(same_bits(one.context, three.context));
    for (std::size_t n = 0; n < 3; ++n) CHECK(same_bits(one.gradients[n], three.gradients[n]));
  }
}

TEST_CASE("gradients of linear attention through its features", "[modules][linear]") {
  if constexpr (sizeof(Real) == sizeof(double)) {
    for (const FeatureMap& map : both_maps(3)) {
      for (const Mask& mask : {Mask(), Mask::causal() & Mask::key_lengths({6, 4})}) {
        const Setting s = drawn_setting(2, 5, 6, 3, 2, mask);
        const GradcheckReport report = gradcheck(
            [&](std::span<const Variable> in) {
              return linear_attention(map, in[0], in[1], in[2], mask, heads);
            },
            {s.query, s.keys, s.values});
        INFO(report.text());
        CHECK(report.passed);
      }
    }
  }
}

TEST_CASE("linear attention refuses a mask that it cannot honour", "[modules][linear]") {
  const Setting s = drawn_setting(1, 4, 4, 3, 2, {});
  for (const Mask& mask :
       {Mask::window(1, 0), Mask::window(3, 3), Mask::strided(2), Mask::blocks(2), Mask::global_tokens({0}),
        Mask::keep(Keep({4, 4}, std::vector<unsigned char>(16, 1))), Mask::causal() | Mask::key_lengths({2}),
        Mask::causal() & Mask::blocks(2)}) {
    CHECK_THROWS_WITH(linear_attention(EluFeatures{}, s.query, s.keys, s.values, mask, heads),
                      Contains("[linear_attention]") && Contains("key lengths, query lengths and causal") &&
                          Contains("Scaled-dot"));
    CHECK_THROWS_AS(linear_attention(EluFeatures{}, s.query, s.keys, s.values, mask, heads), ConfigError);
  }
}

// Features whose product would underflow, or overflow, were it not for the scales; a softmax stands both.
TEST_CASE("random features stand keys of any length", "[modules][linear]") {
  for (const FeatureMap& map : both_maps(4, 64)) {
    if (map.index() == 0) continue;
    for (const Real size : {Real(1e-3), Real(1), Real(30), Real(1e3)}) {
      for (const Mask& mask : {Mask(), Mask::causal()}) {
        INFO("size " << size);
        const Setting s = drawn_setting(1, 100, 100, 4, 3, mask, size);
        const Outcome out = outcome(map, s, false);
        CHECK(all_finite(out.context));
        CHECK(largest(out.context) <= largest(s.values) * (1 + tolerance));
        // Vectors a thousand long have one feature each, rarely the same; the sum of such products is 0.
        for (std::size_t i = 0; size < 1e3 && i < 100; ++i) CHECK_FALSE(zero_rows(out.context, 0, i, i + 1));
        for (const Tensor& gradient : out.gradients) CHECK(all_finite(gradient));
      }
    }
  }
}

TEST_CASE("features that underflow make a row 0, without an infinity", "[modules][linear]") {
  const Real tiny = std::numeric_limits<Real>::min();
  const Variable q = Variable::leaf(filled({1, 3, 1}, 1)),
                 k = Variable::leaf(tensor({1, 3, 1}, {tiny / 4, tiny, 1})),
                 v = Variable::leaf(tensor({1, 3, 1}, {5, 6, 7}));
  const Variable y = linear_attention(q, k, v, Mask::causal(), 1);
  CHECK(y.value().data()[0] == 0);
  CHECK(y.value().data()[1] == Approx(5.8));
  CHECK(y.value().data()[2] == 7);
  const std::vector<Tensor> dx = gradients_of(y, tensor({1, 3, 1}, {1, 0, 0}), {q, k, v});
  for (const Tensor& gradient : dx) CHECK_THAT(gradient, close_to(zeros(gradient.shape()), 0));
}

TEST_CASE("the gradient of elu + 1 at 0 is that of its left side", "[modules][linear]") {
  const Variable x = Variable::leaf(tensor({5}, {-inf, Real(-0.0), 0, Real(1e-30), inf}));
  const Variable y = elu_plus_one(x);
  CHECK_THAT(y.value(), close_to(tensor({5}, {0, 1, 1, 1, inf}), 0));
  CHECK_THAT(gradients_of(y, filled({5}, 3), {x})[0], close_to(tensor({5}, {0, 3, 3, 3, 3}), 0));
  const Variable odd = Variable::leaf(tensor({2}, {nan_value, nan_value}));
  const Variable z = elu_plus_one(odd);
  CHECK(std::isnan(z.value().data()[0]));
  const Tensor dx = gradients_of(z, tensor({2}, {1, 0}), {odd})[0];
  CHECK(std::isnan(dx.data()[0]));
  CHECK(dx.data()[1] == 0);
}

TEST_CASE("directions of random features are orthogonal in blocks, and as long as normal vectors",
          "[modules][linear]") {
  Rng rng(3);
  constexpr std::size_t width = 8, count = 20;
  const RandomFeatures map(count, width, rng);
  REQUIRE(map.count() == count);
  REQUIRE(map.directions.value.shape() == Shape{count, width});
  const Tensor products =
      matmul(Variable(map.directions.value), Variable(map.directions.value), false, true).value();
  for (std::size_t a = 0; a < count; ++a) {
    for (std::size_t b = 0; b < count; ++b) {
      if (a == b || a / width != b / width) continue;
      CHECK(std::abs(products.data()[a * count + b]) < 1e2 * tolerance);
    }
  }
  // |w|² is chi-squared with 8 degrees of freedom: mean 8, variance 16. Of 4,000 the mean is within 5
  // deviations.
  const RandomFeatures many(4000, width, rng);
  double total = 0, squares = 0;
  for (std::size_t f = 0; f < 4000; ++f) {
    double length = 0;
    for (std::size_t d = 0; d < width; ++d) {
      const double w = static_cast<double>(many.directions.value.data()[f * width + d]);
      length += w * w;
    }
    total += length;
    squares += (length - 8) * (length - 8);
  }
  CHECK(std::abs(total / 4000 - 8) < 5 * std::sqrt(16.0 / 4000));
  // The fourth central moment is 3 · 16² + 12 · 8 · 8: a variance of 16 has the deviation √((1536 - 256) /
  // n).
  CHECK(std::abs(squares / 4000 - 16) < 5 * std::sqrt(1280.0 / 4000));
  CHECK_THROWS_AS(RandomFeatures(0, 8, rng), ConfigError);
}

TEST_CASE("random features estimate the weights of scaled-dot attention without bias", "[modules][linear]") {
  // x' and y' of length 1 and 1/2 at an angle: the estimate's variance under independent directions is
  // exp(x'·y')² (exp|x' + y'|² - 1) / F (Choromanski et al., 2021, lemma 2); orthogonal ones have less.
  constexpr std::size_t width = 4, count = 1 << 15;
  Rng rng(5);
  const RandomFeatures map(count, width, rng);
  const Real root = std::sqrt(std::sqrt(Real(width)));
  const Variable x(tensor({1, width}, {root, 0, 0, 0})),
      y(tensor({1, width}, {root * Real(0.3), root * Real(-0.4), 0, 0}));
  const Features a = map(x, 1), b = map(y, 1);
  const double estimate =
      static_cast<double>((sum(a.values * b.values) * exp(reshape(a.log_scale + b.log_scale, {}))).item());
  const double exact = std::exp(0.3), deviation = exact * std::sqrt((std::exp(1.3 * 1.3 + 0.16) - 1) / count);
  CHECK(std::abs(estimate - exact) < 4 * deviation);
}

TEST_CASE("random features come near scaled-dot attention as their number grows", "[modules][linear]") {
  constexpr std::size_t width = 8, time = 40;
  const Setting s = drawn_setting(1, time, time, width, 3, {}, Real(0.5));
  const double mean_square = [&] {
    const Tensor y = dot_attention(s.query, s.keys, s.values, 1 / std::sqrt(Real(width)), {.heads = heads})
                         .context.value();
    return static_cast<double>(mean(Variable(y) * Variable(y)).item());
  }();
  const auto error = [&](const Mask& mask, std::size_t features) {
    const Tensor exact =
        dot_attention(s.query, s.keys, s.values, 1 / std::sqrt(Real(width)), {.mask = mask, .heads = heads})
            .context.value();
    double total = 0;
    for (std::uint64_t seed = 1; seed <= 8; ++seed) {
      Rng rng(seed);
      const Variable y =
          linear_attention(RandomFeatures(features, width, rng), s.query, s.keys, s.values, mask, heads);
      const Variable off = y - Variable(exact);
      total += static_cast<double>(mean(off * off).item()) / 8;
    }
    return total;
  };
  // Each weight's estimate is off by a variance that goes with 1 / F, and so is the context in first order:
  // 16 times as many features leave a sixteenth of the squared error. Its mean over 8 draws, 40 rows and 2
  // heads, of which at least the draws are independent, has a deviation of a third of itself or so: two of
  // these may lie between an eighth and a thirty-second.
  for (const Mask& mask : {Mask(), Mask::causal()}) {
    const double few = error(mask, 64), more = error(mask, 1024);
    INFO(few << " and " << more << " beside " << mean_square);
    CHECK(more < few / 8);
    CHECK(more > few / 32);
    CHECK(more < mean_square / 20);
  }
}

TEST_CASE("random features are a buffer", "[modules][linear]") {
  Rng rng(1);
  RandomFeatures map(6, 4, rng);
  CHECK(parameters(map).empty());
  CHECK(parameter_count(map) == 0);
  REQUIRE(buffers(map).size() == 1);
  CHECK(buffers(map)[0].path == "directions");
  FeatureMap any = map, elu = EluFeatures{};
  REQUIRE(buffers(any).size() == 1);
  CHECK(buffers(elu).empty());
  // A copy shares nothing.
  RandomFeatures copy = map;
  copy.directions.value.data()[0] += 1;
  CHECK(copy.directions.value.data()[0] != map.directions.value.data()[0]);
  // A pass that is over does not see a change, either.
  const Variable x = Variable::leaf(drawn({2, 4}, 2));
  const Variable y = map(x, 1).values;
  const Tensor dy = drawn(y.shape(), 3),
               before = gradients(std::span(&y, 1), std::span(&dy, 1), std::span(&x, 1), true)[0];
  map.directions.value.data()[0] += 1;
  CHECK(same_bits(gradients_of(y, dy, {x})[0], before));
}

TEST_CASE("linear attention over 16,384 keys takes memory for its inputs' sizes alone",
          "[modules][linear][slow]") {
  constexpr std::size_t time = 16384, width = 4 * 64;
  const std::size_t before = threads();
  set_threads(1);  // all memory is taken on this thread, so that it counts
  {
    // Inputs and their features, the context, as many gradients: 12 tensors at once at most.
    const memory::Budget budget(12 * time * width * sizeof(Real));
    const Variable q = Variable::leaf(drawn({1, time, width}, 1)),
                   k = Variable::leaf(drawn({1, time, width}, 2)),
                   v = Variable::leaf(drawn({1, time, width}, 3));
    const Variable y = linear_attention(EluFeatures{}, q, k, v, Mask::causal(), 4);
    backward(y, filled(y.shape(), 1));
    CHECK(all_finite(*k.grad()));
  }
  set_threads(before);
}
