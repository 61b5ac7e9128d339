#include "core/kernels/level/parts.hpp"
#include "core/kernels/level/vector.hpp"

namespace fovea::inline FOVEA_REAL {
namespace FOVEA_LEVEL {
namespace {

constexpr std::size_t tile = 64 / sizeof(Real);  // a cache line of each row

/// The numbers of lanes 0 … width - 1, as arguments.
template <std::size_t... lane>
struct Lanes {};
template <std::size_t left, std::size_t... lane>
struct AllLanes : AllLanes<left - 1, left - 1, lane...> {};
template <std::size_t... lane>
struct AllLanes<0, lane...> {
  using Type = Lanes<lane...>;
};

/// a and b as two by two blocks of `half` lanes each: the blocks off the diagonal change places.
template <std::size_t half, std::size_t... lane>
inline void exchange(Vector& a, Vector& b, Lanes<lane...>) {
  const Vector upper = __builtin_shufflevector(a, b, (lane & half ? width + lane - half : lane)...);
  b = __builtin_shufflevector(a, b, (lane & half ? width + lane : lane + half)...);
  a = upper;
}

/// Turns a square of `width` registers: its quarters, and each of these.
template <std::size_t half>
inline void turn(Vector (&row)[width]) {
  if constexpr (half > 0) {
    for (std::size_t i = 0; i < width; ++i) {
      if (!(i & half)) exchange<half>(row[i], row[i + half], AllLanes<width>::Type());
    }
    turn<half / 2>(row);
  }
}

// A full tile, in squares of registers.
void transpose_tile(const Real* x, std::size_t x_stride, Real* out, std::size_t out_stride) {
  for (std::size_t j = 0; j < tile; j += width) {
    for (std::size_t i = 0; i < tile; i += width) {
      Vector row[width];
      for (std::size_t q = 0; q < width; ++q) row[q] = load(x + (i + q) * x_stride + j);
      turn<width / 2>(row);
      for (std::size_t q = 0; q < width; ++q) store(out + (j + q) * out_stride + i, row[q]);
    }
  }
}

void transpose(std::size_t rows, std::size_t columns, const Real* x, std::size_t x_stride, Real* out,
               std::size_t out_stride) {
  for (std::size_t i = 0; i < rows; i += tile) {
    for (std::size_t j = 0; j < columns; j += tile) {
      const Real* from = x + i * x_stride + j;
      Real* to = out + j * out_stride + i;
      if (i + tile <= rows && j + tile <= columns) {
        transpose_tile(from, x_stride, to, out_stride);
        continue;
      }
      const std::size_t height = rows - i < tile ? rows - i : tile;
      const std::size_t length = columns - j < tile ? columns - j : tile;
      for (std::size_t q = 0; q < length; ++q) {
        for (std::size_t p = 0; p < height; ++p) to[q * out_stride + p] = from[p * x_stride + q];
      }
    }
  }
}

void small_gemm(std::size_t m, std::size_t n, std::size_t k, Real alpha, const Real* a, std::size_t a_stride,
                bool a_transposed, const Real* b, std::size_t b_stride, bool b_transposed, Real beta, Real* c,
                std::size_t c_stride) {
  Real packed[small_gemm_limit];
  if (b_transposed) {  // turned once, so that the inner loop always runs along rows
    transpose(n, k, b, b_stride, packed, n);
    b = packed;
    b_stride = n;
  }
  const std::size_t a_row = a_transposed ? 1 : a_stride, a_step = a_transposed ? a_stride : 1;
  for (std::size_t i = 0; i < m; ++i) {
    Real* row = c + i * c_stride;
    if (beta == 0) {
      for (std::size_t j = 0; j < n; ++j) row[j] = 0;
    } else if (beta != 1) {
      for (std::size_t j = 0; j < n; ++j) row[j] *= beta;
    }
    for (std::size_t p = 0; p < k; ++p) {
      const Real factor = alpha * a[i * a_row + p * a_step];
      const Real* other = b + p * b_stride;
#pragma omp simd
      for (std::size_t j = 0; j < n; ++j) row[j] += factor * other[j];
    }
  }
}

}  // namespace

void set_products(Kernels& table) {
  table.transpose = transpose;
  table.small_gemm = small_gemm;
}

}  // namespace FOVEA_LEVEL
}  // namespace fovea::inline FOVEA_REAL
