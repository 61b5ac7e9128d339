#pragma once

#include <array>
#include <functional>

#include "examples/forecast/windows.hpp"

namespace fovea::inline FOVEA_REAL::forecast {

/// The quantiles that a model may forecast, of which the middle one is its forecast.
inline constexpr std::array<double, 3> quantiles{0.1, 0.5, 0.9};

/// How far forecasts are from what came. Errors are averaged over windows, rows of the horizon and targets;
/// values that the table lacked are left out, as nobody knows them.
struct Measures {
  double mse = 0, mae = 0;          // in deviations of the training rows
  double mase = 0;                  // Σ |error| by that of the seasonal naive forecast in the training rows
                                    // (Hyndman, Koehler, 2006): mean over targets; NaN
                                    // where the series repeats itself
  std::vector<double> mae_of = {};  // of each target, in its own unit
};

/// The forecast, in deviations, of row `step` after the origin (0: of the origin itself) for a target. Number
/// `window` is the place of the origin among those that are measured.
using PointForecast =
    std::function<double(std::size_t window, std::size_t origin, std::size_t step, std::size_t target)>;

/// What measures depend on beside the forecast.
struct Yardstick {
  const Series& series;
  const Normaliser& normaliser;
  std::size_t train_end;  // rows to learn from
  std::size_t season;     // rows
  /// Neighbours where the rows to learn from hold no season.
  std::size_t scale_season() const { return season < train_end ? season : 1; }
};

Measures measure(const Yardstick& by, std::span<const std::size_t> origins, std::size_t horizon,
                 const PointForecast& forecast);

/// What forecasts nothing but what lies at hand.
struct Baseline {
  const char* name;
  PointForecast forecast;
};
/// The last value; the value a season ago; and the line through the last value and the one `history` rows
/// before the origin.
std::vector<Baseline> baselines(const Yardstick& by, std::size_t history);

}  // namespace fovea::inline FOVEA_REAL::forecast
