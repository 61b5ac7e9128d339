#pragma once

#include <memory>
#include <optional>
#include <span>

#include "modules/fields.hpp"
#include "optim/average.hpp"
#include "optim/optimizer.hpp"
#include "training/checkpoint_file.hpp"
#include "training/state.hpp"

namespace fovea::inline FOVEA_REAL {

/// What changes while training, beside the model.
struct FitState {
  Position position;
  std::unique_ptr<Optimizer> optimizer;
  std::optional<WeightAverage> average = {};  // of the weights, where there is one
};

/// While one is alive, the model has the averaged weights, if there are any.
class Averaged {
 public:
  Averaged(std::optional<WeightAverage>& average, std::vector<NamedParam> params)
      : average_(average), params_(std::move(params)) {
    if (average_) average_->swap(params_);
  }
  ~Averaged() {
    if (average_) average_->swap(params_);
  }
  Averaged(const Averaged&) = delete;
  Averaged& operator=(const Averaged&) = delete;

 private:
  std::optional<WeightAverage>& average_;
  std::vector<NamedParam> params_;
};

void add_model(Entries& entries, std::span<const NamedParam> params, std::span<const NamedBuffer> buffers);
void add_optimizer(Entries& entries, const Optimizer& optimizer);
/// While the model has the averages: the weights that they are of.
void add_weights(Entries& entries, const WeightAverage& average);

/// Sets every parameter and buffer by path, also from the other precision. CheckpointError that lists all
/// paths that are missing, unexpected or of another shape; nothing is changed then.
void load_model(const Checkpoint& from, std::span<const NamedParam> params,
                std::span<const NamedBuffer> buffers);
/// Sets only what a glob of `globs` matches, or all without any; what else the file holds does not count
/// then. Errors as above, and ConfigError for a glob that matches nothing of the model. Returns the number of
/// arrays that were set.
std::size_t load_part(const Checkpoint& from, std::span<const NamedParam> params,
                      std::span<const NamedBuffer> buffers, std::span<const std::string> globs);
/// Sets the optimiser's steps and moments by path, in the same manner. A parameter may lack moments: it has
/// not had a gradient yet.
void load_optimizer(const Checkpoint& from, std::span<const NamedParam> params, Optimizer& optimizer);

/// The model that was loaded becomes the average, and what `add_weights` wrote the model.
void load_weights(const Checkpoint& from, std::span<const NamedParam> params, WeightAverage& average);

namespace detail {

template <class T>
void add_task(Entries& entries, T& task) {
  StateWriter writer(entries);
  task.state(writer);
  add_model(entries, parameters(task.model), buffers(task.model));
}

// The task's own state first, then the model, whose sizes may follow from it.
template <class T>
void read_task(const Checkpoint& from, T& task) {
  StateReader reader(from.entries);
  task.state(reader);
  reader.finish();
  load_model(from, parameters(task.model), buffers(task.model));
}

// Which shapes fit is known only once the task has its state. So it is kept in mind what the task was, and
// brought back when `load` throws.
template <class T, class Load>
void whole_or_not(T& task, const Load& load) {
  Checkpoint before;
  add_task(before.entries, task);
  try {
    load();
  } catch (...) {
    read_task(before, task);
    throw;
  }
}

}  // namespace detail

template <class T>
void save_checkpoint(const std::filesystem::path& path, T& task, FitState& state, const Label& label) {
  Entries numbers;
  const Averaged averaged(state.average, parameters(task.model));
  detail::add_task(numbers, task);
  add_optimizer(numbers, *state.optimizer);
  if (state.average) add_weights(numbers, *state.average);
  write_checkpoint(path, label, state.position, numbers);
}

/// The task's own state, then its parameters and buffers. When anything does not fit the task is left as it
/// was.
template <class T>
void load_task(const Checkpoint& from, T& task) {
  detail::whole_or_not(task, [&] { detail::read_task(from, task); });
}

/// The same for a task that was made to be loaded, and that nobody uses when it cannot be: nothing is kept of
/// what it was.
template <class T>
void load_new_task(const Checkpoint& from, T& task) {
  detail::read_task(from, task);
}

/// `load_task` with the optimiser and the position.
template <class T>
void load_checkpoint(const Checkpoint& from, T& task, FitState& state) {
  detail::whole_or_not(task, [&] {
    detail::read_task(from, task);
    load_optimizer(from, parameters(task.model), *state.optimizer);
    if (state.average) load_weights(from, parameters(task.model), *state.average);
  });
  state.position = from.position;
}

}  // namespace fovea::inline FOVEA_REAL
