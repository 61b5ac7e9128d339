#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "autograd/gradcheck.hpp"
#include "core/parallel.hpp"
#include "examples/forecast/small_series.hpp"
#include "training/fit.hpp"
#include "training/folder.hpp"

using namespace fovea;
using namespace fovea::forecast;
using Catch::Contains;
using Catch::StartsWith;

namespace {

ForecastTask::Batch batch_of(const ForecastTask& task, std::vector<std::size_t> items) {
  Rng rng;
  return task.batch(Split::train, items, rng);
}

Tensor forecasts(const ForecastTask& task, const Window& window, Anchor anchor) {
  Pass pass;
  return forward(task.model, window, anchor, pass).value();
}

FitState trained(ForecastTask& task, std::uint64_t steps, double lr = 0.01) {
  TrainConfig config = ForecastTask::defaults();
  config.steps = steps;
  config.lr = lr;
  FitState state = start_state(config);
  fit(task, config, state);
  return state;
}

}  // namespace

TEST_CASE("forecast: gradients of every model", "[examples]") {
  for (const std::string& model : models) {
    for (const std::string output : {"point", "quantiles"}) {
      for (const std::string attention : {"additive", "scaled_dot"}) {
        if (attention == "scaled_dot" && (model == "linear" || model == "lstm")) continue;
        CAPTURE(model, output, attention);
        ForecastConfig config = small_config(model);
        config.output = output;
        config.attention.score = attention;
        config.loss = "huber";
        config.normalize = output == "point" ? "last" : "window";
        ForecastTask task = ForecastTask::tiny(config);
        trained(task, 1, 0.1);  // away from a last layer of zeros
        task.entropy_weight = attention == "scaled_dot" ? 0.3 : 0;
        const ForecastTask::Batch batch = batch_of(task, {0, 2});
        if constexpr (sizeof(Real) == 8) {
          const GradcheckReport report = gradcheck(parameters(task.model),
                                                   [&] {
                                                     Pass pass{.training = true, .rng = Rng(3)};
                                                     return task.loss(batch, pass).value;
                                                   },
                                                   {});
          INFO(report.text());
          CHECK(report.passed);
        }
      }
    }
  }
}

TEST_CASE("forecast: a model begins with its anchor", "[examples]") {
  for (const std::string& model : models) {
    CAPTURE(model);
    const ForecastTask task(small_config(model), small_series(), 1);
    const Window window = batch_of(task, {5}).window;
    const Tensor last = forecasts(ForecastTask(
                                      [&] {
                                        ForecastConfig config = small_config(model);
                                        config.normalize = "last";
                                        return config;
                                      }(),
                                      small_series(), 1),
                                  window, Anchor::last);
    CHECK(last.data()[0] == Approx(window.history.data()[2 * 23]));
    double mean = 0;
    for (std::size_t row = 0; row < 24; ++row)
      mean += static_cast<double>(window.history.data()[2 * row]) / 24;
    CHECK(forecasts(task, window, Anchor::window).data()[1] == Approx(mean).margin(1e-5));
  }
}

TEST_CASE("forecast: a window that is larger by a factor is forecast larger by it", "[examples]") {
  ForecastConfig config = small_config("transformer");  // which sees nothing beside the window
  config.output = "point";
  config.inputs = {};
  ForecastTask task(config, small_series(), 1);
  trained(task, 20);
  Window window = batch_of(task, {5, 6}).window;
  const Tensor before = forecasts(task, window, Anchor::window);
  for (Real& value : window.history) value = 3 * value + 7;
  const Tensor after = forecasts(task, window, Anchor::window);
  for (std::size_t i = 0; i < before.size(); ++i)
    CHECK(after.data()[i] == Approx(3 * before.data()[i] + 7).epsilon(1e-3));
}

