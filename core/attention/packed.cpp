#include "core/attention/packed.hpp"

#include <cmath>

#include "core/kernels/choose.hpp"

namespace fovea::inline FOVEA_REAL::streaming {

PackedRows::PackedRows(const Real* data, std::size_t count, std::size_t width, std::size_t step)
    : data_(data), step_(step), finite_(parts_of(count, key_tile)) {
  if (width % tile_lanes != 0 || step != width) {
    step_ = padded(width);
    copy_.resize(count * step_);
    data_ = copy_.data();
    for (std::size_t t = 0; t < count; ++t) pack_row(data + t * step, width, copy_.data() + t * step_, step_);
  }
  for (std::size_t tile = 0; tile < finite_.size(); ++tile) {
    const Span rows = keys_of(tile, count);
    finite_[tile] = kernels().finite((rows.end - rows.begin) * step_, row(rows.begin));
  }
}

Buffer turned(const Real* data, std::size_t count, std::size_t width, std::size_t step) {
  const std::size_t tiles = parts_of(count, key_tile), columns = tile_columns(count);
  Buffer result(tiles * width * columns);
  for (std::size_t tile = 0; tile < tiles; ++tile) {
    const Span keys = keys_of(tile, count);
    Real* to = result.data() + tile * width * columns;
    kernels().transpose(keys.end - keys.begin, width, data + keys.begin * step, step, to, columns);
    if (keys.end - keys.begin == columns) continue;
    for (std::size_t d = 0; d < width; ++d) {
      std::fill(to + d * columns + (keys.end - keys.begin), to + (d + 1) * columns, Real(0));
    }
  }
  return result;
}

void add_selected(std::size_t m, std::size_t n, std::size_t k, const Real* a, std::size_t a_row,
                  std::size_t a_step, const Real* b, std::size_t b_stride, Real* c, std::size_t c_stride) {
  Buffer clean(k * n);
  for (std::size_t p = 0; p < k; ++p) {
    for (std::size_t j = 0; j < n; ++j) {
      const Real x = b[p * b_stride + j];
      clean[p * n + j] = std::isfinite(x) ? x : Real(0);
    }
  }
  kernels().tile_product(m, n, k, 1, a, a_row, a_step, clean.data(), n, true, c, c_stride);
  for (std::size_t p = 0; p < k; ++p) {
    for (std::size_t j = 0; j < n; ++j) {
      const Real x = b[p * b_stride + j];
      if (std::isfinite(x)) continue;
      for (std::size_t i = 0; i < m; ++i) {
        const Real factor = a[i * a_row + p * a_step];
        if (factor != 0) c[i * c_stride + j] += factor * x;
      }
    }
  }
}

}  // namespace fovea::inline FOVEA_REAL::streaming
