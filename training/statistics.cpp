#include "training/statistics.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include <fmt/format.h>

#include "training/text.hpp"

namespace fovea {

double mean(std::span<const double> values) {
  if (values.empty()) return std::numeric_limits<double>::quiet_NaN();
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

double median(std::vector<double> values) {
  if (values.empty()) return std::numeric_limits<double>::quiet_NaN();
  std::sort(values.begin(), values.end());
  const std::size_t half = values.size() / 2;
  return values.size() % 2 ? values[half] : (values[half - 1] + values[half]) / 2;
}

double deviation(std::span<const double> values) {
  if (values.size() < 2) return 0;
  const double centre = mean(values);
  double squares = 0;
  for (const double value : values) squares += (value - centre) * (value - centre);
  return std::sqrt(squares / static_cast<double>(values.size() - 1));
}

std::string mean_and_deviation(std::span<const double> values) {
  if (values.empty()) return "–";
  if (values.size() == 1) return brief(values[0]);
  const double spread = deviation(values);
  if (!(spread > 0) || !std::isfinite(spread)) return brief(mean(values)) + " ± " + brief(spread);
  // Two digits of the deviation, and as many places of the mean.
  const int places = std::max(0, 1 - static_cast<int>(std::floor(std::log10(spread))));
  return fmt::format("{0:.{2}f} ± {1:.{2}f}", mean(values), spread, places);
}

}  // namespace fovea
