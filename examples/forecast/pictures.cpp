#include <cmath>

#include <fmt/format.h>

#include "examples/chosen.hpp"
#include "examples/forecast/looks.hpp"
#include "examples/forecast/task.hpp"
#include "training/text.hpp"

// The pictures of a forecast: a window with what was expected, what came, and the moments that were looked
// at.

namespace fovea::inline FOVEA_REAL::forecast {
namespace {

constexpr std::size_t targets_shown = 6;  // of a window that is named, or of the next one

double seconds_of(Moment moment) { return static_cast<double>(moment.time_since_epoch().count()); }

// The row at which a forecast that is asked for begins: one of the table, or the one after its end.
std::size_t row_of(const Series& series, const std::string& text, std::size_t history) {
  const std::optional<Moment> moment = parse_moment(text);
  check<ConfigError>(moment.has_value(), "--item", "\"", text, "\" is no time like ",
                     to_string(series.moment(history), series.has_times()));
  const auto steps = steps_between(series.start, *moment, series.step);
  const bool is_inside = steps && *steps >= static_cast<std::int64_t>(history) &&
                         *steps <= static_cast<std::int64_t>(series.rows);
  check<ConfigError>(
      is_inside, "--item", text, " is no row at which a forecast can begin: expected one from ",
      to_string(series.moment(history), series.has_times()), " to ",
      to_string(series.moment(series.rows), series.has_times()), ", each ", series.step.text());
  return static_cast<std::size_t>(*steps);
}

}  // namespace

report::Picture ForecastTask::picture(const std::string& group, const Series& series, std::size_t origin,
                                      std::size_t target) const {
  Observations seen({.weights = true});
  const Tensor found = answers(series, std::span(&origin, 1), config_.weighs_moments() ? &seen : nullptr);
  const std::size_t outputs = found.shape()[3], horizon = config_.horizon, history = config_.history;
  report::Forecast shown;
  shown.value = columns_[target];
  for (std::size_t row = origin - history; row < origin + horizon; ++row) {
    const bool is_known = row < series.rows && !series.is_made_up(row, target);
    shown.times.push_back(seconds_of(series.moment(row)));
    shown.truth.push_back(is_known ? series.at(row, target) : std::nan(""));
  }
  double error = 0;
  for (std::size_t h = 0; h < horizon; ++h) {
    const auto output = [&](std::size_t i) {
      return normaliser_.restored(static_cast<double>(found.data()[(h * targets_ + target) * outputs + i]),
                                  target);
    };
    shown.forecast.push_back(output(outputs / 2));
    if (outputs > 1) {
      shown.low.push_back(output(0));
      shown.high.push_back(output(outputs - 1));
    }
    error += std::abs(shown.forecast.back() - shown.truth[history + h]) / static_cast<double>(horizon);
    const std::size_t patch = config_.model == "transformer" ? config_.patch : 0;
    if (config_.weighs_moments()) shown.weights.push_back(weights_of(seen.all().back(), h, history, patch));
  }
  const auto text_of = [&](std::size_t row) { return to_string(series.moment(row), series.has_times()); };
  const std::string until = horizon > 1 ? " to " + text_of(origin + horizon - 1) : "";
  return {group,
          join(columns_[target], ", ", text_of(origin), until),
          "",
          "",
          std::isfinite(error) ? join("off by ", brief(error, 3), horizon > 1 ? " on average" : "") : "",
          std::move(shown)};
}

std::vector<report::Picture> ForecastTask::pictures(const report::Wanted& wanted) const {
  // A task that was loaded to answer has read none.
  const Series series = series_.rows > 0 ? series_ : read_series(config_.file(), config_.format());
  check_like_training(series);
  std::vector<report::Picture> pictures;
  const auto add_all_targets = [&](const std::string& group, std::size_t origin) {
    for (std::size_t c = 0; c < std::min<std::size_t>(targets_, targets_shown); ++c)
      pictures.push_back(picture(group, series, origin, c));
  };
  for (const std::string& item : wanted.items)
    add_all_targets("asked for", row_of(series, item, config_.history));
  if (!wanted.items.empty()) return pictures;
  // Horizons that do not overlap, each target by itself, in deviations so that targets can be compared.
  std::vector<std::size_t> origins;
  const std::vector<std::size_t> all = origins_of(Split::test);
  for (std::size_t i = 0; i < all.size(); i += config_.horizon) origins.push_back(all[i]);
  const std::size_t forecasts = origins.size() * targets_;
  const auto errors_of = [&](std::span<const std::size_t>) {  // all of them are tried
    const Tensor found = answers(series, origins),
                 came = truth(series, normaliser_, origins, config_.horizon);
    const std::size_t outputs = found.shape()[3];
    std::vector<double> errors(forecasts, 0);
    for (std::size_t i = 0; i < came.size(); ++i) {
      const std::size_t window = i / (config_.horizon * targets_), step = i / targets_ % config_.horizon;
      if (series.is_made_up(origins[window] + step, i % targets_)) continue;
      errors[window * targets_ + i % targets_] += std::abs(
          static_cast<double>(found.data()[i * outputs + outputs / 2]) - static_cast<double>(came.data()[i]));
    }
    return errors;
  };
  for (const Chosen& one : choose(forecasts, forecasts, wanted, errors_of))
    pictures.push_back(picture(one.group, series, origins[one.item / targets_], one.item % targets_));
  if (wanted.typical > 0) add_all_targets("next", series.rows);
  return pictures;
}

}  // namespace fovea::inline FOVEA_REAL::forecast
