#pragma once

#include "examples/forecast/measures.hpp"
#include "examples/forecast/model.hpp"
#include "examples/forecast/show.hpp"
#include "report/picture.hpp"
#include "training/config.hpp"
#include "training/task.hpp"

namespace fovea::inline FOVEA_REAL::forecast {

struct ForecastConfig {
  std::string data, bundled = "seattle", time;
  std::vector<std::string> target, inputs;
  std::uint64_t history = 28, horizon = 1, season = 0;
  std::uint64_t train_rows = 0, validation_rows = 0, test_rows = 0;
  std::string missing = "refuse";
  bool decimal_comma = false;
  std::string model = "lstm-attention", normalize = "window";
  AttentionSettings attention;
  bool calendar = true;
  std::string output = "quantiles", loss = "mse";
  std::uint64_t width = 64, layers = 1, heads = 4, patch = 8;
  HeadSettings self_attention{.score = ""};
  std::string positions = "learned";
  double dropout = 0.1;
  bool recompute = false;
  std::uint64_t backtest = 0;
  bool explain = false;

  void describe(Options& options);
  std::filesystem::path file() const;
  /// With what belongs to the bundled series filled in where nothing else is said.
  ForecastConfig resolved() const;
  SeriesFormat format() const;
  bool has_quantiles() const { return output == "quantiles"; }
  bool heads_have_weights() const;  // of a Transformer
  /// Whether --entropy means something.
  bool has_attention() const { return model == "lstm-attention" || heads_have_weights(); }
  /// Whether weights tell which moments a forecast looks at: not of slots.
  bool weighs_moments() const {
    return has_attention() && (model != "transformer" || self_attention.rank == 0);
  }
  ModelSettings model_settings(std::size_t targets, std::size_t inputs, std::size_t features) const;
};

/// Forecasts columns of a table from what came before: see README.md.
class ForecastTask {
 public:
  static constexpr const char* name = "forecast";
  static constexpr const char* about = "forecasts a series of numbers";
  using Config = ForecastConfig;
  static TrainConfig defaults();

  struct Batch {
    Window window;
    Tensor truth;  // [B, H, targets]
  };

  ForecastModel model;
  double entropy_weight = 0;

  ForecastTask(const Config& config, std::uint64_t seed);
  ForecastTask(const Config& config, WithoutData);
  ForecastTask(const Config& config, Series series, std::uint64_t seed);
  static ForecastTask tiny(const Config& config);

  /// Whether --entropy means something.
  bool has_attention() const { return config_.has_attention(); }
  std::size_t size(Split split) const;
  Batch batch(Split split, std::span<const std::size_t> items, Rng& rng) const;
  /// Mean over rows and targets of the squared, absolute or Huber error, in deviations; with quantiles the
  /// mean pinball loss of the three. Plus entropy_weight times the mean entropy of all attentions.
  Loss loss(const Batch& batch, Pass& pass);
  /// For `test` with the baselines on the same windows.
  Metrics evaluate(Split split);
  std::string report(const Metrics& metrics) const;
  std::vector<std::string> notes() const;
  std::vector<std::pair<std::string, std::string>> data_checksums() const;

  template <class Archive>
  void state(Archive& archive) {
    archive("columns", columns_);
    archive("targets", targets_);
    archive("step_seconds", seconds_);
    archive("step_months", months_);
    archive("mean", normaliser_.mean);
    archive("deviation", normaliser_.deviation);
    if constexpr (Archive::reading) adopt();
  }

  /// The rows that follow the newest ones of the data as CSV, or one JSON object for each; with `backtest`
  /// forecasts from that many earlier origins, beside what came.
  std::string predict_data(bool json) const;
  /// Forecasts from times that are named, or of the part to test with those that were furthest off and some
  /// as they come, and what follows the newest rows.
  std::vector<report::Picture> pictures(const report::Wanted& wanted) const;

 private:
  void adopt();
  void remember(const Series& series);
  /// The step of the series that the model was trained with.
  Step step() const;
  /// DataError unless a series has the columns and the step that the model was trained with.
  void check_like_training(const Series& series) const;
  /// [B, H, targets, outputs] of windows that end before the origins; quantiles in order.
  Tensor answers(const Series& series, std::span<const std::size_t> origins,
                 Observations* seen = nullptr) const;
  report::Picture picture(const std::string& group, const Series& series, std::size_t origin,
                          std::size_t target) const;
  std::vector<std::size_t> origins_of(Split split) const;
  Yardstick yardstick() const { return {series_, normaliser_, borders_.train, season_}; }

  Config config_;
  Series series_;
  Borders borders_;
  Normaliser normaliser_;
  std::size_t season_ = 1;
  // What a checkpoint has to know of the series.
  std::vector<std::string> columns_;
  std::uint64_t targets_ = 0, seconds_ = 0, months_ = 0;
};

}  // namespace fovea::inline FOVEA_REAL::forecast
