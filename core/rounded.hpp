#pragma once

#include <algorithm>
#include <concepts>
#include <cstdint>

#include "core/blas.hpp"
#include "core/kernels/choose.hpp"
#include "core/parallel.hpp"
#include "core/tensor.hpp"

namespace fovea::inline FOVEA_REAL {

/// The matrices of one side of a batched product with their elements rounded to bf16 (kernels.hpp), one
/// behind the other and without gaps. `To` is Real, or std::uint16_t for the bits of a bf16. Each element is
/// rounded once, however many blocks of the product read it.
template <class To>
class Rounded {
 public:
  /// Of `batch` items, `step` elements apart; `rows` × `columns` as stored. A step of 0 is one matrix for
  /// all.
  Rounded(std::size_t batch, const Operand& x, std::size_t step, std::size_t rows, std::size_t columns)
      : columns_(columns),
        step_(step == 0 ? 0 : rows * columns),
        transposed_(x.transposed),
        values_((step == 0 ? 1 : batch) * rows * columns) {
    const std::size_t all = columns == 0 ? 0 : values_.size() / columns;
    parallel_for(all, rows_per_range(columns), [&](std::size_t begin, std::size_t end) {
      while (begin < end) {
        const std::size_t item = begin / rows, row = begin % rows;
        // Rows without gaps are one long one.
        const std::size_t count = x.stride == columns ? std::min(end - begin, rows - row) : 1;
        round(count * columns, x.data + item * step + row * x.stride, values_.data() + begin * columns);
        begin += count;
      }
    });
  }

  const To* data() const { return values_.data(); }
  std::size_t stride() const { return columns_; }
  std::size_t step() const { return step_; }
  bool transposed() const { return transposed_; }
  Operand operand() const requires std::same_as<To, Real> { return {data(), columns_, transposed_}; }

 private:
  static void round(std::size_t n, const Real* x, Real* y) { kernels().round_to_bf16(n, x, y); }
  static void round(std::size_t n, const Real* x, std::uint16_t* y) { kernels().to_bf16(n, x, y); }

  std::size_t columns_, step_;
  bool transposed_;
  xt::uvector<To, AlignedAllocator<To>> values_;  // not set before they are written
};

}  // namespace fovea::inline FOVEA_REAL
