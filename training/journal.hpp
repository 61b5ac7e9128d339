#pragma once

#include <chrono>
#include <string>

#include "training/plan.hpp"
#include "training/progress.hpp"
#include "training/run.hpp"
#include "training/watched.hpp"

namespace fovea {

/// Keeps count of a training run, and tells its progress: to the terminal, and to a run directory if there
/// is one. Changes the position, never the model.
class Journal {
 public:
  Journal(const Plan& plan, Position& position, Run* run);

  /// One step more is done.
  void step(double loss);
  /// One step more was left out, for this reason.
  void skipped(const std::string& reason);
  /// Of the steps since the last row.
  double mean_loss() const { return at_.mean_loss(); }
  /// Tells what was seen of a step, and what is amiss.
  void watched(const Watched& seen, const std::vector<std::string>& findings);
  /// True when the model is better than the best so far. Only an evaluation that is due makes it the best,
  /// or tries the patience: the one at the end, where it is not due, would not have been made in a longer
  /// run, and a resumed run is that longer run.
  bool evaluated(const Metrics& metrics);
  /// Closes the books on the steps since the last evaluation, for a task that has none.
  void summed();

 private:
  void write(const Metrics& metrics);
  std::string status() const;

  const Plan& plan_;
  Position& at_;
  Run* run_;
  Progress progress_;
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
  double seconds_before_ = 0;
  std::string shown_;  // the selected metric
};

}  // namespace fovea
