#include "examples/forecast/task.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include <fmt/format.h>

#include "training/file.hpp"
#include "training/text.hpp"

namespace fovea::inline FOVEA_REAL::forecast {
namespace {

constexpr std::size_t windows_at_once = 256;

std::vector<std::size_t> from(std::size_t first, std::size_t count) {
  std::vector<std::size_t> rows(count);
  std::iota(rows.begin(), rows.end(), first);
  return rows;
}

// The mean entropy of all attentions, each averaged over its heads and queries.
Variable mean_entropy(const Observations& seen) {
  Variable total;
  for (const Observed& one : seen.all()) {
    const Variable mine = scale(mean(one.entropy), Real(1) / static_cast<Real>(seen.all().size()));
    total = total.defined() ? total + mine : mine;
  }
  check<ConfigError>(total.defined(), "--entropy", "this model has no attention whose entropy could count");
  return total;
}

// Median of wrongly ordered quantiles included: a quantile is never above a higher one.
void put_in_order(Tensor& answers, std::size_t outputs) {
  for (Real* one = answers.data(); one != answers.data() + answers.size(); one += outputs)
    std::sort(one, one + outputs);
}

}  // namespace

TrainConfig ForecastTask::defaults() {
  TrainConfig config;
  config.batch_size = 32;
  config.lr = 1e-3;
  config.schedule = "cosine";
  config.clip_norm = 1;
  config.epochs = 20;
  return config;
}

ForecastTask::ForecastTask(const Config& config, std::uint64_t seed)
    : ForecastTask(config, read_series(config.file(), config.resolved().format()), seed) {}

ForecastTask::ForecastTask(const Config& config, Series series, std::uint64_t seed)
    : config_(config.resolved()), series_(std::move(series)) {
  borders_ = borders(series_.rows, {config_.train_rows, config_.validation_rows, config_.test_rows},
                     config_.history, config_.horizon);
  normaliser_ = Normaliser(series_, borders_.train);
  season_ = config_.season ? config_.season : series_.step.season();
  remember(series_);
  Rng rng = Rng(seed).split("start");
  model = make_model(config_.model_settings(series_.targets, series_.columns() - series_.targets,
                                            calendar_size(series_.step)),
                     rng);
}

// Of some series, until a checkpoint tells of another one.
ForecastTask::ForecastTask(const Config& config, WithoutData)
    : config_(config.resolved()), columns_{"value"}, targets_(1), seconds_(86400) {
  normaliser_.mean = {0};
  normaliser_.deviation = {1};
  adopt();
}

void ForecastTask::remember(const Series& series) {
  columns_ = series.names;
  targets_ = series.targets;
  seconds_ = static_cast<std::uint64_t>(series.step.seconds);
  months_ = static_cast<std::uint64_t>(series.step.months);
}

void ForecastTask::adopt() {
  const std::size_t columns = columns_.size();
  check<CheckpointError>(targets_ > 0 && targets_ <= columns && normaliser_.mean.size() == columns &&
                             normaliser_.deviation.size() == columns && (seconds_ == 0) != (months_ == 0),
                         "forecast", "the state does not fit together: ", columns, " columns, ", targets_,
                         " targets, a step of ", seconds_, " s and ", months_, " months");
  constexpr std::uint64_t a_century = 3'155'760'000;  // in seconds; nobody counts in longer steps
  check<CheckpointError>(seconds_ <= a_century && months_ <= 1200, "forecast", "the state has a step of ",
                         seconds_, " s and ", months_, " months");
  for (std::size_t c = 0; c < columns; ++c)
    check<CheckpointError>(std::isfinite(normaliser_.mean[c]) && std::isfinite(normaliser_.deviation[c]) &&
                               normaliser_.deviation[c] > 0,
                           "forecast", "the state has a mean of ", normaliser_.mean[c],
                           " and a deviation of ", normaliser_.deviation[c], " for the column ", columns_[c]);
  if (series_.rows > 0) check_like_training(series_);
  Rng rng;
  model = make_model(config_.model_settings(targets_, columns - targets_, calendar_size(step())), rng);
}

Step ForecastTask::step() const {
  return {static_cast<std::int64_t>(seconds_), static_cast<std::int64_t>(months_)};
}

void ForecastTask::check_like_training(const Series& series) const {
  const std::string file = config_.file().string();
  check<DataError>(series.names == columns_, "forecast", file, " has the columns ", list(series.names),
                   "; the model was trained with ", list(columns_));
  check<DataError>(series.step.seconds == step().seconds && series.step.months == step().months, "forecast",
                   file, " has steps of ", series.step.text(), "; the model was trained with ",
                   step().text());
}

std::size_t ForecastTask::size(Split split) const {
  return series_.rows ? origins(borders_, split, config_.history, config_.horizon).count : 0;
}

std::vector<std::size_t> ForecastTask::origins_of(Split split) const {
  const Origins all = origins(borders_, split, config_.history, config_.horizon);
  return from(all.first, all.count);
}

ForecastTask::Batch ForecastTask::batch(Split split, std::span<const std::size_t> items, Rng&) const {
  const std::size_t first = origins(borders_, split, config_.history, config_.horizon).first;
  std::vector<std::size_t> rows;
  for (const std::size_t item : items) rows.push_back(first + item);
  return {windows(series_, normaliser_, rows, config_.history, config_.horizon, config_.calendar),
          truth(series_, normaliser_, rows, config_.horizon)};
}

Loss ForecastTask::loss(const Batch& batch, Pass& pass) {
  Observations seen({.entropy = entropy_weight != 0}, pass.observations);
  Pass looking = pass;
  if (entropy_weight != 0) looking.observations = &seen;
  const Variable forecasts = forward(model, batch.window, anchor_named(config_.normalize), looking);
  pass.rng = looking.rng;
  const Shape& shape = batch.truth.shape();
  const Variable target(batch.truth);
  const auto output = [&](std::size_t i) {
    return reshape(slice(forecasts, 3, static_cast<std::size_t>(i), i + 1), shape);
  };
  Variable total;
  if (config_.has_quantiles()) {
    for (std::size_t i = 0; i < quantiles.size(); ++i) {
      const Variable one =
          scale(pinball(output(i), target, static_cast<Real>(quantiles[i])), Real(1) / quantiles.size());
      total = total.defined() ? total + one : one;
    }
  } else {
    total = config_.loss == "mse"   ? mse(output(0), target)
            : config_.loss == "mae" ? mae(output(0), target)
                                    : huber(output(0), target);
  }
  if (entropy_weight != 0) total = total + scale(mean_entropy(seen), static_cast<Real>(entropy_weight));
  return {total, static_cast<double>(shape[0])};
}

Tensor ForecastTask::answers(const Series& series, std::span<const std::size_t> origins,
                             Observations* seen) const {
  const NoGrad no_graph;
  const std::size_t outputs = config_.has_quantiles() ? quantiles.size() : 1;
  Tensor all = uninitialized({origins.size(), config_.horizon, targets_, outputs});
  Real* to = all.data();
  for (std::size_t begin = 0; begin < origins.size(); begin += windows_at_once) {
    const auto some = origins.subspan(begin, std::min(windows_at_once, origins.size() - begin));
    Pass pass{.observations = seen};
    const Variable found =
        forward(model, windows(series, normaliser_, some, config_.history, config_.horizon, config_.calendar),
                anchor_named(config_.normalize), pass);
    to = std::copy_n(found.value().data(), found.size(), to);
  }
  put_in_order(all, outputs);
  return all;
}

Metrics ForecastTask::evaluate(Split split) {
  const std::vector<std::size_t> rows = origins_of(split);
  const Tensor found = answers(series_, rows);
  const std::size_t horizon = config_.horizon, outputs = found.shape()[3];
  const auto output = [&](std::size_t window, std::size_t step, std::size_t target, std::size_t i) {
    return static_cast<double>(found.data()[((window * horizon + step) * targets_ + target) * outputs + i]);
  };
  const Yardstick by = yardstick();
  const Measures own =
      measure(by, rows, horizon, [&](std::size_t window, std::size_t, std::size_t step, std::size_t target) {
        return output(window, step, target, outputs / 2);
      });
  Metrics metrics;
  metrics.higher_is_better = false;
  metrics.selected = config_.has_quantiles() ? "pinball" : config_.loss == "mse" ? "mse" : "mae";
  metrics.add("mse", own.mse);
  metrics.add("mae", own.mae);
  metrics.add("mase", own.mase);
  if (config_.has_quantiles()) {
    double loss = 0, inside = 0, count = 0;
    const Tensor came = truth(series_, normaliser_, rows, horizon);
    for (std::size_t i = 0; i < came.size(); ++i) {
      const std::size_t window = i / (horizon * targets_), step = i / targets_ % horizon;
      if (series_.is_made_up(rows[window] + step, i % targets_)) continue;
      ++count;
      const Real* three = found.data() + i * outputs;
      const double value = came.data()[i];
      for (std::size_t q = 0; q < outputs; ++q) {
        const double error = value - three[q];
        loss += std::max(quantiles[q] * error, (quantiles[q] - 1) * error) / static_cast<double>(outputs);
      }
      inside += three[0] <= value && value <= three[outputs - 1];
    }
    metrics.add("pinball", loss / count);
    metrics.add("coverage", 100 * inside / count);
  }
  const auto by_target = [&](const Measures& measures, const std::string& prefix) {
    for (std::size_t c = 0; c < targets_; ++c)
      metrics.add_detail(join(prefix, "mae.", columns_[c]), measures.mae_of[c]);
  };
  by_target(own, "");
  if (split != Split::test) return metrics;
  for (const Baseline& baseline : baselines(by, config_.history)) {
    const Measures measures = measure(by, rows, horizon, baseline.forecast);
    const std::string prefix = join("baseline.", baseline.name, ".");
    metrics.add_detail(prefix + "mse", measures.mse);
    metrics.add_detail(prefix + "mae", measures.mae);
    metrics.add_detail(prefix + "mase", measures.mase);
    by_target(measures, prefix);
  }
  return metrics;
}

std::string ForecastTask::report(const Metrics& metrics) const {
  const auto has = [&](const std::string& what) {
    return std::any_of(metrics.entries.begin(), metrics.entries.end(),
                       [&](const auto& one) { return one.name == what; });
  };
  constexpr std::size_t most_targets = 4;  // beyond that a line would not fit
  const std::size_t shown = targets_ <= most_targets ? targets_ : 0;
  std::string text = fmt::format("{:<16}{:>9}{:>9}{:>9}", "", "MSE", "MAE", "MASE");
  for (std::size_t c = 0; c < shown; ++c) text += fmt::format("  MAE of {}", columns_[c]);
  text += "\n";
  const auto line = [&](const std::string& label, const std::string& prefix) {
    text += fmt::format("{:<16}{:>9.4f}{:>9.4f}{:>9.4f}", label, metrics.at(prefix + "mse"),
                        metrics.at(prefix + "mae"), metrics.at(prefix + "mase"));
    for (std::size_t c = 0; c < shown; ++c)
      text += fmt::format("  {:>{}}", brief(metrics.at(join(prefix, "mae.", columns_[c]))),
                          7 + columns_[c].size());
    text += "\n";
  };
  line(config_.model, "");
  for (const char* baseline : {"last value", "seasonal naive", "drift"})
    if (has(join("baseline.", baseline, ".mse"))) line(baseline, join("baseline.", baseline, "."));
  text += fmt::format(
      "MSE and MAE in deviations of the rows to learn from. MASE: MAE by that of the value {} rows before, "
      "there.\n"
      "A season is {} rows{}\n",
      yardstick().scale_season(), season_, config_.season ? "" : ", for this step (--season)");
  if (has("coverage"))
    text += fmt::format("{:.1f} % of what came lies between the quantiles 0.1 and 0.9; pinball loss {:.4f}\n",
                        metrics.at("coverage"), metrics.at("pinball"));
  return text;
}

std::vector<std::string> ForecastTask::notes() const {
  const auto moment = [&](std::size_t row) {
    return forecast::to_string(series_.moment(row), series_.has_times());
  };
  std::vector<std::string> notes{join(series_.rows, " rows, one each ", series_.step.text(), ": train from ",
                                      moment(0), ", validation from ", moment(borders_.train), ", test from ",
                                      moment(borders_.validation), " to ", moment(borders_.test - 1))};
  if (!series_.made_up.empty())
    notes.push_back(join(series_.made_up.size(), " values that the table lacks were filled in (--missing ",
                         config_.missing, ")"));
  if (borders_.test < series_.rows)
    notes.push_back(join(series_.rows - borders_.test, " rows after that are not used"));
  return notes;
}

std::vector<std::pair<std::string, std::string>> ForecastTask::data_checksums() const {
  const std::filesystem::path file = config_.file();
  return {{config_.data.empty() ? file.filename().string() : config_.data, file_checksum(file)}};
}

ForecastTask ForecastTask::tiny(const Config& config) {
  Config small = config;
  small.history = 6;
  small.horizon = 2;
  if (!counts_heads(config.self_attention)) small.heads = 2;
  small.width = 2 * small.heads;
  small.self_attention.rank = std::min<std::uint64_t>(config.self_attention.rank, 2);
  small.patch = 2;
  small.train_rows = 12;
  small.validation_rows = small.test_rows = 2;
  Series series{"time", {"a", "b", "c"}, 2, Moment{}, {3600, 0}, 16, {}};
  for (std::size_t i = 0; i < 48; ++i)
    series.values.push_back(std::sin(1.7 * static_cast<double>(i * i % 29)));
  return ForecastTask(small, std::move(series), 3);
}

}  // namespace fovea::inline FOVEA_REAL::forecast
