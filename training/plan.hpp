#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "core/random.hpp"
#include "optim/schedule.hpp"
#include "training/config.hpp"

namespace fovea {

/// What happens at which step, and with which random numbers: a function of the settings, the size of the
/// data and the step alone, so that a run can be left and taken up anywhere.
class Plan {
 public:
  /// ConfigError when there is nothing to train on.
  Plan(const TrainConfig& config, std::uint64_t items);

  std::uint64_t items() const { return items_; }
  std::uint64_t steps_per_epoch() const { return steps_per_epoch_; }
  /// Steps of the whole run.
  std::uint64_t total() const { return total_; }
  /// Passes over the data that have been started after this many steps.
  std::uint64_t epoch(std::uint64_t step) const { return (step + steps_per_epoch_ - 1) / steps_per_epoch_; }

  double rate(std::uint64_t step) const { return schedule_.rate(step); }
  /// The items of a step: each epoch goes through all of them in its own order; its last step may have fewer.
  std::span<const std::size_t> items_of(std::uint64_t step);
  /// A stream of this step for one purpose.
  Rng rng(std::string_view purpose, std::uint64_t step) const;

  /// Whether an evaluation is due after so many steps, whatever the number of steps in all.
  bool due(std::uint64_t steps) const { return steps % eval_every_ == 0; }
  /// Whether to evaluate, to save, after so many steps. Both happen at the end.
  bool evaluates(std::uint64_t steps) const { return due(steps) || steps == total_; }
  bool saves(std::uint64_t steps) const;

 private:
  std::uint64_t items_, batch_, seed_, steps_per_epoch_, total_, eval_every_, save_every_;
  Schedule schedule_;
  std::uint64_t ordered_epoch_ = 0;
  std::vector<std::size_t> order_;
};

}  // namespace fovea
