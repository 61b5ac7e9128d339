#include "core/kernels/level/parts.hpp"
#include "core/kernels/level/vector.hpp"

namespace fovea::inline FOVEA_REAL {
namespace FOVEA_LEVEL {
namespace {

// A block of C is held in registers while k runs: rows × vectors of them, two more for a row of B, one for an
// element of A. Every element of C is the same chain of multiply-adds wherever it lies in a block, so its
// bits depend on its own row and column alone.
constexpr std::size_t most_rows = registers == 32 ? 12 : 6;
constexpr std::size_t most_vectors = 2;

struct Tile {
  std::size_t k;
  Real alpha;
  std::size_t a_row, a_step, b_stride;
  bool add;
  std::size_t c_stride;
};

// GCC must unroll all loops over rows and vectors: one that it keeps holds the block in memory.
template <std::size_t rows, std::size_t vectors>
void block(const Tile& t, const Real* a, const Real* b, Real* c) {
  Vector sum[rows][vectors];
#pragma GCC unroll most_rows
  for (std::size_t r = 0; r < rows; ++r) {
    for (std::size_t v = 0; v < vectors; ++v) sum[r][v] = Vector{};
  }
  for (std::size_t p = 0; p < t.k; ++p, a += t.a_step, b += t.b_stride) {
    Vector right[vectors];
    for (std::size_t v = 0; v < vectors; ++v) right[v] = load(b + v * width);
#pragma GCC unroll most_rows
    for (std::size_t r = 0; r < rows; ++r) {
      const Real left = a[r * t.a_row];
      for (std::size_t v = 0; v < vectors; ++v) sum[r][v] += left * right[v];
    }
  }
#pragma GCC unroll most_rows
  for (std::size_t r = 0; r < rows; ++r) {
    for (std::size_t v = 0; v < vectors; ++v) {
      Real* out = c + r * t.c_stride + v * width;
      store(out, t.add ? load(out) + t.alpha * sum[r][v] : t.alpha * sum[r][v]);
    }
  }
}

/// The last rows: fewer than `most_rows`.
template <std::size_t rows, std::size_t vectors>
void last_rows(std::size_t left, const Tile& t, const Real* a, const Real* b, Real* c) {
  if constexpr (rows > 0) {
    if (left == rows) {
      block<rows, vectors>(t, a, b, c);
    } else {
      last_rows<rows - 1, vectors>(left, t, a, b, c);
    }
  }
}

template <std::size_t vectors>
void columns(std::size_t m, const Tile& t, const Real* a, const Real* b, Real* c) {
  std::size_t i = 0;
  for (; i + most_rows <= m; i += most_rows) {
    block<most_rows, vectors>(t, a + i * t.a_row, b, c + i * t.c_stride);
  }
  last_rows<most_rows - 1, vectors>(m - i, t, a + i * t.a_row, b, c + i * t.c_stride);
}

void tile_product(std::size_t m, std::size_t n, std::size_t k, Real alpha, const Real* a, std::size_t a_row,
                  std::size_t a_step, const Real* b, std::size_t b_stride, bool add, Real* c,
                  std::size_t c_stride) {
  const Tile t{k, alpha, a_row, a_step, b_stride, add, c_stride};
  std::size_t j = 0;
  for (; j + most_vectors * width <= n; j += most_vectors * width)
    columns<most_vectors>(m, t, a, b + j, c + j);
  for (; j < n; j += width) columns<1>(m, t, a, b + j, c + j);
}

}  // namespace

void set_tile_product(Kernels& table) { table.tile_product = tile_product; }

}  // namespace FOVEA_LEVEL
}  // namespace fovea::inline FOVEA_REAL
