#pragma once

#include <memory>

#include "autograd/engine.hpp"
#include "modules/fields.hpp"
#include "modules/pass.hpp"
#include "optim/optimizer.hpp"

namespace fovea::experiments {

/// Trains a module's parameters with Adam on losses that `loss(pass, step)` makes, one for each step. For
/// models too small to be a task.
template <class Model, class Loss>
void learn(Model& model, std::size_t steps, double rate, const Loss& loss) {
  const std::vector<NamedParam> params = parameters(model);
  const std::unique_ptr<Optimizer> optimizer = adam();
  for (std::size_t step = 1; step <= steps; ++step) {
    for (const NamedParam& named : params) named.param->clear_grad();
    Pass pass{.training = true, .step = step};
    backward(loss(pass, step));
    optimizer->step(params, rate);
  }
}

}  // namespace fovea::experiments
