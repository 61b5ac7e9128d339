#include "examples/cities/places.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace fovea::inline FOVEA_REAL::cities {
namespace {

constexpr double earth_radius = 6371.0088;  // km, mean

double squared_chord(const Point& a, const Point& b) {
  double total = 0;
  for (std::size_t i = 0; i < 3; ++i) total += (a[i] - b[i]) * (a[i] - b[i]);
  return total;
}

}  // namespace

double radians(double degrees) { return degrees * std::numbers::pi / 180; }

Point on_sphere(const Coordinates& at) {
  const double latitude = radians(at.latitude), longitude = radians(at.longitude);
  return {std::cos(latitude) * std::cos(longitude), std::cos(latitude) * std::sin(longitude),
          std::sin(latitude)};
}

double kilometres(const Point& a, const Point& b) {
  return 2 * earth_radius * std::asin(std::min(1.0, std::sqrt(squared_chord(a, b)) / 2));
}

Places::Places(const Catalogue& cities) {
  for (std::size_t i = 0; i < cities.size(); ++i) {
    points_.push_back(cities[i].at ? std::optional(on_sphere(*cities[i].at)) : std::nullopt);
    if (cities[i].at) from_south_.push_back(i);
  }
  std::stable_sort(from_south_.begin(), from_south_.end(),
                   [&](std::size_t a, std::size_t b) { return (*points_[a])[2] < (*points_[b])[2]; });
}

std::vector<std::size_t> Places::nearest(const Point& at, std::size_t count, std::size_t except) const {
  std::vector<std::pair<double, std::size_t>> heap;  // the nearest so far, the farthest of them on top
  const auto offer = [&](std::size_t city) {
    if (city == except) return;
    const std::pair candidate(squared_chord(*points_[city], at), city);
    if (heap.size() == count && !(candidate < heap.front())) return;
    if (heap.size() == count) {
      std::pop_heap(heap.begin(), heap.end());
      heap.pop_back();
    }
    heap.push_back(candidate);
    std::push_heap(heap.begin(), heap.end());
  };
  // From the point's own parallel outwards. The step in z alone is a lower bound of the chord.
  const auto within = [&](std::size_t city) {
    const double dz = (*points_[city])[2] - at[2];
    return heap.size() < count || dz * dz <= heap.front().first;
  };
  auto north = std::lower_bound(from_south_.begin(), from_south_.end(), at[2],
                                [&](std::size_t city, double z) { return (*points_[city])[2] < z; });
  auto south = north;
  bool more = count > 0;
  while (more) {
    more = false;
    if (north != from_south_.end() && within(*north)) {
      offer(*north++);
      more = true;
    }
    if (south != from_south_.begin() && within(*std::prev(south))) {
      offer(*--south);
      more = true;
    }
  }
  std::sort_heap(heap.begin(), heap.end());
  std::vector<std::size_t> result;
  for (const auto& [distance, city] : heap) result.push_back(city);
  return result;
}

}  // namespace fovea::inline FOVEA_REAL::cities
