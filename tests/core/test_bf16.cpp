#include <bit>
#include <cstring>
#include <filesystem>
#include <latch>
#include <thread>
#include <vector>
#if defined(__SANITIZE_ADDRESS__)
#include <sanitizer/lsan_interface.h>
#endif

#include "core/blas.hpp"
#include "core/check.hpp"
#include "core/onednn/onednn.hpp"
#include "core/onednn/stand_in.hpp"
#include "core/oracle.hpp"
#include "core/precision.hpp"

using namespace fovea;
using oracle::at_each_level;
using oracle::Reals;

namespace {

float from_bits(std::uint32_t bits) { return std::bit_cast<float>(bits); }

/// The nearest bf16 by comparing the two that x lies between, in double.
double nearest(float x) {
  if (std::isnan(x) || std::isinf(x)) return x;
  const std::uint32_t bits = std::bit_cast<std::uint32_t>(x), low = bits & 0xFFFF0000u, high = low + 0x10000u;
  const double down = from_bits(low);
  // Behind the largest bf16 there would be 2^128.
  const double up = std::isinf(from_bits(high)) ? std::copysign(std::exp2(128), down) : from_bits(high);
  const double to_down = std::abs(x - down), to_up = std::abs(up - x);
  const bool stays = to_down < to_up || (to_down == to_up && (low >> 16) % 2 == 0);
  const double result = stays ? down : up;
  return std::abs(result) == std::exp2(128) ? std::copysign(INFINITY, result) : result;
}

Reals rounded(const Reals& x) {
  Reals y(x);
  for (Real& element : y) element = static_cast<Real>(nearest(static_cast<float>(element)));
  return y;
}

}  // namespace

TEST_CASE("rounding to bf16: ties, limits, NaN", "[core]") {
  const struct {
    std::uint32_t from;
    std::uint16_t to;
  } cases[] = {
      {0x3F800000, 0x3F80},                        // 1
      {0x3F808000, 0x3F80},                        // a tie goes down to the even one
      {0x3F808001, 0x3F81},                        // and just above it up
      {0x3F818000, 0x3F82},                        // a tie goes up to the even one
      {0x3F817FFF, 0x3F81},                        // just below it down
      {0xBF818000, 0xBF82},                        // the sign has no say
      {0x3FFF8000, 0x4000},                        // 1.998… to 2: the carry runs into the exponent
      {0x00000000, 0x0000}, {0x80000000, 0x8000},  // both zeros
      {0x00000001, 0x0000}, {0x80000001, 0x8000},  // the least subnormal vanishes
      {0x00008000, 0x0000}, {0x00018000, 0x0002},  // subnormals round like the rest
      {0x007FFFFF, 0x0080},                        // the largest subnormal to the least normal one
      {0x7F7F7FFF, 0x7F7F},                        // to the largest bf16
      {0x7F7F8000, 0x7F80},                        // a tie with 2^128, which is infinity
      {0x7F7FFFFF, 0x7F80}, {0xFF7FFFFF, 0xFF80},  // the largest f32
      {0x7F800000, 0x7F80}, {0xFF800000, 0xFF80},  // infinity
      {0x7F800001, 0x7FC0}, {0x7FFFFFFF, 0x7FC0},  // NaN: nothing of it may be cut off, nothing carries
      {0xFFC00000, 0x7FC0}, {0xFFFFFFFF, 0x7FC0},
  };
  at_each_level([&](const Kernels& k) {
    for (const auto& [from, to] : cases) {
      const std::uint16_t right = to;
      INFO(std::hex << from << " to " << right);
      // Alone, and in each lane of the vectors.
      for (std::size_t n : oracle::lengths) {
        const Reals x(n, static_cast<Real>(from_bits(from)));
        std::vector<std::uint16_t> y(n);
        k.to_bf16(n, x.data(), y.data());
        REQUIRE(std::all_of(y.begin(), y.end(), [&](std::uint16_t got) { return got == right; }));
        Reals in_place(x);
        k.round_to_bf16(n, in_place.data(), in_place.data());
        const auto wide = static_cast<Real>(from_bits(std::uint32_t{right} << 16));
        for (Real got : in_place)
          REQUIRE(
              (std::isnan(wide) ? std::isnan(got) : got == wide && std::signbit(got) == std::signbit(wide)));
      }
    }
  });
}

