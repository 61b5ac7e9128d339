#include "core/blas.hpp"

#include <algorithm>
#include <cblas.h>
#include <limits>

#include "core/blas_kernel.hpp"
#include "core/check.hpp"
#include "core/kernels/choose.hpp"
#include "core/onednn/onednn.hpp"
#include "core/parallel.hpp"
#include "core/precision.hpp"
#include "core/rounded.hpp"

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
constexpr std::size_t rounded_work =
    1 << 16;  // up to here f32 takes no longer than oneDNN takes to begin: 1.4 µs
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

/// A block of C, and of which item.
struct Block {
  std::size_t item, row, column;
  Sizes size;
};

/// Calls `multiply(block)` for the blocks of all items, spread over the threads.
template <class Multiply>
void in_blocks(std::size_t batch, const Sizes& all, const Cut& blocks, const Multiply& multiply) {
  const std::size_t grain =
      blocks.count() > 1 ? 1 : std::max<std::size_t>(1, range_work / std::max<std::size_t>(all.work(), 1));
  parallel_for(batch * blocks.count(), grain, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      const std::size_t block = i % blocks.count();
      const std::size_t row = block / blocks.across * blocks.rows,
                        column = block % blocks.across * blocks.columns;
      multiply(Block{i / blocks.count(),
                     row,
                     column,
                     {std::min(blocks.rows, all.m - row), std::min(blocks.columns, all.n - column), all.k}});
    }
  });
}

/// Where a product and its operands lie.
struct Batched {
  Operand a;
  std::size_t a_step;
  Operand b;
  std::size_t b_step;
  Real* c;
  std::size_t c_stride, c_step;

  Real* at(const Block& block) const { return c + block.item * c_step + block.row * c_stride + block.column; }
};

/// Elements from an operand's start to where a block's part of it starts.
std::size_t left_of(const Block& at, std::size_t step, std::size_t stride, bool transposed) {
  return at.item * step + at.row * (transposed ? 1 : stride);
}
std::size_t right_of(const Block& at, std::size_t step, std::size_t stride, bool transposed) {
  return at.item * step + at.column * (transposed ? stride : 1);
}

void multiply_all(std::size_t batch, const Sizes& all, const Cut& blocks, Real alpha, const Batched& x,
                  Real beta) {
  in_blocks(batch, all, blocks, [&](const Block& at) {
    const Operand left{x.a.data + left_of(at, x.a_step, x.a.stride, x.a.transposed), x.a.stride,
                       x.a.transposed};
    const Operand right{x.b.data + right_of(at, x.b_step, x.b.stride, x.b.transposed), x.b.stride,
                        x.b.transposed};
    multiply(at.size, alpha, left, right, beta, x.at(at), x.c_stride);
  });
}

template <class To>
Rounded<To> rounded_left(std::size_t batch, const Sizes& s, const Batched& x) {
  return {batch, x.a, x.a_step, x.a.transposed ? s.k : s.m, x.a.transposed ? s.m : s.k};
}
template <class To>
Rounded<To> rounded_right(std::size_t batch, const Sizes& s, const Batched& x) {
  return {batch, x.b, x.b_step, x.b.transposed ? s.n : s.k, x.b.transposed ? s.k : s.n};
}

/// Operands rounded and multiplied as they are: a product of two bf16 is exact in f32.
void multiply_rounded(std::size_t batch, const Sizes& all, const Cut& blocks, Real alpha, Batched x,
                      Real beta) {
  const auto a = rounded_left<Real>(batch, all, x);
  const auto b = rounded_right<Real>(batch, all, x);
  x.a = a.operand();
  x.a_step = a.step();
  x.b = b.operand();
  x.b_step = b.step();
  multiply_all(batch, all, blocks, alpha, x, beta);
}

// One of the two fits Real.
[[maybe_unused]] float* where_singles_fit(float* c) { return c; }
[[maybe_unused]] float* where_singles_fit(double*) { return nullptr; }

/// By oneDNN. What it does beside overwriting C is left to us: a sum over m · n is little beside the product.
void multiply_bf16(std::size_t batch, const Sizes& all, const Cut& blocks, Real alpha, const Batched& x,
                   Real beta) {
  const auto a = rounded_left<std::uint16_t>(batch, all, x);
  const auto b = rounded_right<std::uint16_t>(batch, all, x);
  in_blocks(batch, all, blocks, [&](const Block& at) {
    const Sizes& s = at.size;
    const onednn::Factor left{a.data() + left_of(at, a.step(), a.stride(), a.transposed()), a.stride(),
                              a.transposed()};
    const onednn::Factor right{b.data() + right_of(at, b.step(), b.stride(), b.transposed()), b.stride(),
                               b.transposed()};
    Real* c = x.at(at);
    const auto product = [&](float* to, std::size_t stride) {
      onednn::multiply(onednn::Kind::bf16, s.m, s.n, s.k, left, right, to, stride);
    };
    if (float* direct = alpha == 1 && beta == 0 ? where_singles_fit(c) : nullptr)
      return product(direct, x.c_stride);
    xt::uvector<float, AlignedAllocator<float>> apart(s.m * s.n);
    product(apart.data(), s.n);
    for (std::size_t i = 0; i < s.m; ++i) {
      for (std::size_t j = 0; j < s.n; ++j) {
        Real& to = c[i * x.c_stride + j];
        to = alpha * static_cast<Real>(apart[i * s.n + j]) + (beta == 0 ? 0 : beta * to);
      }
    }
  });
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
  const Batched where{a, a_step, b, b_step, c, c_stride, c_step};
  const Precision as = product_precision();
  if (as == Precision::f32) return multiply_all(batch, all, blocks, alpha, where, beta);
  if (as == Precision::bf16 && largest.work() > rounded_work)
    return multiply_bf16(batch, all, blocks, alpha, where, beta);
  multiply_rounded(batch, all, blocks, alpha, where, beta);
}

void gemm(std::size_t m, std::size_t n, std::size_t k, Real alpha, Operand a, Operand b, Real beta, Real* c,
          std::size_t c_stride) {
  gemm_batched(1, m, n, k, alpha, a, 0, b, 0, beta, c, c_stride, 0);
}

}  // namespace fovea::inline FOVEA_REAL
