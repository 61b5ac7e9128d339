// A task of your own: data, model, loss and metrics. The loop, checkpoints and resuming are `fit`'s.
#include <cstdio>

#include "modules/mlp.hpp"
#include "training/fit.hpp"

using namespace fovea;

// Learns whether a point lies inside the unit circle.
struct CircleTask {
  using Batch = std::pair<Tensor, Tensor>;
  Mlp model;

  explicit CircleTask(Rng rng) : model({2, 16, 1}, Activation::tanh, rng) {}
  std::size_t size(Split split) const { return split == Split::train ? 2000 : 500; }

  // Point number i of a split is always the same one.
  Batch batch(Split split, std::span<const std::size_t> items, Rng&) const {
    Tensor x = uninitialized({items.size(), 2}), inside = uninitialized({items.size(), 1});
    for (std::size_t n = 0; n < items.size(); ++n) {
      Rng at = Rng(7).split(split == Split::train ? "train" : "test").split(items[n]);
      const double a = at.uniform(-1.5, 1.5), b = at.uniform(-1.5, 1.5);
      x.data()[2 * n] = static_cast<Real>(a);
      x.data()[2 * n + 1] = static_cast<Real>(b);
      inside.data()[n] = a * a + b * b < 1 ? 1 : 0;
    }
    return {x, inside};
  }
  Loss loss(const Batch& batch, Pass&) {
    return {binary_cross_entropy(model(Variable(batch.first)), Variable(batch.second)),
            static_cast<double>(batch.second.size())};
  }
  Metrics evaluate(Split split) {
    Rng rng;
    const std::vector<std::size_t> items = rng.permutation(size(split));
    const auto [x, inside] = batch(split, items, rng);
    const Tensor logits = model(Variable(x)).value();
    double right = 0;
    for (std::size_t i = 0; i < items.size(); ++i)
      right += (logits.data()[i] > 0) == (inside.data()[i] > 0.5);
    Metrics metrics;
    metrics.selected = "accuracy";
    metrics.add("accuracy", 100 * right / static_cast<double>(items.size()));
    return metrics;
  }
  template <class Archive>
  void state(Archive&) {}  // nothing but parameters to save
};

int main() {
  CircleTask task(Rng(1));
  TrainConfig config;
  config.epochs = 20;
  config.lr = 0.01;
  FitState state = start_state(config);
  fit(task, config, state);
  const double accuracy = task.evaluate(Split::test).selected_value();
  std::printf("accuracy %.1f %%\n", accuracy);
  return accuracy > 95 ? 0 : 1;
}
