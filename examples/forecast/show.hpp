#pragma once

#include "examples/forecast/series.hpp"

namespace fovea::inline FOVEA_REAL::forecast {

/// One row that was forecast.
struct ShownRow {
  Moment origin, moment;            // the newest row that was known, and the one that is forecast
  std::vector<double> forecasts;    // [targets, outputs], in the targets' units; quantiles from low to high
  std::vector<double> actual = {};  // [targets], of a backtest; NaN where the table lacks it
  std::vector<std::pair<Moment, double>> looked_at = {};  // moments of the history and their weights
};

struct Shown {
  std::vector<std::string> targets;
  std::size_t outputs = 1;  // 1, or 3: the quantiles 0.1, 0.5 and 0.9
  bool with_times = false;  // beside dates
  std::vector<ShownRow> rows;
};

/// Of all weights the three that CSV has room for.
void keep_largest(std::vector<std::pair<Moment, double>>& looks);

/// CSV for spreadsheets with a header: `time`, each target, its quantiles as `NAME_q10` and `NAME_q90`; of a
/// backtest `origin` in front and `NAME_actual` behind; `looked_at`, where there are weights. Or one JSON
/// object for each row, with its weights.
std::string show(const Shown& shown, bool json);

}  // namespace fovea::inline FOVEA_REAL::forecast
