#include "examples/forecast/measures.hpp"

#include <cmath>
#include <limits>

namespace fovea::inline FOVEA_REAL::forecast {
namespace {

double normalised(const Yardstick& by, std::size_t row, std::size_t target) {
  return by.normaliser.normalised(by.series.at(row, target), target);
}

// The mean distance, in the rows to learn from, of a value to that a season before; of neighbours where there
// is no season in them.
double naive_error(const Yardstick& by, std::size_t target) {
  const std::size_t season = by.scale_season();
  double sum = 0;
  for (std::size_t row = season; row < by.train_end; ++row)
    sum += std::abs(normalised(by, row, target) - normalised(by, row - season, target));
  return sum / static_cast<double>(by.train_end - season);
}

}  // namespace

Measures measure(const Yardstick& by, std::span<const std::size_t> origins, std::size_t horizon,
                 const PointForecast& forecast) {
  const std::size_t targets = by.series.targets;
  const double share = static_cast<double>(targets);
  Measures result;
  for (std::size_t c = 0; c < targets; ++c) {
    double squares = 0, distances = 0, count = 0;
    for (std::size_t i = 0; i < origins.size(); ++i) {
      for (std::size_t h = 0; h < horizon; ++h) {
        if (by.series.is_made_up(origins[i] + h, c)) continue;
        const double error = forecast(i, origins[i], h, c) - normalised(by, origins[i] + h, c);
        squares += error * error;
        distances += std::abs(error);
        ++count;
      }
    }
    const double scale = naive_error(by, c);
    result.mse += squares / count / share;
    result.mae += distances / count / share;
    result.mase += scale > 0 ? distances / count / scale / share : std::numeric_limits<double>::quiet_NaN();
    result.mae_of.push_back(distances / count * by.normaliser.deviation[c]);
  }
  return result;
}

std::vector<Baseline> baselines(const Yardstick& by, std::size_t history) {
  const auto last = [by](std::size_t, std::size_t origin, std::size_t, std::size_t target) {
    return normalised(by, origin - 1, target);
  };
  const auto seasonal = [by, last](std::size_t window, std::size_t origin, std::size_t step,
                                   std::size_t target) {
    const std::size_t back = (step / by.season + 1) * by.season;  // whole seasons, to before the origin
    return back <= origin + step ? normalised(by, origin + step - back, target)
                                 : last(window, origin, step, target);
  };
  const auto drift = [by, history](std::size_t, std::size_t origin, std::size_t step, std::size_t target) {
    const double first = normalised(by, origin - history, target), end = normalised(by, origin - 1, target);
    const double slope = history > 1 ? (end - first) / static_cast<double>(history - 1) : 0;
    return end + slope * static_cast<double>(step + 1);
  };
  return {{"last value", last}, {"seasonal naive", seasonal}, {"drift", drift}};
}

}  // namespace fovea::inline FOVEA_REAL::forecast
