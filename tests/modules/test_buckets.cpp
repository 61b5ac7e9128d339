#include <algorithm>
#include <cmath>
#include <map>

#include <catch2/catch.hpp>

#include "compare.hpp"
#include "modules/attention/buckets.hpp"
#include "modules/streaming.hpp"
#include "training/checkpoint.hpp"

using namespace fovea;
using namespace fovea::streamed;
using Catch::Contains;

namespace {

constexpr std::size_t heads = 2, width = 6;

Buckets drawn_buckets(std::size_t count, std::size_t rounds = 1, std::uint64_t seed = 1) {
  Rng rng(seed);
  return {count, rounds, heads, width, rng};
}

// The definition, in double.
std::int64_t hashed(const Buckets& buckets, std::size_t round, std::size_t head, const Real* x) {
  const std::size_t half = buckets.buckets / 2;
  std::vector<double> y(2 * half);
  for (std::size_t c = 0; c < half; ++c) {
    for (std::size_t d = 0; d < width; ++d) y[c] += x[d] * buckets.rotations.value.at(round, head, d, c);
    y[c + half] = -y[c];
  }
  return std::max_element(y.begin(), y.end()) - y.begin();
}

}  // namespace

TEST_CASE("a hash is the direction that a vector is nearest to", "[modules][buckets]") {
  const Tensor x = drawn({3, 130, heads * width}, 1);
  for (const std::size_t count : {2, 6, 40, 200}) {
    const Buckets buckets = drawn_buckets(count, 2);
    const std::vector<Ids> ids = buckets.hash(x);
    REQUIRE(ids.size() == 2);
    for (std::size_t round = 0; round < 2; ++round) {
      REQUIRE(ids[round].shape == Shape{3, heads, 130});
      for (std::size_t b = 0; b < 3; ++b) {
        for (std::size_t h = 0; h < heads; ++h) {
          for (std::size_t t = 0; t < 130; ++t) {
            const std::int64_t id = ids[round].values[(b * heads + h) * 130 + t];
            REQUIRE(id == hashed(buckets, round, h, x.data() + (b * 130 + t) * heads * width + h * width));
          }
        }
      }
    }
    CHECK(ids[0].values != ids[1].values);
  }
  // All are in one bucket, and nothing is drawn.
  const std::vector<Ids> one = drawn_buckets(1, 3).hash(x);
  CHECK((one.size() == 3 && one[2].values == std::vector<std::int64_t>(3 * heads * 130)));
}

TEST_CASE("a hash takes near directions together, and no notice of length", "[modules][buckets]") {
  const Buckets buckets = drawn_buckets(8);
  const Tensor x = drawn({1, 2000, heads * width}, 1), noise = drawn({1, 2000, heads * width}, 2);
  const auto shared = [&](Real by, Real factor) {
    Tensor y = x;
    for (std::size_t n = 0; n < y.size(); ++n) y.data()[n] = factor * (y.data()[n] + by * noise.data()[n]);
    const auto a = buckets.hash(x)[0].values, b = buckets.hash(y)[0].values;
    std::size_t same = 0;
    for (std::size_t n = 0; n < a.size(); ++n) same += a[n] == b[n];
    return static_cast<double>(same) / static_cast<double>(a.size());
  };
  CHECK(shared(0, 4) == 1);
  CHECK(shared(Real(0.1), 1) > 0.8);
  CHECK(shared(1, 1) < 0.8);
  CHECK(shared(1, 1) > 0.2);
  CHECK(shared(30, 1) < 0.2);  // unrelated: about one of eight, whose regions are not equal
  CHECK(shared(0, -1) == 0);
}

TEST_CASE("a position's bucket depends on it alone, to the bit", "[modules][buckets]") {
  const Buckets buckets = drawn_buckets(64, 2);
  Tensor x = drawn({2, 300, heads * width}, 1);
  const auto whole = buckets.hash(x);
  for (const std::size_t t : {std::size_t{0}, std::size_t{95}, std::size_t{96}, std::size_t{299}}) {
    const auto alone = buckets.hash(slice(Variable(x), 1, t, t + 1).value());
    for (std::size_t n = 0; n < 2 * heads; ++n) CHECK(alone[1].values[n] == whole[1].values[n * 300 + t]);
  }
  // NaN somewhere else neither.
  for (std::size_t n = 0; n < heads * width; ++n) x.data()[7 * heads * width + n] = nan_value;
  const auto dirty = buckets.hash(x);
  for (std::size_t n = 0; n < whole[0].values.size(); ++n) {
    if (n % 300 != 7 || n >= heads * 300) CHECK(dirty[0].values[n] == whole[0].values[n]);
  }
}

