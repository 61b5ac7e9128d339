#include <algorithm>
#include <cmath>
#include <set>

#include "core/draw.hpp"
#include "core/oracle.hpp"

using namespace fovea;

namespace {

struct Moments {
  double mean = 0, variance = 0;
};
template <class Draw>
Moments moments(std::size_t n, const Draw& draw) {
  double sum = 0, squares = 0;
  for (std::size_t i = 0; i < n; ++i) {
    const double x = draw();
    sum += x;
    squares += x * x;
  }
  const double mean = sum / static_cast<double>(n);
  return {mean, squares / static_cast<double>(n) - mean * mean};
}

constexpr std::size_t many = 200000;

}  // namespace

TEST_CASE("philox gives the published answers", "[core]") {
  using Block = std::array<std::uint32_t, 4>;
  constexpr std::uint32_t f = 0xffffffff;
  CHECK(philox({0, 0, 0, 0}, {0, 0}) == Block{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8});
  CHECK(philox({f, f, f, f}, {f, f}) == Block{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd});
  CHECK(philox({0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344}, {0xa4093822, 0x299f31d0}) ==
        Block{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1});
}

TEST_CASE("draws are the words of philox blocks", "[core]") {
  Rng rng(0, 0);
  CHECK(rng.bits() == 0xe169c58d6627e8d5);
  CHECK(rng.bits() == 0x9b00dbd8bc57ac4c);
  CHECK(rng.state() == Rng::State{0, 0, 2});
}

TEST_CASE("peek sees the draws to come", "[core]") {
  for (std::size_t start : {0u, 1u, 2u, 5u}) {
    for (std::size_t first : {0u, 1u, 4u}) {
      Rng rng(3, 7);
      rng.skip(start);
      std::vector<std::uint64_t> seen(6);
      rng.peek(first, seen);
      rng.skip(first);
      for (std::uint64_t value : seen) CHECK(value == rng.bits());
    }
  }
}

TEST_CASE("a saved stream goes on where it was", "[core]") {
  Rng rng(5);
  rng.normal();
  rng.bits();
  rng.uniform();
  Rng again = Rng::from(rng.state());
  for (int i = 0; i < 5; ++i) CHECK(rng.bits() == again.bits());
}

TEST_CASE("children of a stream differ from it and from each other", "[core]") {
  const Rng rng(1);
  std::set<std::uint64_t> first{Rng(rng).bits(), Rng(1, 1).bits(), Rng(2).bits()};
  first.insert(rng.split("dropout").bits());
  first.insert(rng.split("data").bits());
  first.insert(rng.split("").bits());
  for (std::uint64_t i = 0; i < 100; ++i) first.insert(rng.split(i).bits());
  first.insert(rng.split(std::string_view("\0\0\0\0\0\0\0\0", 8)).bits());
  first.insert(rng.split("data").split("data").bits());
  CHECK(first.size() == 108);
  CHECK(rng.state() == Rng::State{1, 0, 0});
  CHECK(rng.split("data").bits() == Rng(1).split("data").bits());
}

TEST_CASE("random numbers have their moments and bounds", "[core]") {
  Rng rng(11);
  const Moments uniform = moments(many, [&] {
    const double x = rng.uniform();
    REQUIRE((x >= 0 && x < 1));
    return x;
  });
  CHECK(uniform.mean == Approx(0.5).margin(0.003));
  CHECK(uniform.variance == Approx(1.0 / 12).margin(0.002));

  const Moments normal = moments(many, [&] { return rng.normal(); });
  CHECK(normal.mean == Approx(0).margin(0.01));
  CHECK(normal.variance == Approx(1).margin(0.015));

  const Moments truncated = moments(many, [&] {
    const double x = rng.truncated_normal();
    REQUIRE(std::abs(x) <= 2);
    return x;
  });
  CHECK(truncated.mean == Approx(0).margin(0.01));
  CHECK(truncated.variance == Approx(0.7737).margin(0.01));  // 1 - 4 φ(2) / (Φ(2) - Φ(-2))

  CHECK(moments(many, [&] { return rng.chance(0.3) ? 1.0 : 0.0; }).mean == Approx(0.3).margin(0.005));
}