TEST_CASE("rounding to bf16 takes the nearest of the two beside", "[core]") {
  Rng rng(7);
  Reals x(4001);
  for (Real& v : x) v = static_cast<Real>(std::exp2(rng.uniform(-140, 128)) * (rng.chance(0.5) ? 1 : -1));
  at_each_level([&](const Kernels& k) {
    Reals y(x.size());
    k.round_to_bf16(x.size(), x.data(), y.data());
    for (std::size_t i = 0; i < x.size(); ++i) {
      INFO(x[i]);
      REQUIRE(static_cast<double>(y[i]) == nearest(static_cast<float>(x[i])));
    }
  });
}

namespace {

/// Whole numbers of up to nine bits: one bit too many for bf16 from 256 on. Rounded, their products and sums
/// are exact in f32, in any order.
Reals whole_numbers(std::size_t n, std::uint64_t seed) {
  Reals x = oracle::random(n, seed, -511, 511);
  for (Real& element : x) element = std::round(element);
  return x;
}

/// Matrices one behind the other, with NaN in the gaps of their rows.
struct Stored {
  std::size_t columns, stride, step;
  Reals data;

  Stored(std::size_t items, std::size_t rows, std::size_t in_columns, std::size_t gap, std::uint64_t seed)
      : columns(in_columns),
        stride(columns + gap),
        step(rows * stride),
        data(items * step, oracle::not_a_number) {
    const Reals values = whole_numbers(items * rows * columns, seed);
    for (std::size_t i = 0; i < values.size(); ++i) data[i / columns * stride + i % columns] = values[i];
  }
};

/// A batched product against rounded operands multiplied in double: to the bit.
void check_rounded(std::size_t m, std::size_t n, std::size_t k, bool ta, bool tb, Real alpha, Real beta,
                   bool shared, std::size_t gap) {
  INFO(m << " x " << n << " x " << k << (ta ? " A'" : "") << (tb ? " B'" : "") << " beta " << beta);
  constexpr std::size_t batch = 2;
  const Stored a(batch, ta ? k : m, ta ? m : k, gap, 1),
      b(shared ? 1 : batch, tb ? n : k, tb ? k : n, gap, 2);
  const std::size_t b_step = shared ? 0 : b.step;
  Stored c(batch, m, n, gap, 3);
  const Reals before = c.data;
  if (beta == 0) std::fill(c.data.begin(), c.data.end(), oracle::not_a_number);
  gemm_batched(batch, m, n, k, alpha, {a.data.data(), a.stride, ta}, a.step, {b.data.data(), b.stride, tb},
               b_step, beta, c.data.data(), c.stride, c.step);
  const Reals left = rounded(a.data), right = rounded(b.data);
  for (std::size_t i = 0; i < batch * m; ++i) {
    const std::size_t item = i / m, row = i % m;
    for (std::size_t j = 0; j < c.stride; ++j) {
      const Real got = c.data[i * c.stride + j];
      if (j >= n) {
        REQUIRE(std::isnan(got));
        continue;
      }
      double want = 0;
      for (std::size_t p = 0; p < k; ++p) {
        const Real x = left[item * a.step + (ta ? p * a.stride + row : row * a.stride + p)];
        const Real y = right[item * b_step + (tb ? j * b.stride + p : p * b.stride + j)];
        want += static_cast<double>(x) * static_cast<double>(y);
      }
      want = alpha * want + (beta == 0 ? 0 : beta * before[i * c.stride + j]);
      REQUIRE(static_cast<double>(got) == want);
    }
  }
}

void check_products(Precision precision) {
  const WithPrecision with(precision);
  const std::size_t sizes[][3] = {{1, 1, 1},   {2, 3, 4},    {5, 1, 9},      {1, 33, 7}, {17, 13, 37},
                                  {65, 31, 3}, {70, 67, 45}, {203, 131, 407}};  // the last in blocks
  for (const auto& [m, n, k] : sizes) {
    for (int transposes = 0; transposes < 4; ++transposes) {
      const bool ta = transposes & 1, tb = transposes & 2;
      check_rounded(m, n, k, ta, tb, 1, 0, false, 0);
      check_rounded(m, n, k, ta, tb, 1, 1, true, 3);
      if (k > 100) continue;
      check_rounded(m, n, k, ta, tb, Real(-0.5), 0, true, 0);
      check_rounded(m, n, k, ta, tb, 1, Real(0.5), false, 3);
    }
  }
}

}  // namespace

TEST_CASE("gemm in emulated bf16 multiplies rounded operands", "[core]") {
  check_products(Precision::bf16_emulated);
}