TEST_CASE("bucketed attention is attention under the mask of its buckets", "[modules][buckets]") {
  const std::size_t length = 140;
  const Buckets buckets = drawn_buckets(6, 2);
  for (const bool additive : {false, true}) {
    const Variable q = Variable::leaf(drawn({2, length, heads * width}, 1)),
                   k = Variable::leaf(drawn({2, length, heads * width}, 2)),
                   values = Variable::leaf(drawn({2, length, heads * 4}, 3)),
                   v = Variable::leaf(drawn({heads * width}, 4));
    const Mask mask = Mask::causal() & Mask::key_lengths({length, 90});
    const HeadScoring how{Real(0.7), additive ? v : Variable()};
    const Attended found = bucketed_attention(buckets, how, q, k, values, {mask, {}, 0, nullptr, {}, heads});
    const auto of_q = buckets.hash(q.value()), of_k = buckets.hash(k.value());
    std::vector<Variable> contexts;
    for (std::size_t h = 0; h < heads; ++h) {
      std::vector<unsigned char> keep;
      for (std::size_t n = 0; n < 2 * length * length; ++n) {
        const std::size_t b = n / length / length, i = n / length % length, j = n % length;
        bool together = i == j;
        for (std::size_t round = 0; round < 2; ++round) {
          together = together || of_q[round].values[(b * heads + h) * length + i] ==
                                     of_k[round].values[(b * heads + h) * length + j];
        }
        keep.push_back(together);
      }
      const auto cut = [&](const Variable& x) {
        const std::size_t size = x.length(-1) / heads;
        return slice(x, -1, h * size, (h + 1) * size);
      };
      const AttentionOptions options{mask & Mask::keep(Keep({2, length, length}, keep))};
      contexts.push_back(additive ? additive_attention(cut(q), cut(k), cut(v), cut(values), options).context
                                  : dot_attention(cut(q), cut(k), cut(values), Real(0.7), options).context);
    }
    const Variable expected = concat(contexts, -1);
    CHECK_THAT(found.context.value(), close_to(expected.value(), tolerance));
    const Tensor dy = drawn(expected.shape(), 9);
    std::vector<Variable> inputs{q, k, values};
    if (additive) inputs.push_back(v);
    const auto dx = gradients_of(found.context, dy, inputs), wanted = gradients_of(expected, dy, inputs);
    for (std::size_t n = 0; n < dx.size(); ++n) {
      double largest = 1;
      for (const Real x : wanted[n]) largest = std::max(largest, std::abs(static_cast<double>(x)));
      CHECK_THAT(dx[n], close_to(wanted[n], tolerance * largest));
    }
  }
}

TEST_CASE("one bucket is full attention, to the bit", "[modules][buckets]") {
  const Variable q = Variable::leaf(drawn({2, 130, heads * width}, 1)),
                 k = Variable::leaf(drawn({2, 130, heads * width}, 2)),
                 values = Variable::leaf(drawn({2, 130, heads * 4}, 3));
  const AttentionOptions options{Mask::causal(), {}, 0, nullptr, {.entropy = true}, heads};
  const Attended found = bucketed_attention(drawn_buckets(1, 2), {}, q, k, values, options),
                 full = dot_attention(q, k, values, 1, options);
  CHECK((found.context.value() == full.context.value()));
  CHECK((found.entropy.value() == full.entropy.value()));
  const Tensor dy = drawn(full.context.shape(), 9);
  const auto dx = gradients_of(found.context, dy, {q, k, values}),
             expected = gradients_of(full.context, dy, {q, k, values});
  for (std::size_t n = 0; n < dx.size(); ++n) CHECK((dx[n] == expected[n]));
}

