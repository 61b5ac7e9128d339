#pragma once

#include <span>

#include "autograd/variable.hpp"
#include "examples/forecast/series.hpp"
#include "training/metrics.hpp"

namespace fovea::inline FOVEA_REAL::forecast {

/// Where the parts of a series end, in rows: train comes first, then validation, then test.
struct Borders {
  std::size_t train = 0, validation = 0, test = 0;
};

/// Parts of so many rows each. 0 for `train` is all that the others leave, which then stand at the end of the
/// series; 0 for validation and test is a tenth and a fifth of the rows. DataError where the series is too
/// short, or a part holds no window of history and horizon.
struct PartSizes {
  std::uint64_t train = 0, validation = 0, test = 0;
};
Borders borders(std::size_t rows, const PartSizes& sizes, std::size_t history, std::size_t horizon);

/// Mean and population deviation of each column of the training rows.
struct Normaliser {
  std::vector<double> mean, deviation;

  Normaliser() = default;
  /// Of the rows before `end`. DataError for a column that is constant there.
  Normaliser(const Series& series, std::size_t end);
  double normalised(double value, std::size_t column) const {
    return (value - mean[column]) / deviation[column];
  }
  double restored(double value, std::size_t column) const { return mean[column] + deviation[column] * value; }
};

/// What a model sees when it forecasts. B windows, L rows of history, a horizon of H rows, C columns.
struct Window {
  Tensor history;  // [B, L, C], normalised
  Tensor past;     // [B, L, F], the calendar of these rows
  Tensor future;   // [B, H, F], the calendar of the rows to come
};

/// Windows of the rows before each `origin`, of which it is the first that nobody knows yet. Rows from the
/// origin on are not read: the future's calendar follows from the step. Without `with_calendar` F is 0.
Window windows(const Series& series, const Normaliser& normaliser, std::span<const std::size_t> origins,
               std::size_t history, std::size_t horizon, bool with_calendar);
/// The targets' rows from the origins on, [B, H, targets], normalised.
Tensor truth(const Series& series, const Normaliser& normaliser, std::span<const std::size_t> origins,
             std::size_t horizon);

/// The origins of a split, one row apart: the horizon lies within the part, while the history may reach back
/// into the part before.
struct Origins {
  std::size_t first = 0, count = 0;
};
Origins origins(const Borders& borders, Split split, std::size_t history, std::size_t horizon);

}  // namespace fovea::inline FOVEA_REAL::forecast
