#pragma once

#include "core/parallel.hpp"
#include "core/tensor.hpp"

namespace fovea::inline FOVEA_REAL {

/// A tensor seen as rows along its last axis. A scalar is one row of one element.
struct Rows {
  std::size_t count, length;

  explicit Rows(const Shape& shape)
      : count(shape.empty() ? 1 : volume(Shape(shape.begin(), shape.end() - 1))),
        length(shape.empty() ? 1 : shape.back()) {}

  /// Calls `body(first row, rows, first element)` for ranges of rows on the threads at hand.
  template <class Body>
  void for_ranges(const Body& body) const {
    parallel_for(count, rows_per_range(length),
                 [&](std::size_t begin, std::size_t end) { body(begin, end - begin, begin * length); });
  }
};

}  // namespace fovea::inline FOVEA_REAL