TEST_CASE("gemm in bf16 multiplies rounded operands, or is refused", "[core]") {
  if (onednn::fault().empty()) return check_products(Precision::bf16);
  CHECK_THROWS_AS(WithPrecision(Precision::bf16), ConfigError);
  CHECK(product_precision() == Precision::f32);
}

// All of bf16 but the instructions, on any CPU.
TEST_CASE("gemm by oneDNN multiplies rounded operands, with the same bits for any number of threads",
          "[core]") {
  if (!onednn::fault_of_library().empty()) return;
  const onednn::StandIn there;
  check_products(Precision::bf16);
  const WithPrecision with(Precision::bf16);
  const Tensor a = oracle::random_tensor({500, 300}, 1), b = oracle::random_tensor({300, 200}, 2);
  oracle::same_for_any_threads([&] {
    Tensor c = uninitialized({500, 200});
    gemm(500, 200, 300, 1, {a.data(), 300}, {b.data(), 200}, 0, c.data(), 200);
    return c;
  });
}

TEST_CASE("operands in bf16 are no more than that", "[core]") {
  // 1 + 2^-9 is lost as an operand, and stays in C, alpha and beta.
  const Real fine = 1 + Real(std::exp2(-9));
  Reals a{fine}, b{fine}, c{fine};
  const WithPrecision with(Precision::bf16_emulated);
  gemm(1, 1, 1, 1, {a.data(), 1}, {b.data(), 1}, 1, c.data(), 1);
  CHECK(c[0] == 1 + fine);
  gemm(1, 1, 1, fine, {a.data(), 1}, {b.data(), 1}, 0, c.data(), 1);
  CHECK(c[0] == fine);
}

TEST_CASE("products in emulated bf16 have the same bits for any number of threads", "[core]") {
  const WithPrecision with(Precision::bf16_emulated);
  const Tensor a = oracle::random_tensor({500, 300}, 1), b = oracle::random_tensor({300, 200}, 2);
  oracle::same_for_any_threads([&] {
    Tensor c = uninitialized({500, 200});
    gemm(500, 200, 300, 1, {a.data(), 300}, {b.data(), 200}, 0, c.data(), 200);
    return c;
  });
  const Tensor many = oracle::random_tensor({30, 40, 20}, 3);
  oracle::same_for_any_threads([&] {
    Tensor c = uninitialized({30, 40, 40});
    gemm_batched(30, 40, 40, 20, 1, {many.data(), 20}, 800, {many.data(), 20, true}, 800, 0, c.data(), 40,
                 1600);
    return c;
  });
}

TEST_CASE("emulated bf16: NaN, infinity and nothing to do", "[core]") {
  const WithPrecision with(Precision::bf16_emulated);
  Reals c{1, 2, oracle::not_a_number, 4};
  gemm(2, 2, 0, 1, {nullptr, 1}, {nullptr, 1}, 1, c.data(), 2);
  CHECK(c[1] == 2);
  gemm(2, 2, 0, 1, {nullptr, 1}, {nullptr, 1}, 0, c.data(), 2);
  CHECK(c == Reals{0, 0, 0, 0});
  const Reals a{oracle::not_a_number, 1, oracle::infinity, 1}, b{1, 1};
  gemm(2, 1, 2, 1, {a.data(), 2}, {b.data(), 1}, 0, c.data(), 1);
  CHECK(std::isnan(c[0]));
  CHECK(c[1] == oracle::infinity);
}

TEST_CASE("a precision lasts as long as its scope", "[core]") {
  CHECK(product_precision() == Precision::f32);
  {
    const WithPrecision outer(Precision::bf16_emulated);
    CHECK(product_precision() == Precision::bf16_emulated);
    {
      const WithPrecision inner(Precision::f32);
      CHECK(product_precision() == Precision::f32);
    }
    CHECK(product_precision() == Precision::bf16_emulated);
  }
  CHECK(product_precision() == Precision::f32);
  CHECK(precision_of("bf16") == Precision::bf16);
  CHECK(precision_of("bf16-emulated") == Precision::bf16_emulated);
  CHECK_THROWS_WITH(precision_of("fp16"), Catch::Contains("fp16") && Catch::Contains("bf16-emulated"));
}

TEST_CASE("bf16 is refused with the reason where the CPU has it not", "[core]") {
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx512bf16")) return;
  CHECK_THROWS_WITH(check_available(Precision::bf16),
                    Catch::Contains("--precision") && Catch::Contains("bf16-emulated") &&
                        ((Catch::Contains("AVX512_BF16") && Catch::Contains("this one has")) ||
                         Catch::Contains("without oneDNN")));
#endif
  CHECK_NOTHROW(check_available(Precision::f32));
  CHECK_NOTHROW(check_available(Precision::bf16_emulated));
}

