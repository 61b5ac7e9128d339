#include "examples/forecast/model.hpp"

#include <algorithm>
#include <cmath>

#include "core/check.hpp"

namespace fovea::inline FOVEA_REAL::forecast {
namespace {

constexpr std::size_t average_rows = 25;  // of DLinear's moving average

// So that a model begins with forecasting its anchor.
Linear from_zero(std::size_t inputs, std::size_t outputs) {
  return Linear(zeros({outputs, inputs}), Bias::yes);
}

// The moving average of rows x [..., L], whose ends are thought to go on with the same value. Of data: it has
// no gradient.
Tensor moving_average(const Tensor& x) {
  const auto length = static_cast<std::ptrdiff_t>(x.shape().back());
  const auto reach = static_cast<std::ptrdiff_t>(std::min(average_rows, x.shape().back()) / 2);
  Tensor smooth = uninitialized(x.shape());
  for (const Real* row = x.data(); row != x.data() + x.size(); row += length) {
    const auto at = [&](std::ptrdiff_t i) {
      return static_cast<double>(row[std::clamp<std::ptrdiff_t>(i, 0, length - 1)]);
    };
    double sum = 0;
    for (std::ptrdiff_t i = -reach; i < reach; ++i) sum += at(i);
    Real* to = smooth.data() + (row - x.data());
    for (std::ptrdiff_t i = 0; i < length; ++i) {
      sum += at(i + reach);
      to[i] = static_cast<Real>(sum / static_cast<double>(2 * reach + 1));
      sum -= at(i - reach);
    }
  }
  return smooth;
}

// [B, n, H · Q] of n columns → [B, H, n, Q]
Variable by_row(const Variable& x, const ModelSettings& s) {
  const Shape& shape = x.shape();
  return permute(reshape(x, {shape[0], shape[1], s.horizon, s.outputs}), {0, 2, 1, 3});
}

Variable targets_of(const Variable& history, const ModelSettings& s) {
  return slice(history, 2, 0, s.targets);
}
Variable inputs_of(const Variable& history, const ModelSettings& s) {
  return slice(history, 2, s.targets, s.targets + s.inputs);
}

// Level and scale of each window and column, [B, 1, C].
struct Anchored {
  Tensor level, scale;
};

Anchored anchors(const Tensor& history, Anchor anchor) {
  const std::size_t items = history.shape()[0], rows = history.shape()[1], columns = history.shape()[2];
  Anchored at{zeros({items, 1, columns}), filled({items, 1, columns}, 1)};
  if (anchor == Anchor::train) return at;
  for (std::size_t b = 0; b < items; ++b) {
    for (std::size_t c = 0; c < columns; ++c) {
      const auto value = [&](std::size_t row) {
        return static_cast<double>(history.data()[(b * rows + row) * columns + c]);
      };
      double level = value(rows - 1), scale = 1;
      if (anchor == Anchor::window) {
        double sum = 0, squares = 0;
        for (std::size_t row = 0; row < rows; ++row) sum += value(row);
        level = sum / static_cast<double>(rows);
        for (std::size_t row = 0; row < rows; ++row) squares += std::pow(value(row) - level, 2);
        scale = std::sqrt(squares / static_cast<double>(rows) + 1e-5);  // a window may stand still
      }
      at.level.data()[b * columns + c] = static_cast<Real>(level);
      at.scale.data()[b * columns + c] = static_cast<Real>(scale);
    }
  }
  return at;
}

// Of patches, of which there is always the same number.
HeadSettings heads_of(const ModelSettings& s) {
  HeadSettings heads = scored_by(s.self_attention, s.attention.score);
  heads.rotary = s.positions == "rotary";
  heads.longest = s.history / s.patch;
  return heads;
}

}  // namespace

Anchor anchor_named(std::string_view name) {
  if (name == "train") return Anchor::train;
  if (name == "last") return Anchor::last;
  if (name == "window") return Anchor::window;
  throw ConfigError(join("--normalize: expected train, last or window, got \"", name, "\""));
}

LinearForecast::LinearForecast(const ModelSettings& settings)
    : trend(from_zero(settings.history, settings.horizon * settings.outputs)),
      rest(from_zero(settings.history, settings.horizon * settings.outputs)),
      settings_(settings) {
  if (settings.inputs > 0)
    inputs =
        from_zero(settings.history * settings.inputs, settings.targets * settings.horizon * settings.outputs);
  if (settings.told() > 0) calendar = from_zero(settings.told(), settings.targets * settings.outputs);
}

Variable LinearForecast::operator()(const Variable& history, const Variable&, const Variable& future,
                                    Pass&) const {
  const ModelSettings& s = settings_;
  const std::size_t items = history.shape()[0];
  const Variable x = permute(targets_of(history, s), {0, 2, 1});
  const Variable smooth(moving_average(x.value()));
  Variable result = by_row(trend(smooth) + rest(x - smooth), s);
  if (calendar) result = result + reshape((*calendar)(future), {items, s.horizon, s.targets, s.outputs});
  if (inputs) {
    const Variable seen = reshape(inputs_of(history, s), {items, s.history * s.inputs});
    result = result + by_row(reshape((*inputs)(seen), {items, s.targets, s.horizon * s.outputs}), s);
  }
  return result;
}

RecurrentForecast::RecurrentForecast(const ModelSettings& s, Rng& rng)
    : encoder(Cell::lstm, s.targets + s.inputs + s.features, s.width, rng,
              {.layers = s.layers, .dropout = s.dropout}),
      state(s.width, s.width, rng),
      place(s.horizon, s.width, rng),
      out(from_zero(s.model == "lstm" ? s.width : 2 * s.width, s.targets * s.outputs)),
      settings_(s),
      dropout_(s.dropout) {
  if (s.told() > 0) calendar = Linear(s.told(), s.width, rng, Bias::no);
  if (s.model != "lstm") attention = make_attention(s.attention, {s.width, s.width, s.width, s.width}, rng);
}

Variable RecurrentForecast::operator()(const Variable& history, const Variable& past, const Variable& future,
                                       Pass& pass) const {
  const ModelSettings& s = settings_;
  const std::size_t items = history.shape()[0];
  const RecurrentResult read = encoder(concat({history, past}, 2), pass);
  const Variable last = reshape(slice(read.outputs, 1, s.history - 1, s.history), {items, s.width});
  Variable query = reshape(state(last), {items, 1, s.width}) + place(s.horizon);
  if (calendar) query = query + (*calendar)(future);
  Variable seen = tanh(query);
  if (attention) {
    const std::vector<Variable> moments = attention->prepare(read.outputs);
    seen = concat({seen, (*attention)(query, moments, read.outputs, pass).context}, 2);
  }
  return reshape(out(dropout_(seen, pass)), {items, s.horizon, s.targets, s.outputs});
}

TransformerForecast::TransformerForecast(const ModelSettings& s, Rng& rng)
    : embed(2 * s.patch * (1 + s.inputs) + s.features, s.width, rng),
      place(s.positions == "learned"
                ? std::optional<LearnedPositions>(std::in_place, s.history / s.patch, s.width, rng)
                : std::nullopt),
      encoder({.width = s.width,
               .heads = s.heads,
               .inner = 2 * s.width,
               .layers = s.layers,
               .attention = heads_of(s),
               .activation = Activation::gelu,
               .norm_first = true,
               .dropout = s.dropout,
               .recompute = s.recompute},
              rng),
      out(from_zero(s.history / s.patch * s.width, s.horizon * s.outputs)),
      settings_(s),
      dropout_(s.dropout) {}

Variable TransformerForecast::operator()(const Variable& history, const Variable& past, const Variable&,
                                         Pass& pass) const {
  const ModelSettings& s = settings_;
  const std::size_t items = history.shape()[0], n = patches(), begin = s.history - n * s.patch;
  // [B, C, rows], and the last value goes on for half of the last patch.
  const Variable x = permute(slice(history, 1, begin, s.history), {0, 2, 1});
  const Variable end = slice(x, 2, n * s.patch - 1, n * s.patch);
  const Variable longer = concat({x, end * Variable(filled({s.patch}, 1))}, 2);
  const std::size_t columns = s.targets + s.inputs;
  const auto halves = [&](std::size_t from) {
    return reshape(slice(longer, 2, from * s.patch, (from + n) * s.patch), {items, columns, n, s.patch});
  };
  const Variable cut = concat({halves(0), halves(1)}, 3);  // [B, C, n, 2 patch]
  std::vector<Variable> seen{slice(cut, 1, 0, s.targets)};
  const Variable each(zeros({1, s.targets, 1, 1}));  // what all targets see in the same way
  for (std::size_t i = s.targets; i < columns; ++i) seen.push_back(slice(cut, 1, i, i + 1) + each);
  std::vector<Variable> dates;  // of the last row of each patch that is known
  for (std::size_t i = 0; i < n; ++i) {
    const std::size_t row = std::min(begin + (i + 2) * s.patch, s.history);
    dates.push_back(slice(past, 1, row - 1, row));
  }
  if (s.features > 0) seen.push_back(reshape(concat(dates, 1), {items, 1, n, s.features}) + each);
  const Variable patches = reshape(concat(seen, 3), {items * s.targets, n, embed.inputs()});
  const Variable embedded = embed(patches);
  const Variable read = encoder(dropout_(place ? embedded + (*place)(n) : embedded, pass), {}, pass);
  const Variable all = dropout_(reshape(read, {items, s.targets, n * s.width}), pass);
  return by_row(out(all), s);
}

ForecastModel make_model(const ModelSettings& settings, Rng& rng) {
  constexpr double most_weights = 1e8;
  const auto weights = static_cast<double>(settings.history * settings.horizon) *
                       static_cast<double>(settings.outputs * (1 + settings.inputs * settings.targets));
  check<ConfigError>(settings.model != "linear" || weights <= most_weights, "--model", "linear would have ",
                     weights, " weights for --history ", settings.history, " and --horizon ",
                     settings.horizon, "; at most ", most_weights);
  if (settings.model == "linear") return LinearForecast(settings);
  if (settings.model == "lstm" || settings.model == "lstm-attention") return RecurrentForecast(settings, rng);
  check<ConfigError>(settings.model == "transformer", "--model", "there is no \"", settings.model,
                     "\"; choose linear, lstm, lstm-attention or transformer");
  check<ConfigError>(settings.patch <= settings.history, "--patch", "is ", settings.patch,
                     ", more than --history ", settings.history);
  return TransformerForecast(settings, rng);
}

Variable forward(const ForecastModel& model, const Window& window, Anchor anchor, Pass& pass) {
  const Anchored at = anchors(window.history, anchor);
  const Variable level(at.level), scale(at.scale);
  const Variable history = (Variable(window.history) - level) / scale;
  const std::size_t items = history.shape()[0];
  // What the anchor takes away, such as whether it is warm for the time of the year, is told beside the
  // calendar.
  Variable future(window.future);
  if (anchor != Anchor::train)
    future = concat({future, level + Variable(zeros({items, window.future.shape()[1], 1}))}, 2);
  const Variable raw =
      std::visit([&](const auto& kind) { return kind(history, Variable(window.past), future, pass); }, model);
  const std::size_t targets = raw.shape()[2];
  const auto of_targets = [&](const Variable& x) {
    return reshape(slice(x, 2, 0, targets), {items, 1, targets, 1});
  };
  return raw * of_targets(scale) + of_targets(level);
}

}  // namespace fovea::inline FOVEA_REAL::forecast
