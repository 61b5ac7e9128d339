#pragma once

#include <functional>
#include <span>

#include "optim/clip.hpp"
#include "optim/groups.hpp"
#include "training/checkpoint.hpp"
#include "training/plan.hpp"
#include "training/task.hpp"

namespace fovea::inline FOVEA_REAL {

/// How a step changes the parameters.
struct Update {
  Optimizer& optimizer;
  double rate;
  double max_norm = 0;  // of the gradient of all batches together; 0: any
  std::span<const ParamGroup> groups = {};
};

/// One step of training that does not know the task: forward and backward of each batch, clip, update.
/// Returns the loss, Σ nₖ lossₖ / Σ nₖ over the batches k = 0 … batches-1, where nₖ is what a batch's loss is
/// averaged over; the gradient is that of this loss, which is the one of all batches joined. Frozen
/// parameters take no part.
/// DivergedError, with nothing changed, when the loss or a gradient is not finite; it names the op that made
/// it so and the nearest parameter before that (`forward` is called once more to find out, see
/// divergence.hpp). Error when the batches are averaged over nothing though there is a loss.
double descend(const std::function<Loss(std::uint64_t batch)>& forward, std::uint64_t batches,
               std::span<const NamedParam> params, const Update& update);

/// The first parameter that is not finite, so that a model is not worth saving; null when there is none.
const NamedParam* first_not_finite(std::span<const NamedParam> params);

/// Step number `step` of a plan.
template <Task T>
double train_step(T& task, Plan& plan, std::uint64_t step, const Update& update) {
  const auto forward = [&](std::uint64_t number) {
    Rng rng = plan.rng("batch", step, number);
    const auto batch = std::as_const(task).batch(Split::train, plan.items_of(step, number), rng);
    Pass pass{.training = true, .rng = plan.rng("pass", step, number), .step = step};
    return task.loss(batch, pass);
  };
  try {
    return descend(forward, plan.batches(step), parameters(task.model), update);
  } catch (const DivergedError& error) {
    throw DivergedError(join("step ", step + 1, ": ", error.what(), "; try a lower --lr or --clip-norm"));
  }
}

}  // namespace fovea::inline FOVEA_REAL
