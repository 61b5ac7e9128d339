#include "examples/forecast/windows.hpp"

#include <algorithm>
#include <cmath>

#include "core/check.hpp"

namespace fovea::inline FOVEA_REAL::forecast {

Borders borders(std::size_t rows, const PartSizes& sizes, std::size_t history, std::size_t horizon) {
  const std::size_t validation = sizes.validation ? sizes.validation : rows / 10;
  const std::size_t test = sizes.test ? sizes.test : rows / 5;
  const std::size_t kept = validation + test;
  check<DataError>(kept < rows && (sizes.train == 0 || sizes.train <= rows - kept), "forecast",
                   "the series has ", rows, " rows; ",
                   sizes.train ? join(sizes.train, " to train with, ") : "", validation, " to choose by and ",
                   test, " to test with are too many (--train-rows, --validation-rows, --test-rows)");
  const std::size_t train = sizes.train ? sizes.train : rows - kept;
  check<DataError>(train >= history + horizon, "forecast", "there are ", train,
                   " rows to train with; --history ", history, " and --horizon ", horizon, " need ",
                   history + horizon, " at least");
  for (const auto& [name, part] : {std::pair("validation", validation), std::pair("test", test)})
    check<DataError>(part >= horizon, "forecast", "the ", name, " part of ", part,
                     " rows holds no horizon of ", horizon, "; --", name, "-rows ", horizon,
                     " is the least, more are better to judge by");
  return {train, train + validation, train + validation + test};
}

Normaliser::Normaliser(const Series& series, std::size_t end) {
  const auto rows = static_cast<double>(end);
  for (std::size_t c = 0; c < series.columns(); ++c) {
    double sum = 0, squares = 0;
    for (std::size_t row = 0; row < end; ++row) sum += series.at(row, c);
    for (std::size_t row = 0; row < end; ++row) squares += std::pow(series.at(row, c) - sum / rows, 2);
    mean.push_back(sum / rows);
    deviation.push_back(std::sqrt(squares / rows));
    check<DataError>(std::isfinite(deviation.back()), "forecast", "the column \"", series.names[c],
                     "\" holds numbers that are too large to be measured");
    const bool moves = deviation.back() > 1e-12 * std::max(std::abs(mean.back()), 1e-300);
    check<DataError>(moves, "forecast", "the column \"", series.names[c], "\" is ", mean.back(),
                     " in all of the ", end,
                     " rows to train with; there is nothing to learn from it, leave it out");
  }
}

Window windows(const Series& series, const Normaliser& normaliser, std::span<const std::size_t> origins,
               std::size_t history, std::size_t horizon, bool with_calendar) {
  const std::size_t columns = series.columns(), features = with_calendar ? calendar_size(series.step) : 0;
  Window window{uninitialized({origins.size(), history, columns}),
                uninitialized({origins.size(), history, features}),
                uninitialized({origins.size(), horizon, features})};
  Real *values = window.history.data(), *past = window.past.data(), *future = window.future.data();
  for (const std::size_t origin : origins) {
    for (std::size_t row = origin - history; row < origin; ++row) {
      for (std::size_t c = 0; c < columns; ++c)
        *values++ = static_cast<Real>(normaliser.normalised(series.at(row, c), c));
      if (with_calendar) past = std::ranges::copy(calendar(series.moment(row), series.step), past).out;
    }
    for (std::size_t row = origin; row < origin + horizon; ++row)
      if (with_calendar) future = std::ranges::copy(calendar(series.moment(row), series.step), future).out;
  }
  return window;
}

Tensor truth(const Series& series, const Normaliser& normaliser, std::span<const std::size_t> origins,
             std::size_t horizon) {
  Tensor values = uninitialized({origins.size(), horizon, series.targets});
  Real* value = values.data();
  for (const std::size_t origin : origins)
    for (std::size_t row = origin; row < origin + horizon; ++row)
      for (std::size_t c = 0; c < series.targets; ++c)
        *value++ = static_cast<Real>(normaliser.normalised(series.at(row, c), c));
  return values;
}

Origins origins(const Borders& borders, Split split, std::size_t history, std::size_t horizon) {
  const std::size_t begin = split == Split::train        ? 0
                            : split == Split::validation ? borders.train
                                                         : borders.validation;
  const std::size_t end = split == Split::train        ? borders.train
                          : split == Split::validation ? borders.validation
                                                       : borders.test;
  const std::size_t first = std::max(begin, history);
  return {first, end >= first + horizon ? end - horizon - first + 1 : 0};
}

}  // namespace fovea::inline FOVEA_REAL::forecast