TEST_CASE("the normal quantile inverts the distribution", "[core]") {
  for (double p : {1e-300, 1e-20, 1e-9, 0.001, 0.02425, 0.075, 0.3, 0.5, 0.7, 0.95, 0.999}) {
    const double x = normal_quantile(p);
    CHECK(0.5 * std::erfc(-x / std::sqrt(2.0)) == Approx(p).epsilon(1e-12));
  }
  CHECK(std::isfinite(Rng::to_normal(0)));
  CHECK(Rng::to_normal(~std::uint64_t{0}) == -Rng::to_normal(0));
  CHECK(std::abs(Rng::to_truncated_normal(0)) <= 2);
}

TEST_CASE("below is even over its range", "[core]") {
  Rng rng(2);
  std::vector<int> count(7);
  for (int i = 0; i < 70000; ++i) ++count.at(rng.below(7));
  for (int c : count) CHECK(std::abs(c - 10000) < 500);
  CHECK(rng.below(1) == 0);
  CHECK(rng.below(0) == 0);
  for (int i = 0; i < 100; ++i) CHECK(rng.below((std::uint64_t{1} << 63) + 1) <= std::uint64_t{1} << 63);
}

TEST_CASE("a permutation holds each number once", "[core]") {
  Rng rng(4);
  std::vector<std::size_t> order = rng.permutation(1000), sorted = order;
  CHECK(rng.permutation(0).empty());
  CHECK(order != rng.permutation(1000));
  std::sort(sorted.begin(), sorted.end());
  CHECK(order != sorted);
  for (std::size_t i = 0; i < 1000; ++i) REQUIRE(sorted[i] == i);
}

TEST_CASE("drawn tensors are the stream's numbers, whatever the threads", "[core]") {
  const Shape shape{37, 501};
  oracle::same_for_any_threads([&] { return normal(*std::make_unique<Rng>(9), shape, 1, 2); });
  oracle::same_for_any_threads([&] { return keep_mask(*std::make_unique<Rng>(9), shape, 0.5); });

  Rng fill(9), one(9);
  fill.bits(), one.bits();
  const Tensor u = uniform(fill, {9}, -1, 3);
  for (std::size_t i = 0; i < 9; ++i) CHECK(u.data()[i] == static_cast<Real>(one.uniform(-1, 3)));
  const Tensor n = normal(fill, {700}, 1, 2);
  for (std::size_t i = 0; i < 700; ++i) CHECK(n.data()[i] == static_cast<Real>(1 + 2 * one.normal()));
  const Tensor t = truncated_normal(fill, {5}, 0, 1);
  for (std::size_t i = 0; i < 5; ++i) CHECK(t.data()[i] == static_cast<Real>(one.truncated_normal()));
  CHECK(fill.state() == one.state());
}

TEST_CASE("a keep mask holds ones at its rate", "[core]") {
  Rng rng(6);
  const Tensor mask = keep_mask(rng, {400, 500}, 0.9);
  double kept = 0;
  for (Real x : std::vector<Real>(mask.data(), mask.data() + mask.size())) {
    REQUIRE((x == 0 || x == 1));
    kept += x;
  }
  CHECK(kept / 200000 == Approx(0.9).margin(0.004));
  CHECK(rng.state().counter == 100000);
  const Tensor next = keep_mask(rng, {400, 500}, 0.9);
  CHECK_FALSE(same_bits(mask, next));
  Rng other(6);
  const Tensor all = keep_mask(other, {100}, 1), none = keep_mask(other, {100}, 0);
  CHECK(same_bits(all, filled({100}, 1)));
  CHECK(same_bits(none, zeros({100})));
}

