#pragma once

#include <optional>

#include "core/attention/mask.hpp"

namespace fovea {

/// Where a sequence looks within itself: what the parts below allow together; the default looks everywhere.
/// Positions that no part allows are left out, tile by tile, so a narrow window takes time and memory that
/// grow with the length alone. For a stride positions of long sequences are sorted by their place in it.
struct Pattern {
  std::size_t window = 0;  ///< so many positions in all, around a position and with it (Beltagy et al., 2020:
                           ///< local attention); of an even number the one more stands before it
  std::size_t stride = 0;  ///< each position at a distance that this divides (Child et al., 2019: strided)
  std::size_t block = 0;   ///< a position's own block of so many (Qiu et al., 2020: blockwise)
  std::size_t global = 0;  ///< so many first positions see all, and are seen by all (Zaheer et al., 2020)
  std::size_t heads = 0;   ///< the first so many heads look in this way, the others see all; 0: all heads

  bool is_full() const { return window == 0 && stride == 0 && block == 0; }
  /// How many of so many heads follow it.
  std::size_t heads_of(std::size_t all) const { return is_full() ? 0 : heads > 0 ? heads : all; }
  Mask mask() const;
  /// What the parts other than `stride` allow; nothing where there are none.
  std::optional<Mask> beside_stride() const;
};

/// ConfigError where a part has no effect: `global` or `heads` without one of the others, or more heads than
/// there are.
void check_pattern(const Pattern& pattern, std::size_t heads);

}  // namespace fovea