TEST_CASE("bucketed attention step by step equals the whole", "[modules][buckets]") {
  const std::size_t length = 100;
  const Buckets buckets = drawn_buckets(8, 2);
  for (const bool additive : {false, true}) {
    const Variable q(drawn({2, length, heads * width}, 1)), k(drawn({2, length, heads * width}, 2)),
        values(drawn({2, length, heads * 4}, 3));
    const HeadScoring how{Real(0.5), additive ? Variable(drawn({heads * width}, 4)) : Variable()};
    const Tensor whole =
        bucketed_attention(buckets, how, q, k, values, {.mask = Mask::causal(), .heads = heads})
            .context.value();
    for (std::size_t t = 0; t < length; ++t) {
      const auto first = [&](const Variable& x) { return slice(x, 1, 0, t + 1); };
      const Tensor one =
          bucketed_attention(buckets, how, slice(q, 1, t, t + 1), first(k), first(values), {.heads = heads})
              .context.value();
      CHECK_THAT(one, close_to(slice(Variable(whole), 1, t, t + 1).value(), tolerance));
    }
  }
}

TEST_CASE("keys of another sequence need not be met", "[modules][buckets]") {
  const Buckets buckets = drawn_buckets(16);
  const Variable q(drawn({2, 40, heads * width}, 1)), k(drawn({2, 5, heads * width}, 2)),
      values(drawn({2, 5, heads * 4}, 3));
  const auto of_q = buckets.hash(q.value())[0], of_k = buckets.hash(k.value())[0];
  const Tensor context =
      bucketed_attention(buckets, {}, q, k, values, {.heads = heads}, std::nullopt).context.value();
  std::size_t empty = 0;
  for (std::size_t n = 0; n < 2 * heads * 40; ++n) {
    const std::size_t b = n / 40 / heads, h = n / 40 % heads, i = n % 40;
    const auto* keys = of_k.values.data() + (b * heads + h) * 5;
    const bool met = std::find(keys, keys + 5, of_q.values[n]) != keys + 5;
    empty += !met;
    CHECK((context.at(b, i, h * 4) != 0) == met);
  }
  CHECK((empty > 0 && empty < 2 * heads * 40));
}

TEST_CASE("rotations are saved, loaded and copied, and are not trained", "[modules][buckets]") {
  for (const std::size_t count : {1, 8}) {
    Buckets buckets = drawn_buckets(count, 2), other = drawn_buckets(count, 2, 7);
    CHECK(parameter_count(buckets) == 0);
    CHECK(parameters(buckets).empty());
    REQUIRE(fovea::buffers(buckets).size() == 1);
    CHECK(fovea::buffers(buckets)[0].path == "rotations");
    Entries entries;
    add_model(entries, parameters(buckets), fovea::buffers(buckets));
    load_model({"x.fovea", {}, {}, Entries::unpack(entries.pack())}, parameters(other),
               fovea::buffers(other));
    CHECK(same_bits(other.rotations.value, buckets.rotations.value));
    Buckets copy = buckets;
    copy.rotations.value.fill(0);
    if (count > 1) CHECK_FALSE(same_bits(copy.rotations.value, buckets.rotations.value));
  }
}

TEST_CASE("buckets that there cannot be are refused in words", "[modules][buckets]") {
  const auto made = [](std::size_t count, std::size_t rounds) { drawn_buckets(count, rounds); };
  for (const std::size_t count : {std::size_t{0}, std::size_t{3}, most_buckets + 2, std::size_t{1} << 30,
                                  static_cast<std::size_t>(-1), static_cast<std::size_t>(-2)}) {
    CHECK_THROWS_AS(made(count, 1), ConfigError);
    CHECK_THROWS_WITH(made(count, 1), Contains(std::to_string(count)) && Contains("8192"));
  }
  for (const std::size_t rounds : {std::size_t{0}, most_rounds + 1, static_cast<std::size_t>(-1)}) {
    CHECK_THROWS_AS(made(2, rounds), ConfigError);
    CHECK_THROWS_WITH(made(2, rounds), Contains(std::to_string(rounds)) && Contains("1 to 16"));
  }
  CHECK_NOTHROW(check_buckets(most_buckets, most_rounds));

  const Buckets buckets = drawn_buckets(4);
  const Variable x(drawn({1, 3, heads * width}, 1)), wide(drawn({1, 3, heads * width + 2}, 1));
  CHECK_THROWS_WITH(buckets.hash(wide.value()), Contains("[1, 3, 14]") && Contains("2 heads of width 6"));
  CHECK_THROWS_WITH(bucketed_attention(buckets, {}, x, x, x, {}), Contains("2 heads") && Contains("1 heads"));
}
