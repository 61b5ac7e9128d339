#pragma once

#include <array>
#include <vector>

#include "examples/cities/catalogue.hpp"

namespace fovea::inline FOVEA_REAL::cities {

/// A point on the unit sphere: x towards (0°, 0°), z towards the north pole.
using Point = std::array<double, 3>;
Point on_sphere(const Coordinates& at);
/// Degrees as an angle.
double radians(double degrees);

/// Great-circle distance in kilometres between points on the unit sphere.
double kilometres(const Point& a, const Point& b);

/// The places of a catalogue, to find those near a point.
class Places {
 public:
  explicit Places(const Catalogue& cities);

  /// Nothing for a city whose coordinates are not known.
  const std::optional<Point>& operator[](std::size_t city) const { return points_[city]; }
  /// The `count` cities (or all there are) that are nearest to `at`, nearest first, without `except`.
  std::vector<std::size_t> nearest(const Point& at, std::size_t count, std::size_t except) const;

 private:
  std::vector<std::optional<Point>> points_;
  std::vector<std::size_t> from_south_;  // cities with coordinates, by z
};

}  // namespace fovea::inline FOVEA_REAL::cities
