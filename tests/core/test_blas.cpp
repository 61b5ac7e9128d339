#include <cstdlib>

#include "core/blas.hpp"
#include "core/blas_kernel.hpp"
#include "core/check.hpp"
#include "core/oracle.hpp"

using namespace fovea;
using oracle::Reals;

namespace {

/// Rows of `columns` elements, `stride` apart, with NaN in the gaps.
struct Matrix {
  std::size_t stride;
  Reals data;

  Matrix(std::size_t rows, std::size_t columns, std::size_t gap, std::uint64_t seed)
      : stride(columns + gap), data(rows * (columns + gap) + 1, oracle::not_a_number) {
    const Reals values = oracle::random(rows * columns, seed);
    for (std::size_t i = 0; i < rows * columns; ++i) data[i / columns * stride + i % columns] = values[i];
  }
};

void check_product(std::size_t m, std::size_t n, std::size_t k, bool ta, bool tb, Real alpha, Real beta) {
  INFO(m << " x " << n << " x " << k << (ta ? " A'" : "") << (tb ? " B'" : "") << " beta " << beta);
  const Matrix a(ta ? k : m, ta ? m : k, 2, 1), b(tb ? n : k, tb ? k : n, 1, 2);
  Matrix c(m, n, 3, 3);
  const Reals before = c.data;
  if (beta == 0) std::fill(c.data.begin(), c.data.end(), oracle::not_a_number);
  gemm(m, n, k, alpha, {a.data.data(), a.stride, ta}, {b.data.data(), b.stride, tb}, beta, c.data.data(),
       c.stride);
  for (std::size_t i = 0; i < m; ++i) {
    for (std::size_t j = 0; j < c.stride; ++j) {
      const Real got = c.data[i * c.stride + j];
      if (j >= n) {
        REQUIRE(std::isnan(got));
        continue;
      }
      double right = 0;
      for (std::size_t p = 0; p < k; ++p) {
        right += static_cast<double>(a.data[ta ? p * a.stride + i : i * a.stride + p]) *
                 b.data[tb ? j * b.stride + p : p * b.stride + j];
      }
      right = alpha * right + (beta == 0 ? 0 : beta * before[i * c.stride + j]);
      REQUIRE(oracle::near(got, right, 0, 8 * oracle::epsilon * static_cast<double>(k + 2)));
    }
  }
}

}  // namespace

TEST_CASE("a kernel of OpenBLAS is chosen once and the environment is left alone", "[core]") {
  const char* before = std::getenv("OPENBLAS_CORETYPE");
  const std::string wish = before ? before : "";
  CHECK_FALSE(blas_kernel().empty());
  CHECK(&blas_kernel() == &blas_kernel());
  const char* after = std::getenv("OPENBLAS_CORETYPE");
  CHECK(wish == (after ? after : ""));
#if defined(__x86_64__)
  if (!before && __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) {
    CHECK_FALSE(
        (blas_kernel() == "Prescott" || blas_kernel() == "Nehalem" || blas_kernel() == "Sandybridge"));
  }
#endif
}

TEST_CASE("gemm of odd sizes, transposes and factors", "[core]") {
  const std::size_t sizes[][3] = {{1, 1, 1},  {2, 3, 4},    {4, 16, 8},  {5, 1, 9},    {1, 33, 7},
                                  {17, 9, 1}, {17, 13, 37}, {65, 31, 3}, {130, 67, 45}};
  for (const auto& [m, n, k] : sizes) {
    for (int transposes = 0; transposes < 4; ++transposes) {
      for (Real beta : {Real(0), Real(1), Real(0.5)}) {
        check_product(m, n, k, transposes & 1, transposes & 2, Real(1), beta);
        check_product(m, n, k, transposes & 1, transposes & 2, Real(-0.5), beta);
      }
    }
  }
}

// Case OpenBLAS#4387: 23×23 is one block (core/blas.cpp), so more threads are not asked at all. There is no
// test of time here: what threads are worth is measured by script/bench.
TEST_CASE("gemm cut into blocks", "[core]") {
  for (int transposes = 0; transposes < 4; ++transposes) {
    check_product(403, 131, 167, transposes & 1, transposes & 2, 1, 0);
    check_product(131, 403, 167, transposes & 1, transposes & 2, 1, 1);
  }
  const Tensor a = oracle::random_tensor({500, 300}, 1), b = oracle::random_tensor({300, 200}, 2);
  oracle::same_for_any_threads([&] {
    Tensor c = uninitialized({500, 200});
    gemm(500, 200, 300, 1, {a.data(), 300}, {b.data(), 200}, 0, c.data(), 200);
    return c;
  });
}

