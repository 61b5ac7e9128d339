#pragma once

#include "experiments/experiment.hpp"

namespace fovea::experiments {

/// Which number of a training goes into which column.
struct Recorded {
  std::string metric;  // as of Trained
  std::string column;
};

/// A row of a table that trainings fill, one for each seed.
struct Trial {
  std::string row, task;
  Given settings;
  std::vector<Recorded> recorded;
};

/// Trains every trial with every seed of the lab. Trials may share a row.
void run_trials(const Lab& lab, const std::string& table, std::span<const Trial> trials, Figures& into);

/// `settings` with others behind them; of one that is there twice the last counts.
Given with(Given settings, const Given& others);

}  // namespace fovea::experiments
