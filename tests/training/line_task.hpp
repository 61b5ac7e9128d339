#pragma once

#include <cmath>
#include <string>
#include <vector>

#include "autograd/ops.hpp"
#include "core/draw.hpp"
#include "core/precision.hpp"
#include "modules/fields.hpp"
#include "training/config.hpp"
#include "training/task.hpp"

// A made-up task, small but with everything that training has to keep in order: y = Σ slope_i x_i + noise,
// learned by a small network with dropout, from batches that draw noise of their own.

namespace fovea::inline FOVEA_REAL {

struct LineModel {
  Param hidden, bias, out;
  Buffer scale;
  FIELDS(hidden, bias, out, scale)
};

struct LineTask {
  static constexpr const char* name = "line";
  static constexpr const char* about = "learns a linear map";

  struct Config {
    std::uint64_t items = 50;
    double dropout = 0.1, noise = 0.01;
    std::string shape = "plain", data;
    bool forgetful = false;
    void describe(Options& options) {
      options.add("items", items, "size of the training split").between(1, 100000);
      options.add("dropout", dropout, "rate of dropout").between(0, 0.9);
      options.add("noise", noise, "deviation of the noise on inputs").at_least(0);
      options.add("shape", shape, "kind of map").choices({"plain", "steep"});
      options.add("data", data, "not read, but checked");
      options.add("forgetful", forgetful, "learns by a count that no checkpoint holds");
    }
  };
  static TrainConfig defaults() {
    TrainConfig config;
    config.epochs = 4;
    config.batch_size = 8;
    config.lr = 0.02;
    return config;
  }

  struct Batch {
    Tensor x, y;
  };

  LineModel model;
  Config config;
  double entropy_weight = 0;
  std::vector<std::string> words{"slope", "ünit"};
  std::vector<double> slopes{1, -2, 0.5};
  std::uint64_t poisoned_step = ~std::uint64_t{0};  // counts calls of loss
  std::uint64_t calls = 0;
  std::vector<double> script;      // what evaluate returns, if anything
  std::vector<Rng::State> passes;  // the randomness that each call of loss was given
  bool recorded = false;           // an evaluation that built a graph
  std::vector<Precision> learned_in, evaluated_in;

  LineTask(const Config& in_config, std::uint64_t seed) : config(in_config) {
    if (config.data == "broken") throw DataError("broken:1:2: no number");
    if (config.shape == "steep") slopes = {10, -20, 5};
    const Rng rng = Rng(seed).split("start");
    Rng hidden = rng.split("hidden"), out = rng.split("out");
    model.hidden = Param(normal(hidden, Shape{6, 3}, 0, Real(0.5)));
    model.bias = Param(zeros(Shape{6}), Param::Decay::no);
    model.out = Param(normal(out, Shape{1, 6}, 0, Real(0.5)));
    model.scale.value = filled(Shape{1}, 1);
  }
  static LineTask tiny(const Config& config) { return LineTask(config, 5); }

  std::size_t size(Split split) const { return split == Split::train ? config.items : 20; }

  Batch batch(Split split, std::span<const std::size_t> items, Rng& rng) const {
    Batch batch{uninitialized(Shape{items.size(), 3}), uninitialized(Shape{items.size(), 1})};
    for (std::size_t i = 0; i < items.size(); ++i) {
      Rng own = Rng(split == Split::train ? 77 : 78).split(items[i]);
      double y = 0;
      for (std::size_t j = 0; j < 3; ++j) {
        const double x = own.normal();
        y += slopes[j] * x;
        batch.x.data()[3 * i + j] =
            static_cast<Real>(x + (split == Split::train ? config.noise * rng.normal() : 0));
      }
      batch.y.data()[i] = static_cast<Real>(y);
    }
    return batch;
  }

  Variable forward(const Variable& x, Pass& pass) const {
    Variable h = tanh(linear(x, model.hidden, model.bias));
    if (pass.training && config.dropout > 0) h = dropout(h, config.dropout, pass.rng);
    return linear(h, model.out);
  }

  Loss loss(const Batch& batch, Pass& pass) {
    passes.push_back(pass.rng.state());
    learned_in.push_back(product_precision());
    Variable prediction = forward(batch.x, pass);
    if (calls++ >= poisoned_step) prediction = log(scale(sqrt(prediction * prediction), -1));
    if (config.forgetful && calls > 1) prediction = scale(prediction, Real(1.01));
    return {mse(prediction, batch.y), static_cast<double>(batch.y.size())};
  }

  bool settles_ties = false;  // by the true error, where the scripted one is equal

  Metrics evaluate(Split split) {
    std::vector<std::size_t> items(size(split));
    for (std::size_t i = 0; i < items.size(); ++i) items[i] = i;
    Rng rng;
    const Batch all = batch(split, items, rng);
    Pass pass = Pass::evaluation();
    Metrics metrics;
    recorded = recorded || recording();
    evaluated_in.push_back(product_precision());
    double error = mse(forward(all.x, pass), all.y).item();
    Metrics::Entry true_error{"true", error, true};
    if (!script.empty()) {
      error = script.front();
      script.erase(script.begin());
    }
    metrics.add("error", error);
    metrics.add("root", std::sqrt(error));
    metrics.selected = "error";
    metrics.higher_is_better = false;
    if (settles_ties) {
      metrics.entries.push_back(std::move(true_error));
      metrics.ties = {{"true"}};
    }
    return metrics;
  }

  std::string predict(const std::string& line, bool json) const {
    char* end = nullptr;
    const double x = std::strtod(line.c_str(), &end);
    if (end == line.c_str() || *end) throw DataError("\"" + line + "\" is not a number");
    Pass pass = Pass::evaluation();
    const double y = forward(filled(Shape{1, 3}, static_cast<Real>(x)), pass).item();
    return json ? join("{\"y\":", y, "}") : join(y);
  }

  std::vector<std::pair<std::string, std::string>> data_checksums() const { return {{"line", config.shape}}; }

  template <class Archive>
  void state(Archive& archive) {
    archive("words", words);
    archive("slopes", slopes);
  }
};

}  // namespace fovea::inline FOVEA_REAL
