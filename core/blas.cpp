#include "core/blas.hpp"

#include <algorithm>
#include <cblas.h>
#include <limits>

#include "core/blas_kernel.hpp"
#include "core/check.hpp"
#include "core/kernels/choose.hpp"
#include "core/parallel.hpp"

namespace fovea::inline FOVEA_REAL {
namespace {

// One of the two fits Real.
[[maybe_unused]] void call_blas(CBLAS_TRANSPOSE ta, CBLAS_TRANSPOSE tb, int m, int n, int k, float alpha,
                                const float* a, int lda, const float* b, int ldb, float beta, float* c,
                                int ldc) {
  cblas_sgemm(CblasRowMajor, ta, tb, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc);
}
[[maybe_unused]] void call_blas(CBLAS_TRANSPOSE ta, CBLAS_TRANSPOSE tb, int m, int n, int k, double alpha,
                                const double* a, int lda, const double* b, int ldb, double beta, double* c,
                                int ldc) {
  cblas_dgemm(CblasRowMajor, ta, tb, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc);
}

struct Sizes {
  std::size_t m, n, k;
  std::size_t work() const { return m * n * k; }
};

constexpr std::size_t small_work = 128;  // up to here a plain loop beats what OpenBLAS spends on preparation
constexpr std::size_t block_work = 1 << 21;  // m · n · k that is worth a range of its own
constexpr std::size_t large_block_work =
    1 << 26;  // and of more than `few_blocks`: each block packs its part of A and B again
constexpr std::size_t range_work = 1 << 18;  // small items are handed over in groups of this much
constexpr std::size_t few_blocks = 4, most_blocks = 16, shortest_block = 48;

/// BLAS counts in int.
int narrow(std::size_t value) {
  constexpr std::size_t most = std::numeric_limits<int>::max();
  check(value <= most, "gemm", "a length or stride of ", value, "; BLAS takes at most ", most,
        ", so cut the product into smaller ones");
  return static_cast<int>(value);
}

/// BLAS insists on a stride of at least a row, even where there is one row, whose own stride nobody needs.
int stride(std::size_t given, std::size_t rows, std::size_t row) {
  return narrow(std::max<std::size_t>({rows > 1 ? given : 0, row, 1}));
}

bool is_small(const Sizes& s) { return s.work() <= small_work && s.k * s.n <= small_gemm_limit; }

/// A product as BLAS counts it. ShapeError when it cannot.
struct Counted {
  int m, n, k, a, b, c;  // lengths, and strides of the three matrices

  Counted(const Sizes& s, const Operand& left, const Operand& right, std::size_t c_stride)
      : m(narrow(s.m)),
        n(narrow(s.n)),
        k(narrow(s.k)),
        a(left.transposed ? stride(left.stride, s.k, s.m) : stride(left.stride, s.m, s.k)),
        b(right.transposed ? stride(right.stride, s.n, s.k) : stride(right.stride, s.k, s.n)),
        c(stride(c_stride, s.m, s.n)) {}
};

/// One product on this thread.
void multiply(const Sizes& s, Real alpha, const Operand& a, const Operand& b, Real beta, Real* c,
              std::size_t c_stride) {
  if (is_small(s)) {
    kernels().small_gemm(s.m, s.n, s.k, alpha, a.data, a.stride, a.transposed, b.data, b.stride, b.transposed,
                         beta, c, c_stride);
    return;
  }
  const Counted counted(s, a, b, c_stride);
  call_blas(a.transposed ? CblasTrans : CblasNoTrans, b.transposed ? CblasTrans : CblasNoTrans, counted.m,
            counted.n, counted.k, alpha, a.data, counted.a, b.data, counted.b, beta, c, counted.c);
}

/// How C is cut into blocks, by shape alone: the longer side of a block is halved until there are enough.
/// Blocks near a square pack the least of A and B.
struct Cut {
  std::size_t rows, columns;  // of a block; the last ones may have fewer
  std::size_t down, across;   // blocks along m and n
  std::size_t count() const { return down * across; }
};
Cut cut(const Sizes& s) {
  constexpr std::size_t step = 16;  // whole tiles of the micro-kernels
  const auto half = [](std::size_t side) { return (side / 2 + step - 1) / step * step; };
  const auto parts = [](std::size_t side, std::size_t length) { return (side + length - 1) / length; };
  const std::size_t wanted =
      std::min({s.work() / block_work, std::max(few_blocks, s.work() / large_block_work), most_blocks});
  Cut cut{s.m, s.n, 1, 1};
  while (cut.count() < wanted) {
    std::size_t& longer = cut.rows >= cut.columns ? cut.rows : cut.columns;
    if (longer < 2 * shortest_block) break;
    longer = half(longer);
    cut.down = parts(s.m, cut.rows);
    cut.across = parts(s.n, cut.columns);
  }
  return cut;
}

}  // namespace

void gemm_batched(std::size_t batch, std::size_t m, std::size_t n, std::size_t k, Real alpha, Operand a,
                  std::size_t a_step, Operand b, std::size_t b_step, Real beta, Real* c, std::size_t c_stride,
                  std::size_t c_step) {
  if (batch == 0 || m == 0 || n == 0) return;
  blas_kernel();  // chosen before the first product
  const Sizes all{m, n, k};
  const Cut blocks = cut(all);
  const Sizes largest{blocks.rows, blocks.columns, k};
  if (!is_small(largest)) Counted(largest, a, b, c_stride);  // an error comes before anything is changed
  const std::size_t grain =
      blocks.count() > 1 ? 1 : std::max<std::size_t>(1, range_work / std::max<std::size_t>(all.work(), 1));
  parallel_for(batch * blocks.count(), grain, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      const std::size_t item = i / blocks.count(), block = i % blocks.count();
      const std::size_t row = block / blocks.across * blocks.rows,
                        column = block % blocks.across * blocks.columns;
      const Sizes size{std::min(blocks.rows, m - row), std::min(blocks.columns, n - column), k};
      const Operand left{a.data + item * a_step + row * (a.transposed ? 1 : a.stride), a.stride,
                         a.transposed};
      const Operand right{b.data + item * b_step + column * (b.transposed ? b.stride : 1), b.stride,
                          b.transposed};
      multiply(size, alpha, left, right, beta, c + item * c_step + row * c_stride + column, c_stride);
    }
  });
}

void gemm(std::size_t m, std::size_t n, std::size_t k, Real alpha, Operand a, Operand b, Real beta, Real* c,
          std::size_t c_stride) {
  gemm_batched(1, m, n, k, alpha, a, 0, b, 0, beta, c, c_stride, 0);
}

}  // namespace fovea::inline FOVEA_REAL
