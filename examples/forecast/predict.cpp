#include <cmath>

#include "examples/forecast/looks.hpp"
#include "examples/forecast/task.hpp"

namespace fovea::inline FOVEA_REAL::forecast {
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
  check<ConfigError>(
      !config_.explain || config_.weighs_moments(), "--explain", "the model ", config_.model,
      " with these settings has no weights of moments to tell of: linear and random_features heads "
      "have none, and those of a --rank are of slots");

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
