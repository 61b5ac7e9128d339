#pragma once

#include <concepts>
#include <span>

#include "autograd/variable.hpp"
#include "core/random.hpp"
#include "modules/fields.hpp"
#include "modules/pass.hpp"
#include "training/metrics.hpp"
#include "training/state.hpp"

namespace fovea::inline FOVEA_REAL {

/// What one batch costs: a scalar in a graph, averaged over `count` items (or tokens), which is how much it
/// weighs beside the batches that are accumulated with it. 0 when there was nothing but padding.
struct Loss {
  Variable value;
  double count = 0;
};

/// Says that a task is made to be loaded, and reads no data to train on.
struct WithoutData {};

/// All that training needs of an example:
///
///     struct MyTask {
///       using Batch = …;
///       MyModel model;
///       double entropy_weight = 0;                       // optional: set from --entropy; `loss` applies it
///       std::size_t size(Split) const;
///       std::size_t length(Split, std::size_t item) const;   // optional: batches are of like lengths
///       Batch batch(Split, std::span<const std::size_t> items, Rng&) const;
///       Loss loss(const Batch&, Pass&);
///       Metrics evaluate(Split);                         // called under NoGrad
///       template <class Archive> void state(Archive&);   // vocabulary, normaliser: whatever predict needs
///     };
///
/// All randomness comes from the Rng and the Pass it is given, which depend on (seed, step) alone: that is
/// what makes a resumed run equal to the uninterrupted one, bit for bit. `state` is walked to save and to
/// load (`Archive::reading`); parameters are loaded after it, so it may still resize the model.
template <class T>
concept Task = requires(T& task, const T& constant, std::span<const std::size_t> items, Rng& rng, Pass& pass,
                        StateWriter& writer, StateReader& reader) {
  parameters(task.model);
  { constant.size(Split::train) } -> std::convertible_to<std::size_t>;
  {constant.batch(Split::train, items, rng)};
  { task.loss(constant.batch(Split::train, items, rng), pass) } -> std::same_as<Loss>;
  { task.evaluate(Split::validation) } -> std::same_as<Metrics>;
  task.state(writer);
  task.state(reader);
};

}  // namespace fovea::inline FOVEA_REAL
