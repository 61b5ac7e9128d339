#include "core/recurrent/step_product.hpp"

#include <algorithm>

#include "core/blas.hpp"
#include "core/kernels/choose.hpp"

namespace fovea::inline FOVEA_REAL::recurrence {
namespace {

// A block of B has `block_columns` columns and at most `block_rows` rows: 16 kB, half of a small first cache.
// Blocks lie one behind the other, row of blocks by row of blocks.
constexpr std::size_t block_columns = 2 * tile_lanes, block_rows = 128;

}  // namespace

StepProduct::StepProduct(Through through, const Real* weight, std::size_t k, std::size_t n, std::size_t steps)
    : weight_(weight),
      k_(k),
      n_(n),
      stride_((n + block_columns - 1) / block_columns * block_columns),
      transposed_(through == Through::outputs),
      laid_out_(steps > 1),
      skips_zeros_(through == Through::cotangents && !kernels().finite(k * n, weight)) {
  if (laid_out_) lay_out();
}

void StepProduct::lay_out() {
  blocks_ = uninitialized({k_, stride_});
  for (std::size_t top = 0; top < k_; top += block_rows) {
    const std::size_t rows = std::min(block_rows, k_ - top);
    for (std::size_t left = 0; left < stride_; left += block_columns) {
      const std::size_t columns = std::min(block_columns, n_ - left);
      Real* block = blocks_.data() + top * stride_ + left * rows;
      if (columns < block_columns) std::fill_n(block, rows * block_columns, Real(0));
      if (transposed_) {
        kernels().transpose(columns, rows, weight_ + left * k_ + top, k_, block, block_columns);
      } else {
        for (std::size_t p = 0; p < rows; ++p)
          std::copy_n(weight_ + (top + p) * n_ + left, columns, block + p * block_columns);
      }
    }
  }
}

void StepProduct::operator()(std::size_t rows, const Real* a, std::size_t a_stride, bool add, Real* c) const {
  if (skips_zeros_) return skip_zeros(rows, a, a_stride, add, c);
  if (!laid_out_) {
    gemm(rows, n_, k_, 1, {a, a_stride}, {weight_, transposed_ ? k_ : n_, transposed_}, add ? 1 : 0, c,
         stride_);
    return;
  }
  std::size_t top = 0;
  do {  // once also where k is 0, for C is written whole
    const std::size_t deep = std::min(block_rows, k_ - top);
    for (std::size_t left = 0; left < stride_; left += block_columns) {
      kernels().tile_product(rows, block_columns, deep, 1, a + top, a_stride, 1,
                             blocks_.data() + top * stride_ + left * deep, block_columns, add || top > 0,
                             c + left, stride_);
    }
    top += block_rows;
  } while (top < k_);
}

// For a weight that is not finite: a number that is there to stay, so speed is not what matters.
void StepProduct::skip_zeros(std::size_t rows, const Real* a, std::size_t a_stride, bool add, Real* c) const {
  for (std::size_t r = 0; r < rows; ++r, a += a_stride, c += stride_) {
    if (!add) std::fill_n(c, n_, Real(0));
    for (std::size_t p = 0; p < k_; ++p)
      if (a[p] != 0) kernels().add_scaled(n_, a[p], weight_ + p * n_, c);
  }
}

}  // namespace fovea::inline FOVEA_REAL::recurrence