TEST_CASE("what a tensor is dropped to is its product with the keep mask", "[core]") {
  Rng rng(6), mask_rng(6), x_rng(7);
  Tensor x = normal(x_rng, {41, 503}, 0, 1);
  KeptElements keep;
  const Tensor dropped = drop(rng, x, 0.75, keep), mask = keep_mask(mask_rng, x.shape(), 0.75);
  CHECK(rng.state() == mask_rng.state());
  for (std::size_t i = 0; i < x.size(); ++i) {
    const bool kept = mask.data()[i] != 0;
    REQUIRE(keep[i] == kept);
    REQUIRE(dropped.data()[i] == (kept ? x.data()[i] * static_cast<Real>(1 / 0.75) : Real(0)));
  }
  CHECK(same_bits(drop_as_before(x, 0.75, keep), dropped));
  oracle::same_for_any_threads([&] { return drop(*std::make_unique<Rng>(9), x, 0.5, keep); });
  oracle::same_for_any_threads([&] { return drop_as_before(x, 0.5, keep); });
  // Whatever it holds.
  for (std::size_t i = 0; i < x.size(); ++i) {
    if (!keep[i]) x.data()[i] = i % 2 ? oracle::not_a_number : std::numeric_limits<Real>::infinity();
  }
  CHECK(all_finite(drop_as_before(x, 0.5, keep)));
  CHECK(all_finite(drop(*std::make_unique<Rng>(9), x, 0.5, keep)));
}

TEST_CASE("kernels keep the elements whose words are small enough", "[core]") {
  oracle::at_each_level([](const Kernels& k) {
    constexpr std::uint32_t last = 0x80000000;
    const std::vector<std::uint32_t> some = {0, last, last + 1, 0xffffffff, 5, 0x7fffffff};
    for (std::size_t n : oracle::lengths) {
      std::vector<std::uint32_t> words(n);
      for (std::size_t i = 0; i < n; ++i) words[i] = some[i % some.size()];
      const oracle::Reals x = oracle::random(n, 1, -2, 2);
      oracle::Reals mask(n + 1, 77), y(n + 1, 77), again(n + 1, 77);
      std::vector<unsigned char> keep(n + 1, 77);
      k.keep_words(n, words.data(), last, mask.data());
      k.dropout(n, words.data(), last, 3, x.data(), y.data(), keep.data());
      k.scale_kept(n, keep.data(), 3, x.data(), again.data());
      for (std::size_t i = 0; i < n; ++i) {
        const bool kept = words[i] <= last;
        REQUIRE(mask[i] == Real(kept));
        REQUIRE(keep[i] == kept);
        REQUIRE(y[i] == (kept ? 3 * x[i] : 0));
        REQUIRE(again[i] == y[i]);
      }
      for (const oracle::Reals& out : {mask, y, again}) REQUIRE(out[n] == 77);
      REQUIRE(keep[n] == 77);
      k.keep_words(n, words.data(), 0xffffffff, mask.data());
      for (std::size_t i = 0; i < n; ++i) REQUIRE(mask[i] == 1);
    }
  });
}

TEST_CASE("philox kernels make the blocks of philox at every level", "[core]") {
  oracle::at_each_level([](const Kernels& k) {
    const std::uint64_t seed = 0x0123456789abcdef, stream = 0xfedcba9876543210, first = 0xfffffffe;
    for (std::size_t blocks : {0u, 1u, 15u, 16u, 17u, 40u}) {
      std::vector<std::uint32_t> words(4 * blocks + 1, 77);
      k.philox(blocks, seed, stream, first, words.data());
      for (std::size_t i = 0; i < blocks; ++i) {
        const auto low = [](std::uint64_t x) { return static_cast<std::uint32_t>(x); };
        const auto high = [](std::uint64_t x) { return static_cast<std::uint32_t>(x >> 32); };
        const auto block =
            philox({low(first + i), high(first + i), low(stream), high(stream)}, {low(seed), high(seed)});
        for (std::size_t j = 0; j < 4; ++j) REQUIRE(words[4 * i + j] == block[j]);
      }
      REQUIRE(words.back() == 77);
    }
  });
}

TEST_CASE("nothing is drawn while a NoDraws is there, but streams move on", "[core]") {
  const Tensor first = [] {
    Rng rng(3);
    return normal(rng, {5}, 0, 1);
  }();
  Rng rng(3);
  {
    const NoDraws outer;
    { const NoDraws inner; }
    CHECK_FALSE(drawing());
    CHECK((normal(rng, {3}, 1, 1) == zeros({3})));
    CHECK((uniform(rng, {1}, 1, 2) == zeros({1})));
    CHECK((truncated_normal(rng, {1}, 1, 2) == zeros({1})));
  }
  CHECK(drawing());
  CHECK(rng.state().counter == 5);
  Rng again(3);
  CHECK(same_bits(normal(again, {5}, 0, 1), first));
}
