// Sums of a table's rows, and the adjoints that scatter back into it.

#include <algorithm>
#include <vector>

#include "core/kernels/choose.hpp"
#include "core/move.hpp"
#include "core/parallel.hpp"

namespace fovea::inline FOVEA_REAL::numbers {
namespace {

constexpr std::size_t range = 16384;

/// Calls `body(first column, count)` so that each thread owns columns: then rows can be added in order,
/// though ids repeat, and the bits do not depend on the number of threads.
template <class Body>
void each_column_block(std::size_t rows, std::size_t width, const Body& body) {
  constexpr std::size_t narrow = 32;  // fewer columns than this waste the cache lines that they touch
  const std::size_t grain = rows * width <= range ? width : std::max(narrow, rows_per_range(rows, range));
  parallel_for(width, std::max<std::size_t>(grain, 1),
               [&](std::size_t begin, std::size_t end) { body(begin, end - begin); });
}

Tensor bags(const Tensor& table, std::span<const std::size_t> ids, std::span<const std::size_t> offsets,
            bool mean) {
  const std::size_t width = table.shape()[1], count = offsets.size() - 1;
  Tensor out = uninitialized({count, width});
  const Real* from = table.data();
  Real* to = out.data();
  const std::size_t grain = std::max<std::size_t>(1, rows_per_range(width, range) * count / (ids.size() + 1));
  parallel_for(count, grain, [&](std::size_t begin, std::size_t end) {
    std::vector<double> total(width);
    for (std::size_t b = begin; b < end; ++b) {
      std::fill(total.begin(), total.end(), 0.0);
      for (std::size_t i = offsets[b]; i < offsets[b + 1]; ++i) {
        kernels().add_columns(1, width, from + ids[i] * width, 0, total.data());
      }
      const std::size_t size = offsets[b + 1] - offsets[b];
      const double divisor = mean && size ? static_cast<double>(size) : 1.0;
      for (std::size_t j = 0; j < width; ++j) to[b * width + j] = static_cast<Real>(total[j] / divisor);
    }
  });
  return out;
}

void scatter_bags(Tensor& into, std::span<const std::size_t> ids, std::span<const std::size_t> offsets,
                  const Tensor& bags, bool mean) {
  const std::size_t width = into.shape()[1];
  const Real* from = bags.data();
  Real* to = into.data();
  each_column_block(ids.size(), width, [&](std::size_t column, std::size_t count) {
    for (std::size_t b = 0; b + 1 < offsets.size(); ++b) {
      const std::size_t size = offsets[b + 1] - offsets[b];
      const Real factor = mean && size ? Real(1) / static_cast<Real>(size) : Real(1);
      for (std::size_t i = offsets[b]; i < offsets[b + 1]; ++i) {
        kernels().add_scaled(count, factor, from + b * width + column, to + ids[i] * width + column);
      }
    }
  });
}

}  // namespace

void scatter_add_rows(Tensor& into, std::span<const std::size_t> ids, const Tensor& rows) {
  const std::size_t width = into.shape()[1];
  const Real* from = rows.data();
  Real* to = into.data();
  each_column_block(ids.size(), width, [&](std::size_t column, std::size_t count) {
    for (std::size_t i = 0; i < ids.size(); ++i) {
      kernels().add_into(count, from + i * width + column, to + ids[i] * width + column);
    }
  });
}

Tensor bag_sum(const Tensor& table, std::span<const std::size_t> ids, std::span<const std::size_t> offsets) {
  return bags(table, ids, offsets, false);
}
Tensor bag_mean(const Tensor& table, std::span<const std::size_t> ids, std::span<const std::size_t> offsets) {
  return bags(table, ids, offsets, true);
}
void scatter_bag_sum(Tensor& into, std::span<const std::size_t> ids, std::span<const std::size_t> offsets,
                     const Tensor& bags) {
  scatter_bags(into, ids, offsets, bags, false);
}
void scatter_bag_mean(Tensor& into, std::span<const std::size_t> ids, std::span<const std::size_t> offsets,
                      const Tensor& bags) {
  scatter_bags(into, ids, offsets, bags, true);
}

}  // namespace fovea::inline FOVEA_REAL::numbers