TEST_CASE("forecast: every model learns a wave, better than what needs no model", "[examples]") {
  for (const std::string& model : models) {
    for (const std::string output : {"point", "quantiles"}) {
      CAPTURE(model, output);
      ForecastConfig config = small_config(model);
      config.output = output;
      ForecastTask task(config, small_series(400), 1);
      trained(task, 250);
      const NoGrad no_graph;
      const Metrics metrics = task.evaluate(Split::test);
      CHECK(metrics.at("mae") < 0.9 * metrics.at("baseline.seasonal naive.mae"));
      CHECK(metrics.at("mae") < 0.5 * metrics.at("baseline.last value.mae"));
      CHECK(metrics.selected == (output == "point" ? "mse" : "pinball"));
      if (output == "quantiles") {
        CHECK(metrics.at("coverage") > 55);
        CHECK(metrics.at("coverage") < 97);
      }
      CHECK_THAT(task.report(metrics), StartsWith(" ") && Contains("\n" + model + " ") && Contains("drift"));
    }
  }
}

TEST_CASE("forecast: the same for any number of threads", "[examples]") {
  std::vector<Tensor> found;
  for (const std::size_t threads : {1, 2}) {
    set_threads(threads);
    ForecastTask task(small_config("lstm-attention"), small_series(), 1);
    trained(task, 5);
    for (const NamedParam& one : parameters(task.model)) found.push_back(one.param->value());
  }
  set_threads(0);
  for (std::size_t i = 0; i < found.size() / 2; ++i) CHECK((found[i] == found[found.size() / 2 + i]));
}

TEST_CASE("forecast: recomputed layers are trained to the same bits", "[examples]") {
  std::vector<std::vector<Tensor>> found(2);
  std::vector<std::int64_t> nodes(2);
  for (const bool again : {false, true}) {
    ForecastConfig config = small_config("transformer");
    config.recompute = again;
    ForecastTask task(config, small_series(), 1);
    task.entropy_weight = 0.1;
    trained(task, 5);
    for (const NamedParam& one : parameters(task.model)) found[again].push_back(one.param->value());
    nodes[again] = -live_nodes();
    Pass pass{.training = true, .rng = Rng(3)};
    const Loss loss = task.loss(batch_of(task, {0, 2}), pass);
    nodes[again] += live_nodes();
  }
  CHECK(nodes[1] < nodes[0]);
  for (std::size_t i = 0; i < found[0].size(); ++i) CHECK(same_bits(found[0][i], found[1].at(i)));
}

TEST_CASE("forecast: quantiles stand in order, and are measured as the formula says", "[examples]") {
  ForecastTask task(small_config("linear"), small_series(), 1);
  // From zero all three are the anchor; put them in the wrong order.
  auto& linear = std::get<LinearForecast>(task.model);
  Tensor bias = zeros(linear.rest.bias.shape());
  for (std::size_t i = 0; i < bias.size(); ++i) bias.data()[i] = Real(1) - static_cast<Real>(i % 3);
  linear.rest.bias = Param(bias);
  const NoGrad no_graph;
  const Metrics metrics = task.evaluate(Split::validation);
  CHECK(metrics.at("coverage") > 30);
  bias = zeros(linear.rest.bias.shape());
  for (std::size_t i = 0; i < bias.size(); ++i) bias.data()[i] = static_cast<Real>(i % 3) - Real(1);
  linear.rest.bias = Param(bias);
  CHECK(task.evaluate(Split::validation).at("coverage") == metrics.at("coverage"));
  CHECK(task.evaluate(Split::validation).at("pinball") == metrics.at("pinball"));
}

TEST_CASE("forecast: entropy counts where there is attention", "[examples]") {
  for (const std::string& model : models) {
    CAPTURE(model);
    ForecastTask task(small_config(model), small_series(), 1);
    const ForecastTask::Batch batch = batch_of(task, {0, 1, 2});
    const auto loss = [&] {
      Pass pass{.training = true};
      return task.loss(batch, pass).value.item();
    };
    const auto without = loss();
    task.entropy_weight = 0.5;
    if (model == "linear" || model == "lstm") {
      CHECK_THROWS_AS(loss(), ConfigError);
    } else {
      const double keys = model == "transformer" ? 6 : 24;
      CHECK(loss() > without);
      CHECK(loss() <= without + static_cast<Real>(0.5 * std::log(keys) + 1e-5));
    }
  }
}

