#pragma once

#include <algorithm>
#include <span>
#include <vector>

#include "core/ids.hpp"

namespace fovea {

/// A range of numbers: lowest … highest, both included.
struct Range {
  std::int64_t lowest, highest;
};

/// Ids [items, n], and the range that those of any stretch of a row lie in: found from the ranges of blocks,
/// which are known, so for a tile it takes a few steps.
class RowsOfIds {
 public:
  explicit RowsOfIds(Ids ids);

  std::size_t items() const { return ids_.shape[0]; }
  std::size_t length() const { return ids_.shape[1]; }
  const Ids& ids() const { return ids_; }
  std::span<const std::int64_t> row(std::size_t item) const {
    return {ids_.values.data() + item * length(), length()};
  }
  /// Of ids begin … end-1 of an item's row, at least one.
  Range range(std::size_t item, std::size_t begin, std::size_t end) const;

 private:
  // Tiles begin at multiples of it.
  static constexpr std::size_t block = 32;

  Ids ids_;
  std::size_t blocks_;         // of a row
  std::vector<Range> ranges_;  // [items, blocks]
};

}  // namespace fovea