TEST_CASE("gemm with nothing to add or nothing to do", "[core]") {
  Reals c{1, 2, oracle::not_a_number, 4};
  gemm(2, 2, 0, 1, {nullptr, 1}, {nullptr, 1}, 1, c.data(), 2);
  CHECK(c[1] == 2);
  gemm(2, 2, 0, 1, {nullptr, 1}, {nullptr, 1}, 0, c.data(), 2);
  CHECK(c == Reals{0, 0, 0, 0});
  gemm(0, 2, 3, 1, {nullptr, 3}, {nullptr, 2}, 0, nullptr, 2);
  gemm(2, 0, 3, 1, {nullptr, 3}, {nullptr, 1}, 0, nullptr, 1);
  gemm_batched(0, 2, 2, 2, 1, {nullptr, 2}, 4, {nullptr, 2}, 4, 0, nullptr, 2, 4);
  Reals big(200 * 200, Real(3));
  gemm(200, 200, 0, 1, {nullptr, 1}, {nullptr, 1}, Real(0.5), big.data(), 200);
  CHECK(big == Reals(200 * 200, Real(1.5)));
}

TEST_CASE("batched products are their items", "[core]") {
  const std::size_t sizes[][4] = {{7, 3, 4, 5}, {40, 12, 10, 32}, {3, 210, 140, 150}};
  for (const auto& [batch, m, n, k] : sizes) {
    for (bool shared : {false, true}) {
      const Reals a = oracle::random(batch * m * k, 1), b = oracle::random(batch * k * n, 2);
      const std::size_t step = shared ? 0 : n * k;
      const auto product = [&, batch = batch, m = m, n = n, k = k] {
        Tensor c = uninitialized({batch, m, n});
        gemm_batched(batch, m, n, k, 1, {a.data(), k}, m * k, {b.data(), k, true}, step, 0, c.data(), n,
                     m * n);
        return c;
      };
      const Tensor all = product();
      for (std::size_t i = 0; i < batch; ++i) {
        Tensor one = uninitialized({m, n});
        gemm(m, n, k, 1, {a.data() + i * m * k, k}, {b.data() + i * step, k, true}, 0, one.data(), n);
        REQUIRE(std::equal(one.data(), one.data() + one.size(), all.data() + i * m * n));
      }
      oracle::same_for_any_threads(product);
    }
  }
}

TEST_CASE("small products at every level", "[core]") {
  oracle::at_each_level([](const Kernels& kernel) {
    for (int transposes = 0; transposes < 4; ++transposes) {
      for (std::size_t n : {1u, 7u, 16u, 33u}) {
        const bool ta = transposes & 1, tb = transposes & 2;
        const std::size_t m = 5, k = 9;
        const Reals a = oracle::random(m * k, 1), b = oracle::random(k * n, 2);
        Reals c(m * n, oracle::not_a_number);
        kernel.small_gemm(m, n, k, 2, a.data(), ta ? m : k, ta, b.data(), tb ? k : n, tb, 0, c.data(), n);
        for (std::size_t i = 0; i < m * n; ++i) {
          double right = 0;
          for (std::size_t p = 0; p < k; ++p) {
            right += 2.0 * a[ta ? p * m + i / n : i / n * k + p] * b[tb ? i % n * k + p : p * n + i % n];
          }
          REQUIRE(oracle::near(c[i], right, 0, 64 * oracle::epsilon));
        }
      }
    }
  });
}

TEST_CASE("sizes that BLAS cannot count are refused, strides that nobody needs are not", "[core]") {
  const std::size_t many = std::size_t{1} << 31;
  CHECK_THROWS_WITH(gemm(1, 1, many, 1, {nullptr, many}, {nullptr, 1}, 0, nullptr, 1),
                    Catch::Contains("2147483648") && Catch::Contains("2147483647"));
  CHECK_THROWS_AS(gemm(2, 1, 200, 1, {nullptr, many}, {nullptr, 1}, 0, nullptr, 1), ShapeError);
  CHECK_THROWS_AS(gemm(2, 200, 1, 1, {nullptr, 1}, {nullptr, 200}, 0, nullptr, many), ShapeError);
  // One row has no next one.
  const Reals a(1, Real(2)), b = oracle::random(200, 1);
  Reals c(200);
  gemm(1, 200, 1, 1, {a.data(), many}, {b.data(), many}, 0, c.data(), many);
  for (std::size_t i = 0; i < 200; ++i) REQUIRE(c[i] == 2 * b[i]);
}
