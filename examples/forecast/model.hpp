#pragma once

#include <variant>

#include "examples/forecast/windows.hpp"
#include "modules/attention/attention.hpp"
#include "modules/positions.hpp"
#include "modules/recurrent.hpp"
#include "modules/transformer.hpp"

namespace fovea::inline FOVEA_REAL::forecast {

/// What a window is measured from before a model sees it; the forecast is put back on it.
enum class Anchor {
  train,   // nothing: the training rows' mean and deviation, which all have been normalised by
  last,    // the last value of each column (as NLinear, Zeng et al., 2023)
  window,  // mean and deviation of each column within the window (as RevIN, Kim et al., 2022)
};
Anchor anchor_named(std::string_view name);

/// What a model is made of.
struct ModelSettings {
  std::string model = "linear";      // linear, lstm, lstm-attention, transformer
  AttentionSettings attention = {};  // transformer: the score alone, where its heads have none
  Anchor anchor = Anchor::window;
  std::size_t history = 28, horizon = 1;
  std::size_t targets = 1, inputs = 0;  // columns
  std::size_t features = 4;             // of the calendar
  std::size_t outputs = 1;  // numbers for each value that is forecast: 1, or one for each quantile
  std::size_t width = 64, layers = 1, heads = 4;
  std::size_t patch = 8;                        // rows from the beginning of a patch to that of the next
  HeadSettings self_attention = {.score = ""};  // transformer
  std::string positions = "learned";            // transformer: learned, rotary or none
  double dropout = 0.1;
  bool recompute = false;  // the Transformer's layers: see modules/recompute.hpp

  /// Numbers that are told of a row to come: its calendar, and each column's anchor.
  std::size_t told() const { return features + (anchor == Anchor::train ? 0 : targets + inputs); }
};

/// The strong simple one (DLinear, Zeng et al., 2023): a moving average of the history and what is left of it
/// each have a weight for every row of the horizon, the same for all targets. Beside that what the inputs'
/// history and the calendar of the row to come add.
class LinearForecast {
 public:
  Linear trend, rest;
  std::optional<Linear> inputs, calendar;
  FIELDS(trend, rest, inputs, calendar)

  LinearForecast() = default;
  explicit LinearForecast(const ModelSettings& settings);
  Variable operator()(const Variable& history, const Variable& past, const Variable& future,
                      Pass& pass) const;

 private:
  ModelSettings settings_;
};

/// An LSTM reads the history. The row to come, as its calendar and place in the horizon, and the last state
/// make a query; with attention it looks for moments of the history like itself, and query and context
/// together make the forecast; without, the query alone does.
class RecurrentForecast {
 public:
  Recurrent encoder;
  Linear state;
  std::optional<Linear> calendar;
  LearnedPositions place;
  std::optional<ScoredAttention> attention;
  Linear out;
  FIELDS(encoder, state, calendar, place, attention, out)

  RecurrentForecast() = default;
  RecurrentForecast(const ModelSettings& settings, Rng& rng);
  Variable operator()(const Variable& history, const Variable& past, const Variable& future,
                      Pass& pass) const;

 private:
  ModelSettings settings_;
  Dropout dropout_;
};

/// A Transformer's encoder over patches of the history (PatchTST, Nie et al., 2023): each target goes through
/// it alone, beside the inputs. A patch is twice as long as the way to the next one; the oldest rows that
/// fill no patch are left out. All patches together make the forecast.
class TransformerForecast {
 public:
  Linear embed;
  std::optional<LearnedPositions> place;
  TransformerEncoder encoder;
  Linear out;
  FIELDS(embed, place, encoder, out)

  TransformerForecast() = default;
  TransformerForecast(const ModelSettings& settings, Rng& rng);
  Variable operator()(const Variable& history, const Variable& past, const Variable& future,
                      Pass& pass) const;
  std::size_t patches() const { return settings_.history / settings_.patch; }

 private:
  ModelSettings settings_;
  Dropout dropout_;
};

using ForecastModel = std::variant<LinearForecast, RecurrentForecast, TransformerForecast>;

/// ConfigError for settings that do not go together.
ForecastModel make_model(const ModelSettings& settings, Rng& rng);

/// Forecasts [B, H, targets, outputs] of windows, in the units of the window.
Variable forward(const ForecastModel& model, const Window& window, Anchor anchor, Pass& pass);

}  // namespace fovea::inline FOVEA_REAL::forecast
