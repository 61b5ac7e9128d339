#include <algorithm>
#include <cmath>

#include "examples/forecast/task.hpp"

namespace fovea::inline FOVEA_REAL::forecast {
namespace {

// The weight of each row of the history, [L], for row `step` of the horizon of the one window that was seen.
// Of a Transformer: what the last layer's heads and patches look at, each patch's weight on its rows alike.
std::vector<double> weights_of(const Observed& one, std::size_t step, std::size_t history,
                               std::size_t patch) {
  const Shape& shape = one.weights.shape();  // [B, heads, Tq, Tk]
  const std::size_t keys = shape[3], queries = shape[2], heads = shape[1], items = shape[0];
  const bool rows_are_keys = keys == history && patch == 0;
  std::vector<double> weights(history, 0);
  double count = 0;
  for (std::size_t b = 0; b < items; ++b) {
    for (std::size_t h = 0; h < heads; ++h) {
      for (std::size_t q = 0; q < queries; ++q) {
        if (rows_are_keys && q != step) continue;
        ++count;
        for (std::size_t k = 0; k < keys; ++k) {
          const double w =
              static_cast<double>(one.weights.value().data()[((b * heads + h) * queries + q) * keys + k]);
          const std::size_t first = rows_are_keys ? k : history - (keys - k) * patch;
          const std::size_t length = rows_are_keys ? 1 : std::min(2 * patch, history - first);
          for (std::size_t i = 0; i < length; ++i) weights[first + i] += w / static_cast<double>(length);
        }
      }
    }
  }
  for (double& weight : weights) weight /= count;
  return weights;
}

}  // namespace

std::string ForecastTask::predict_data(bool json) const {
  const Series series = read_series(config_.file(), config_.format());
  check_like_training(series);
  const std::size_t needed =
      config_.history + (config_.backtest ? config_.horizon + config_.backtest - 1 : 0);
  check<DataError>(
      series.rows >= needed, "predict", config_.file().string(), " has ", series.rows, " rows; --history ",
      config_.history,
      config_.backtest ? join(", --horizon ", config_.horizon, " and --backtest ", config_.backtest) : "",
      " need ", needed, " at least");
  std::vector<std::size_t> origins;
  if (config_.backtest == 0) origins = {series.rows};
  for (std::size_t i = 0; i < config_.backtest; ++i)
    origins.push_back(series.rows - config_.horizon - config_.backtest + 1 + i);
  check<ConfigError>(!config_.explain || has_attention(), "--explain", "the model ", config_.model,
                     " has no attention to tell of");

  Shown shown{{columns_.begin(), columns_.begin() + static_cast<std::ptrdiff_t>(targets_)},
              config_.has_quantiles() ? quantiles.size() : 1,
              series.has_times(),
              {}};
  for (const std::size_t origin : origins) {
    Observations seen({.weights = true});
    const Tensor found = answers(series, std::span(&origin, 1), config_.explain ? &seen : nullptr);
    const Real* value = found.data();
    for (std::size_t h = 0; h < config_.horizon; ++h) {
      ShownRow row{series.moment(origin - 1), series.moment(origin + h), {}};
      for (std::size_t c = 0; c < targets_; ++c) {
        for (std::size_t i = 0; i < shown.outputs; ++i)
          row.forecasts.push_back(normaliser_.restored(static_cast<double>(*value++), c));
        if (config_.backtest)
          row.actual.push_back(series.is_made_up(origin + h, c) ? std::nan("") : series.at(origin + h, c));
      }
      if (config_.explain) {
        const std::size_t patch = config_.model == "transformer" ? config_.patch : 0;
        const std::vector<double> weights = weights_of(seen.all().back(), h, config_.history, patch);
        for (std::size_t i = 0; i < weights.size(); ++i)
          row.looked_at.emplace_back(series.moment(origin - config_.history + i), weights[i]);
        if (!json) keep_largest(row.looked_at);
      }
      shown.rows.push_back(std::move(row));
    }
  }
  return show(shown, json);
}

}  // namespace fovea::inline FOVEA_REAL::forecast
