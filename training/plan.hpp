#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "core/random.hpp"
#include "optim/schedule.hpp"
#include "training/config.hpp"
#include "training/metrics.hpp"

namespace fovea {

/// What happens at which step, and with which random numbers: a function of the settings, the size of the
/// data (and its lengths, where they count) and the step alone, so that a run can be left and taken up
/// anywhere.
///
/// With a --train-size below 1 only so many items are used, chosen by the seed; a larger size keeps those of
/// a smaller one.
///
/// A step is one update, from `accumulate` batches. It never reaches over an epoch's end: an epoch's last
/// step has the batches that are left.
class Plan {
 public:
  /// With `lengths`, one for each item, batches are made of items of like length, which saves padding: an
  /// epoch's random order is sorted by length within windows of 50 batches, cut into batches, and the batches
  /// are put in random order (one with fewer items stays last). ConfigError when there is nothing to train
  /// on, or when the schedule lacks what it needs.
  Plan(const TrainConfig& config, std::uint64_t items, std::vector<std::size_t> lengths = {});

  std::uint64_t items() const { return items_; }  // also those that are not used
  std::uint64_t steps_per_epoch() const { return steps_per_epoch_; }
  /// Steps of the whole run.
  std::uint64_t total() const { return total_; }
  /// Passes over the data that have been started after this many steps.
  std::uint64_t epoch(std::uint64_t step) const { return (step + steps_per_epoch_ - 1) / steps_per_epoch_; }

  /// Of the step. The plateau's is without what its evaluations did to it.
  double rate(std::uint64_t step) const { return schedule_.rate(step); }
  const Schedule& schedule() const { return schedule_; }
  /// True when evaluations lower the rate.
  bool observes() const { return plateau_.has_value(); }
  /// Lets the plateau see an evaluation after so many steps. One that is made only because the run ends there
  /// does not count: a longer run would not have made it.
  void observe(std::uint64_t steps, const Metrics& metrics, Plateau::Seen& seen) const;

  /// Number of batches of a step.
  std::uint64_t batches(std::uint64_t step) const;
  /// The items of one of them: each epoch goes through all in its own order; its last batch may have fewer.
  std::span<const std::size_t> items_of(std::uint64_t step, std::uint64_t batch = 0);
  /// A stream of this batch for one purpose.
  Rng rng(std::string_view purpose, std::uint64_t step, std::uint64_t batch = 0) const;

  /// True at the batches that --interrupt-at names, once each.
  bool interrupts(std::uint64_t step, std::uint64_t batch);
  /// How many steps in a row may be left out because a loss or gradient is not finite.
  std::uint64_t may_skip() const { return may_skip_; }

  /// Whether an evaluation is due after so many steps, whatever the number of steps in all.
  bool due(std::uint64_t steps) const { return steps % eval_every_ == 0; }
  /// Whether to evaluate, to save, after so many steps. Both happen at the end.
  bool evaluates(std::uint64_t steps) const { return due(steps) || steps == total_; }
  bool saves(std::uint64_t steps) const;

 private:
  std::uint64_t number_of(std::uint64_t step, std::uint64_t batch) const;  // counted over the whole run
  std::vector<std::size_t> order(std::uint64_t epoch) const;

  std::uint64_t items_, used_, batch_, accumulate_, seed_, batches_per_epoch_, steps_per_epoch_, total_;
  std::uint64_t eval_every_, save_every_, may_skip_;
  std::vector<std::pair<std::uint64_t, std::uint64_t>> interrupts_;  // step and batch, from 0
  std::vector<std::size_t> lengths_;                                 // empty: they do not count
  std::vector<std::size_t> chosen_;                                  // the items that are used; empty: all
  Schedule schedule_;
  std::optional<Plateau> plateau_;
  std::uint64_t ordered_epoch_ = 0;
  std::vector<std::size_t> order_;
};

}  // namespace fovea
