#pragma once

#include "autograd/ops.hpp"
#include "core/random.hpp"
#include "modules/fields.hpp"

namespace fovea::inline FOVEA_REAL {

// Where an element stands in a sequence, as a vector to be added to it: x [B, T, D] + positions [T, D].

/// sin and cos of t / 10000^(2i/D) in columns 2i and 2i + 1, for t = first … first + count - 1 (Vaswani et
/// al., 2017) → [count, width].
Variable sinusoidal_positions(std::size_t count, std::size_t width, std::size_t first = 0);

/// A learned vector for each of `most` positions; starts normal with deviation 0.02.
struct LearnedPositions {
  Param table;  // [most, width]
  FIELDS(table)

  LearnedPositions() = default;
  LearnedPositions(std::size_t most, std::size_t width, Rng& rng);

  /// Rows first … first + count - 1. Throws ShapeError when they reach past `most`.
  Variable operator()(std::size_t count, std::size_t first = 0) const;
};

}  // namespace fovea::inline FOVEA_REAL
