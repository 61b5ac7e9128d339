#pragma once

#include "core/attention/division.hpp"
#include "core/tensor.hpp"

namespace fovea::inline FOVEA_REAL::streaming {

/// Memory for a task, from the pool.
using Buffer = xt::uvector<Real, AlignedAllocator<Real>>;

/// Copies a row and fills it up with zeros to `step` elements.
inline void pack_row(const Real* x, std::size_t width, Real* row, std::size_t step) {
  std::fill(std::copy_n(x, width, row), row + step, Real(0));
}

/// Rows with whole cache lines that follow each other, zeros behind each row's end: the caller's own memory
/// where it is so already. (Rows far apart fall into few sets of the cache.)
class PackedRows {
 public:
  PackedRows() = default;
  PackedRows(PackedRows&&) = default;
  PackedRows& operator=(PackedRows&&) = default;
  /// `count` rows of `width` elements, `step` apart.
  PackedRows(const Real* data, std::size_t count, std::size_t width, std::size_t step);

  const Real* row(std::size_t t) const { return data_ + t * step_; }
  std::size_t step() const { return step_; }
  /// Whether all elements of a tile of rows are finite.
  bool finite(std::size_t tile) const { return finite_[tile] != 0; }

 private:
  const Real* data_ = nullptr;
  std::size_t step_ = 0;
  Buffer copy_;
  std::vector<unsigned char> finite_;  // one for each tile of key_tile rows
};

/// The same rows with their axes turned, tile after tile: [tiles, width, columns], zeros behind the last
/// row.
Buffer turned(const Real* data, std::size_t count, std::size_t width, std::size_t step);

/// C[m, n] += A B with the bits of tile_product, but a 0 of A leaves out what it meets in B, also NaN. For a
/// B that is not all finite.
void add_selected(std::size_t m, std::size_t n, std::size_t k, const Real* a, std::size_t a_row,
                  std::size_t a_step, const Real* b, std::size_t b_stride, Real* c, std::size_t c_stride);

}  // namespace fovea::inline FOVEA_REAL::streaming
