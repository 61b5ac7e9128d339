#pragma once

#include <cmath>

#include "examples/forecast/task.hpp"

namespace fovea::inline FOVEA_REAL::forecast {

/// Hours of a day's wave, beside an input that runs two hours before it.
inline Series small_series(std::size_t rows = 200) {
  Series series{"time", {"wave", "before"}, 1, Moment{}, {3600, 0}, rows, {}};
  for (std::size_t row = 0; row < rows; ++row)
    for (const double ahead : {0.0, 2.0})
      series.values.push_back(20 + 5 * std::sin((static_cast<double>(row) + ahead) * 2 * M_PI / 24) +
                              0.5 * std::sin(static_cast<double>(row * row)));
  return series;
}

inline ForecastConfig small_config(const std::string& model) {
  ForecastConfig config;
  config.data = "none";  // not a bundled one
  config.model = model;
  config.history = 24;
  config.horizon = 3;
  config.width = 8;
  config.heads = 2;
  config.patch = 4;
  config.dropout = 0;
  config.validation_rows = config.test_rows = 40;
  return config;
}

inline const std::vector<std::string> models{"linear", "lstm", "lstm-attention", "transformer"};

}  // namespace fovea::inline FOVEA_REAL::forecast