#if defined(__linux__)
TEST_CASE("oneDNN keeps to the calling thread", "[core]") {
  if (!onednn::fault_of_library().empty()) return;
  const auto running = [] {
    const std::filesystem::directory_iterator all("/proc/self/task");
    return std::distance(begin(all), end(all));
  };
  constexpr std::size_t n = 300;
  const std::vector<float> a(n * n, 1);
  std::vector<float> c(n * n);
  std::ptrdiff_t before = 0, after = 0;
  // OpenMP keeps helpers for each thread that calls: a fresh one has none yet.
  std::thread([&] {
    before = running();
    onednn::multiply(onednn::Kind::f32, n, n, n, {a.data(), n, false}, {a.data(), n, false}, c.data(), n);
    after = running();
  }).join();
  CHECK(after == before);
  CHECK(c.back() == n);
}
#endif

#if defined(__SANITIZE_ADDRESS__)
// Among so many threads some hold what oneDNN keeps for each at an address that misled the search (see
// onednn.cpp).
TEST_CASE("leaks are looked for while threads multiply by oneDNN", "[core]") {
  if (!onednn::fault_of_library().empty()) return;
  constexpr std::ptrdiff_t count = 256;
  std::latch multiplied(count), looked(1);
  std::vector<std::thread> threads;
  for (std::ptrdiff_t i = 0; i < count; ++i) {
    threads.emplace_back([&] {
      const float a = 2, b = 3;
      float c = 0;
      onednn::multiply(onednn::Kind::f32, 1, 1, 1, {&a, 1, false}, {&b, 1, false}, &c, 1);
      multiplied.count_down();
      looked.wait();
    });
  }
  multiplied.wait();
  const int leaks = __lsan_do_recoverable_leak_check();
  looked.count_down();
  for (std::thread& thread : threads) thread.join();
  CHECK(leaks == 0);
}
#endif

// The way through the library is the same for both kinds of operands, and those of f32 go it on any CPU.
TEST_CASE("products by oneDNN", "[core]") {
  if (!onednn::fault_of_library().empty()) {
    WARN("no oneDNN: " << onednn::fault_of_library());
    return;
  }
  const std::size_t sizes[][3] = {{1, 1, 1}, {5, 1, 9}, {1, 33, 7}, {17, 13, 37}, {67, 49, 133}};
  for (const auto& [rows, columns, inner] : sizes) {
    const std::size_t m = rows, n = columns, k = inner, c_stride = n + 3;
    for (int transposes = 0; transposes < 4; ++transposes) {
      const bool ta = transposes & 1, tb = transposes & 2;
      std::vector<float> a(m * k), b(k * n), c(m * c_stride, NAN);
      Rng rng(m + n);
      for (float& x : a) x = static_cast<float>(rng.uniform(-2, 2));
      for (float& x : b) x = static_cast<float>(rng.uniform(-2, 2));
      const auto multiply = [&] {
        onednn::multiply(onednn::Kind::f32, m, n, k, {a.data(), ta ? m : k, ta}, {b.data(), tb ? k : n, tb},
                         c.data(), c_stride);
      };
      multiply();
      const std::vector<float> first = c;
      for (std::size_t i = 0; i < m; ++i) {
        for (std::size_t j = 0; j < c_stride; ++j) {
          const float got = c[i * c_stride + j];
          if (j >= n) {
            REQUIRE(std::isnan(got));
            continue;
          }
          double want = 0;
          for (std::size_t p = 0; p < k; ++p)
            want += static_cast<double>(a[ta ? p * m + i : i * k + p]) *
                    static_cast<double>(b[tb ? j * k + p : p * n + j]);
          REQUIRE(std::abs(got - want) <= 4e-6 * static_cast<double>(k + 1));
        }
      }
      // Made once, run by many at a time, with the same bits.
      std::vector<std::vector<float>> each(16, std::vector<float>(c.size(), NAN));
      parallel_for(each.size(), 1, [&](std::size_t begin, std::size_t) {
        onednn::multiply(onednn::Kind::f32, m, n, k, {a.data(), ta ? m : k, ta}, {b.data(), tb ? k : n, tb},
                         each[begin].data(), c_stride);
      });
      for (const auto& one : each)
        REQUIRE(std::memcmp(one.data(), first.data(), one.size() * sizeof(float)) == 0);
    }
  }
}
