#pragma once

#include <functional>
#include <span>

#include "optim/clip.hpp"
#include "training/checkpoint.hpp"
#include "training/plan.hpp"
#include "training/task.hpp"

namespace fovea::inline FOVEA_REAL {

/// One step of training that does not know the task: forward, backward, clip, update. Returns the loss.
/// DivergedError, with nothing changed, when the loss or a gradient is not finite; it names the op that made
/// it so and the nearest parameter before that (`forward` is called once more to find out, see
/// divergence.hpp).
double descend(const std::function<Loss()>& forward, std::span<const NamedParam> params, Optimizer& optimizer,
               double rate, double max_norm);

/// The first parameter that is not finite, so that a model is not worth saving; null when there is none.
const NamedParam* first_not_finite(std::span<const NamedParam> params);

/// Step number `step` of a plan.
template <Task T>
double train_step(T& task, Plan& plan, std::uint64_t step, Optimizer& optimizer, double max_norm) {
  Rng rng = plan.rng("batch", step);
  const auto batch = std::as_const(task).batch(Split::train, plan.items_of(step), rng);
  const auto forward = [&] {
    Pass pass{.training = true, .rng = plan.rng("pass", step)};
    return task.loss(batch, pass);
  };
  try {
    return descend(forward, parameters(task.model), optimizer, plan.rate(step), max_norm);
  } catch (const DivergedError& error) {
    throw DivergedError(join("step ", step + 1, ": ", error.what(), "; try a lower --lr or --clip-norm"));
  }
}

}  // namespace fovea::inline FOVEA_REAL
