#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "report/svg_parts.hpp"

// Degrees as a plain map has them: longitude to the right, latitude up, cut to what matters (likewise
// placeMap of page/pictures.js).

namespace fovea::report {
namespace {

using Anchor = Drawing::Anchor;

struct Range {
  double low = 0, high = 0;
  double size() const { return high - low; }
  bool holds(double value) const { return value >= low && value <= high; }
};

// Covers these values and is at least so large, within limits.
Range range_of(const std::vector<double>& values, double least, double from, double to) {
  const auto [low, high] = std::minmax_element(values.begin(), values.end());
  const double size = std::min(to - from, std::max(least, 1.3 * (*high - *low)));
  const double start = std::clamp((*low + *high - size) / 2, from, to - size);
  return {start, start + size};
}

std::string degrees(double value, const char* plus, const char* minus) {
  return fmt::format("{:.0f}°{}", std::abs(value), value > 0 ? plus : value < 0 ? minus : "");
}

}  // namespace

double draw_map(Drawing& to, const Ranking& ranking, double x, double y, double width) {
  constexpr double side = 40, margin = 16, foot = 20;  // circles at the edge are within the margin
  std::vector<const Ranking::Entry*> found;
  std::vector<double> latitudes, longitudes;
  const auto cover = [&](const Place& at) {
    latitudes.push_back(at.latitude);
    longitudes.push_back(at.longitude);
  };
  for (const Ranking::Entry& entry : ranking.entries) {
    if (entry.at.empty()) continue;
    found.push_back(&entry);
    cover(entry.at.front());
  }
  if (!ranking.asked.empty()) cover(ranking.asked.front());
  if (latitudes.empty()) return 0;
  Range across = range_of(longitudes, 50, -180, 180), up = range_of(latitudes, 22, -90, 90);
  if (across.size() < 2 * up.size()) across = range_of({across.low, across.high}, 2 * up.size(), -180, 180);
  if (up.size() < across.size() / 2.2) up = range_of({up.low, up.high}, across.size() / 2.2, -90, 90);
  const Scale east{across.low, across.high, x + side + margin, x + width - margin};
  const double scale = (east.to - east.from) / across.size(), high = up.size() * scale;
  const Scale north{up.low, up.high, y + margin + high, y + margin};

  double step = 60;
  for (const double size : {30., 15., 10., 5., 2., 1.})
    if (across.size() / size <= 7) step = size;
  for (double at = std::ceil(across.low / step) * step; at <= across.high; at += step) {
    to.line(east(at), north.from, east(at), north.to, "rule");
    to.text(east(at), north.from + margin + 12, "s", degrees(at, "E", "W"), Anchor::middle);
  }
  for (double at = std::ceil(up.low / step) * step; at <= up.high; at += step) {
    to.line(east.from, north(at), east.to, north(at), "rule");
    to.text(x + side - 5, north(at) + 4, "s", degrees(at, "N", "S"), Anchor::end);
  }
  std::string dots;
  for (const Place& at : ranking.backdrop)
    if (across.holds(at.longitude) && up.holds(at.latitude))
      dots += fmt::format("M{:.1f} {:.1f}h0", east(at.longitude), north(at.latitude));
  if (!dots.empty()) to.path(dots, "dots");

  double most = 1e-9;
  for (const Ranking::Entry* entry : found) most = std::max(most, entry->weight);
  for (auto entry = found.rbegin(); entry != found.rend(); ++entry) {
    const Place& at = (*entry)->at.front();
    to.circle(east(at.longitude), north(at.latitude),
              4 + 10 * std::sqrt(std::max(0.0, (*entry)->weight) / most),
              (*entry)->is_right ? "right soft" : "bar soft");
  }
  if (!ranking.asked.empty()) {
    const Place& at = ranking.asked.front();
    to.path(fmt::format("M{:.1f} {:.1f}h14m-7 -7v14", east(at.longitude) - 7, north(at.latitude)), "asked");
  }
  // The right one and the best get their names, as far as these do not cover each other.
  constexpr std::size_t named = 4;
  constexpr double size = 13, away = 16, longest_name = 200;
  std::stable_sort(found.begin(), found.end(),
                   [](const auto* a, const auto* b) { return a->is_right > b->is_right; });
  struct Taken {
    double from, to, below;
  };
  std::vector<Taken> taken;
  for (const Ranking::Entry* entry : found) {
    const double at = east(entry->at.front().longitude), below = north(entry->at.front().latitude) + 4;
    const double room_right = x + width - at - away, room_left = at - x - away;
    const std::string name =
        fitted(entry->name, std::min(longest_name, std::max(room_right, room_left)), size);
    const double wide = width_of(name, size);
    const bool is_right = room_right >= wide || room_right > room_left;
    const double from = is_right ? at + away : at - away - wide;
    const bool is_covered = std::any_of(taken.begin(), taken.end(), [&](const Taken& other) {
      return from < other.to && other.from < from + wide && std::abs(below - other.below) < 16;
    });
    if (taken.size() == named || is_covered) continue;
    taken.push_back({from, from + wide, below});
    to.text(is_right ? from : from + wide, below, "n on", name, is_right ? Anchor::start : Anchor::end);
  }
  return high + 2 * margin + foot;
}

}  // namespace fovea::report
