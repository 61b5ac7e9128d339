#include "modules/positions.hpp"

#include <cmath>

#include "core/draw.hpp"

namespace fovea::inline FOVEA_REAL {

Variable sinusoidal_positions(std::size_t count, std::size_t width, std::size_t first) {
  Tensor table = uninitialized({count, width});
  for (std::size_t t = 0; t < count; ++t) {
    for (std::size_t d = 0; d < width; ++d) {
      const double rate = std::pow(10000.0, -static_cast<double>(d / 2 * 2) / static_cast<double>(width));
      const double angle = static_cast<double>(first + t) * rate;
      table.data()[t * width + d] = static_cast<Real>(d % 2 == 0 ? std::sin(angle) : std::cos(angle));
    }
  }
  return table;
}

LearnedPositions::LearnedPositions(std::size_t most, std::size_t width, Rng& rng)
    : table(normal(rng, {most, width}, 0, Real(0.02))) {}

Variable LearnedPositions::operator()(std::size_t count, std::size_t first) const {
  const std::size_t most = table.shape()[0];
  check(count <= most && first <= most - count, "positions", count, " positions from ", first,
        " on were asked for, but only ", most, " were learned");
  return slice(table, 0, first, first + count);
}

}  // namespace fovea::inline FOVEA_REAL
