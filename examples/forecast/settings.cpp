#include "examples/bundled.hpp"
#include "examples/forecast/task.hpp"
#include "training/attention_options.hpp"

namespace fovea::inline FOVEA_REAL::forecast {

void ForecastConfig::describe(Options& options) {
  options.add("data", data, "table with a header (CSV, or with semicolons or tabs); empty: --bundled");
  options.add("bundled", bundled, "a series that comes with Fovea: weather of each day, CO2 of each month")
      .choices({"seattle", "co2"});
  options.add("time", time, "column of times");
  options.add("target", target, "columns to forecast; * is every one that is not named elsewhere");
  options.add("inputs", inputs, "columns that are looked at and not forecast");
  options.add("history", history, "rows to look back").between(2, 1e6);
  options.add("horizon", horizon, "rows to forecast").between(1, 1e6);
  options
      .add("season", season, "rows until a pattern returns, for the seasonal naive forecast; 0: by the step")
      .between(0, 1e6);
  options.add("train-rows", train_rows, "to learn from; 0: all that the others leave").between(0, 1e12);
  options.add("validation-rows", validation_rows, "that follow, to choose the model by; 0: a tenth")
      .between(0, 1e12);
  options.add("test-rows", test_rows, "that follow those; 0: a fifth").between(0, 1e12);
  options
      .add("missing", missing,
           "what to do without a value: refuse, repeat the last, or draw a line to the next")
      .choices({"refuse", "forward", "interpolate"})
      .also_later();
  options.add("decimal-comma", decimal_comma, "numbers are written 2,5").also_later();
  options
      .add("model", model,
           "linear, an LSTM without or with attention to its past states, a Transformer over patches")
      .choices({"linear", "lstm", "lstm-attention", "transformer"});
  describe_attention(attention, options, "how moments are scored", "model", {"lstm-attention"})
      .choices(attention_or_head_names())
      .only_with("model", {"lstm-attention", "transformer"});
  options
      .add("normalize", normalize,
           "what windows are measured from: mean and deviation of the rows to learn from, or beside that "
           "their "
           "own last value, or their own mean and deviation")
      .choices({"train", "last", "window"});
  options.add("calendar", calendar, "let the model see hour, day of the week and time of the year");
  options.add("output", output, "a forecast, or the quantiles 0.1, 0.5 and 0.9")
      .choices({"point", "quantiles"});
  options.add("loss", loss, "of a point forecast")
      .choices({"mse", "mae", "huber"})
      .only_with("output", {"point"});
  options.add("width", width, "of states")
      .between(1, 65536)
      .only_with("model", {"lstm", "lstm-attention", "transformer"});
  options.add("layers", layers, "one on another")
      .between(1, 100)
      .only_with("model", {"lstm", "lstm-attention", "transformer"});
  options.add("heads", heads, "attentions side by side, which divide the width")
      .between(1, 1024)
      .only_with("model", {"transformer"});
  options.add("patch", patch, "rows from one patch to the next; each is twice as long")
      .between(1, 1e6)
      .only_with("model", {"transformer"});
  describe_heads(self_attention, options);
  options
      .add("positions", positions,
           "how a patch's place is told: a learned vector is added; queries and keys "
           "are turned by it; not at all")
      .choices({"learned", "rotary", "none"})
      .only_with("model", {"transformer"});
  options.add("dropout", dropout, "of what goes from part to part")
      .between(0, 0.99)
      .only_with("model", {"lstm", "lstm-attention", "transformer"});
  options
      .add("recompute", recompute,
           "compute each layer again in the backward pass: less memory, about a quarter more time")
      .only_with("model", {"transformer"})
      .may_change();
  options
      .add("backtest", backtest,
           "predict: forecast from so many earlier rows, beside what came; 0: from the newest")
      .between(0, 1e9)
      .may_change()
      .also_later();
  options.add("explain", explain, "predict: tell which moments were looked at").may_change().also_later();
}

bool ForecastConfig::heads_have_weights() const {
  return model == "transformer" &&
         std::ranges::all_of(head_scores(scored_by(self_attention, attention.score).score, heads),
                             has_weights);
}

std::filesystem::path ForecastConfig::file() const {
  if (!data.empty()) return data;
  return fovea::bundled(bundled == "seattle" ? "forecast/data/seattle-weather.csv"
                                             : "forecast/data/co2-concentration.csv");
}

ForecastConfig ForecastConfig::resolved() const {
  ForecastConfig config = *this;
  if (!data.empty()) return config;
  const bool seattle = bundled == "seattle";
  if (time.empty()) config.time = seattle ? "date" : "Date";
  if (target.empty()) {
    config.target = {seattle ? "temp_max" : "CO2"};
    if (seattle && inputs.empty()) config.inputs = {"precipitation", "temp_min", "wind"};
  }
  if (!seattle && missing == "refuse") config.missing = "interpolate";  // five months are not there
  if (seattle && !train_rows && !validation_rows && !test_rows) {
    config.validation_rows = 182;
    config.test_rows = 365;
  }
  return config;
}

SeriesFormat ForecastConfig::format() const {
  return {time, target, inputs, decimal_comma, missing_named(missing)};
}

ModelSettings ForecastConfig::model_settings(std::size_t targets, std::size_t input_columns,
                                             std::size_t features) const {
  return {.model = model,
          .attention = attention,
          .anchor = anchor_named(normalize),
          .history = history,
          .horizon = horizon,
          .targets = targets,
          .inputs = input_columns,
          .features = calendar ? features : 0,
          .outputs = has_quantiles() ? quantiles.size() : 1,
          .width = width,
          .layers = layers,
          .heads = heads,
          .patch = patch,
          .self_attention = self_attention,
          .positions = positions,
          .dropout = dropout,
          .recompute = recompute};
}

}  // namespace fovea::inline FOVEA_REAL::forecast
