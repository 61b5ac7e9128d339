#pragma once

#include <csignal>
#include <functional>
#include <span>

#include "autograd/engine.hpp"
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

/// The loss of one batch is not finite.
struct BatchDiverged : DivergedError {
  BatchDiverged(const std::string& text, std::uint64_t in_batch) : DivergedError(text), batch(in_batch) {}
  std::uint64_t batch;  // of the step, from 0
};

/// One step of training that does not know the task: forward and backward of each batch, clip, update.
/// Returns the loss, Σ nₖ lossₖ / Σ nₖ over the batches k = 0 … batches-1, where nₖ is what a batch's loss is
/// averaged over; the gradient is that of this loss, which is the one of all batches joined. Frozen
/// parameters take no part.
/// DivergedError, with nothing changed, when the loss (then it is a BatchDiverged) or a gradient is not
/// finite; it names the op that made it so and the nearest parameter before that (`forward` is called once
/// more to find out, see divergence.hpp). Error when the batches are averaged over nothing though there is a
/// loss.
double descend(const std::function<Loss(std::uint64_t batch)>& forward, std::uint64_t batches,
               std::span<const NamedParam> params, const Update& update);

/// The first parameter that is not finite, so that a model is not worth saving; null when there is none.
const NamedParam* first_not_finite(std::span<const NamedParam> params);

/// The loss of items of the training split as batch `number` of a step has it: with the step's random
/// numbers. By itself a step's batch has `plan.items_of(step, number)`.
template <Task T>
Loss batch_loss(T& task, const Plan& plan, std::uint64_t step, std::uint64_t number,
                std::span<const std::size_t> items, Observations* observations = nullptr) {
  Rng rng = plan.rng("batch", step, number);
  const auto batch = std::as_const(task).batch(Split::train, items, rng);
  Pass pass{
      .training = true, .rng = plan.rng("pass", step, number), .step = step, .observations = observations};
  return task.loss(batch, pass);
}

namespace detail {

/// `; items 3, 17 alone make it so: look at these data`, from the items of a batch whose loss is not finite
/// and those of them that have such a loss alone; with what to try.
std::string blamed(std::span<const std::size_t> items, std::span<const std::size_t> alone);

/// Says which items of a batch are to blame for its loss, as `blamed`.
template <Task T>
std::string blame(T& task, Plan& plan, std::uint64_t step, std::uint64_t number) {
  const NoGrad no_graph;
  const std::span<const std::size_t> items = plan.items_of(step, number);
  std::vector<std::size_t> alone;
  for (const std::size_t& item : items) {
    const Loss loss = batch_loss(task, plan, step, number, std::span(&item, 1));
    if (!all_finite(loss.value.value())) alone.push_back(item);
  }
  return blamed(items, alone);
}

}  // namespace detail

/// Step number `step` of a plan. A DivergedError says which step and batch it came to and, if it `blames`,
/// which items: that takes a forward pass for each of them.
template <Task T>
double train_step(T& task, Plan& plan, std::uint64_t step, const Update& update, bool blames = true) {
  const auto forward = [&](std::uint64_t number) {
    if (plan.interrupts(step, number)) std::raise(SIGINT);
    return batch_loss(task, plan, step, number, plan.items_of(step, number));
  };
  const std::uint64_t batches = plan.batches(step);
  try {
    return descend(forward, batches, parameters(task.model), update);
  } catch (const BatchDiverged& error) {
    throw DivergedError(join("step ", step + 1, ", batch ", error.batch + 1, " of ", batches, ": ",
                             error.what(),
                             blames ? detail::blame(task, plan, step, error.batch) : std::string()));
  } catch (const DivergedError& error) {
    throw DivergedError(join("step ", step + 1, ": ", error.what(), "; try a lower --lr or --clip-norm"));
  }
}

}  // namespace fovea::inline FOVEA_REAL