TEST_CASE("forecast: what a checkpoint holds is enough to forecast", "[examples]") {
  const TemporaryFolder folder;
  const Series series = small_series();
  std::string text = "time,wave,before\n";
  for (std::size_t row = 0; row < series.rows; ++row)
    text += join(forecast::to_string(series.moment(row), true), ",", series.at(row, 0), ",",
                 series.at(row, 1), "\n");
  write(folder / "wave.csv", text);
  for (const std::string& model : models) {
    CAPTURE(model);
    ForecastConfig config = small_config(model);
    config.data = (folder / "wave.csv").string();
    config.time = "time";
    config.target = {"wave"};
    config.inputs = {"before"};
    ForecastTask task(config, 1);
    FitState state = trained(task, 20);
    save_checkpoint(folder / "x.fovea", task, state, {"forecast", "", {}});
    config.backtest = 40 - 3 + 1;
    config.explain = model == "transformer" || model == "lstm-attention";
    ForecastTask loaded(config, WithoutData{});
    CHECK(loaded.size(Split::train) == 0);
    load_task(read_checkpoint(folder / "x.fovea"), loaded);
    // The backtest over the test rows has the error that was measured.
    const NoGrad no_graph;
    const double measured = task.evaluate(Split::test).at("mae.wave");
    double error = 0, count = 0;
    std::istringstream lines(loaded.predict_data(true));
    for (std::string line; std::getline(lines, line); ++count) {
      const nlohmann::json row = nlohmann::json::parse(line);
      const nlohmann::json& wave = row["targets"]["wave"];
      error += std::abs(wave["forecast"].get<double>() - wave["actual"].get<double>());
      CHECK(wave["q10"] <= wave["forecast"]);
      CHECK(wave["forecast"] <= wave["q90"]);
      if (!config.explain) continue;
      double weights = 0;
      for (const nlohmann::json& look : row["looked_at"]) {
        weights += look["weight"].get<double>();
        CHECK(look["time"] <= row["origin"]);
      }
      CHECK(weights == Approx(1).epsilon(1e-4));
      CHECK(row["looked_at"].size() == 24);
    }
    CHECK(count == 38 * 3);
    CHECK(error / count == Approx(measured).epsilon(1e-4));
    config.backtest = 0;
    ForecastTask newest(config, WithoutData{});
    load_task(read_checkpoint(folder / "x.fovea"), newest);
    const std::string csv = newest.predict_data(false);
    CHECK_THAT(csv, StartsWith(config.explain ? "time,wave,wave_q10,wave_q90,looked_at\n1970-01-09 08:00:00,"
                                              : "time,wave,wave_q10,wave_q90\n1970-01-09 08:00:00,"));
    CHECK(std::count(csv.begin(), csv.end(), '\n') == 4);
  }
}

TEST_CASE("forecast: a checkpoint of another model says so, and is not loaded", "[examples]") {
  const TemporaryFolder folder;
  ForecastConfig config = small_config("linear");
  ForecastTask task(config, small_series(), 1);
  FitState state = trained(task, 1);
  save_checkpoint(folder / "x.fovea", task, state, {"forecast", "", {}});
  config.calendar = false;
  ForecastTask other(config, WithoutData{});
  CHECK_THROWS_AS(load_task(read_checkpoint(folder / "x.fovea"), other), CheckpointError);
  CHECK_THROWS_WITH(load_task(read_checkpoint(folder / "x.fovea"), other), Contains("calendar.weight"));
}

TEST_CASE("forecast: a bundled series brings its settings along", "[examples]") {
  const ForecastTask weather({}, 1);
  CHECK(weather.size(Split::test) == 365);
  CHECK(weather.notes().size() == 1);
  ForecastConfig config;
  config.bundled = "co2";
  const ForecastTask co2(config, 1);
  CHECK(co2.notes().size() == 2);
  CHECK_THAT(co2.notes().back(), StartsWith("5 values"));
  config.data = "none.csv";
  CHECK_THROWS_AS(ForecastTask(config, 1), DataError);
}
