#pragma once

#include <cstddef>

#include "core/real.hpp"

namespace fovea::inline FOVEA_REAL {

/// A matrix in memory, row-major, `stride` elements between the starts of stored rows. With
/// `transposed` the product sees its transpose.
struct Operand {
  const Real* data;
  std::size_t stride;
  bool transposed = false;
};

/// C[m, n] = alpha · op(A)[m, k] · op(B)[k, n] + beta · C. With `beta` 0 what C held, even NaN, is ignored.
/// Any length may be 0. Blocks of C are spread over the threads; they are fixed by the shape, so the
/// bits do not depend on the number of threads. ShapeError for a length or stride that BLAS cannot count.
/// Operands are rounded first to what core/precision.hpp says; alpha, beta and C are not.
void gemm(std::size_t m, std::size_t n, std::size_t k, Real alpha, Operand a, Operand b, Real beta, Real* c,
          std::size_t c_stride);

/// `batch` products; item i takes `a.data + i · a_step`, `b.data + i · b_step` and `c + i · c_step`. A
/// step of 0 for a or b takes the same matrix for each item; items of C must not overlap.
void gemm_batched(std::size_t batch, std::size_t m, std::size_t n, std::size_t k, Real alpha, Operand a,
                  std::size_t a_step, Operand b, std::size_t b_step, Real beta, Real* c, std::size_t c_stride,
                  std::size_t c_step);

}  // namespace fovea::inline FOVEA_REAL
