#include "core/kernels/level/math.hpp"
#include "core/kernels/level/parts.hpp"

namespace fovea::inline FOVEA_REAL {
namespace FOVEA_LEVEL {
namespace {

double sum(std::size_t n, const Real* x) {
  double total = 0;
#pragma omp simd reduction(+ : total)
  for (std::size_t i = 0; i < n; ++i) total += x[i];
  return total;
}

double sum_squares(std::size_t n, const Real* x) {
  double total = 0;
#pragma omp simd reduction(+ : total)
  for (std::size_t i = 0; i < n; ++i) total += static_cast<double>(x[i]) * x[i];
  return total;
}

bool finite(std::size_t n, const Real* x) {
  Bits odd = 0;
#pragma omp simd reduction(| : odd)
  for (std::size_t i = 0; i < n; ++i) odd |= x[i] - x[i] == 0 ? Bits(0) : Bits(1);  // inf - inf is NaN
  return odd == 0;
}

constexpr std::size_t width = 64;  // columns whose totals stay in the first-level cache

void add_columns(std::size_t rows, std::size_t n, const Real* x, std::size_t stride, double* total) {
  for (std::size_t first = 0; first < n; first += width) {
    const std::size_t end = n - first < width ? n : first + width;
    for (std::size_t r = 0; r < rows; ++r) {
      const Real* row = x + r * stride;
#pragma omp simd
      for (std::size_t i = first; i < end; ++i) total[i] += row[i];
    }
  }
}

void sum_columns(std::size_t rows, std::size_t n, const Real* x, std::size_t stride, Real* out) {
  for (std::size_t first = 0; first < n; first += width) {
    const std::size_t count = n - first < width ? n - first : width;
    double total[width] = {};
    add_columns(rows, count, x + first, stride, total);
    for (std::size_t i = 0; i < count; ++i) out[first + i] = static_cast<Real>(total[i]);
  }
}

}  // namespace

void set_reductions(Kernels& table) {
  table.sum = sum;
  table.sum_squares = sum_squares;
  table.finite = finite;
  table.sum_columns = sum_columns;
  table.add_columns = add_columns;
}

}  // namespace FOVEA_LEVEL
}  // namespace fovea::inline FOVEA_REAL
