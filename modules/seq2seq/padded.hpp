#pragma once

#include <cstddef>
#include <vector>

#include "core/ids.hpp"

namespace fovea {

/// Sequences of different lengths, side by side: what lies beyond an item's length is padding and has no
/// influence.
struct Padded {
  Ids ids;                           // [B, T]
  std::vector<std::size_t> lengths;  // of each item

  std::size_t items() const { return lengths.size(); }
  std::size_t tokens() const {
    std::size_t sum = 0;
    for (const std::size_t length : lengths) sum += length;
    return sum;
  }
};

}  // namespace fovea
