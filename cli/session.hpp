#pragma once

#include <memory>
#include <string>

#include "cli/tasks.hpp"
#include "training/plan.hpp"
#include "training/run.hpp"

// What `train` does around `fit`, as far as it does not depend on the task's type.

namespace fovea {

/// Where a run lives and what it starts from.
struct Session {
  std::filesystem::path folder;
  Run::Open how = Run::Open::fresh;
  std::unique_ptr<Checkpoint> from;  // when it is resumed
  std::string fallback;              // why `from` is not the last checkpoint, if it is not
};

/// Brings the settings together (flags over file over checkpoint or defaults), finds the folder, and sets the
/// number of threads. A resumed run refuses settings that would make it another run.
Session open_session(Settings& settings, const std::string& task, const TrainRequest& request);

/// CheckpointError when the data are not those that the checkpoint was trained on.
void check_continues(const Checkpoint& from, const Label& label, std::uint64_t items);

/// Runs `fit` and puts what it throws into the log.
template <class Fit>
auto guarded(Run& run, const Fit& fit) {
  try {
    return fit();
  } catch (const std::exception& error) {
    run.warn(error.what());
    throw;
  }
}

/// `step,lr` of every step of the run, as metrics.csv counts them. ConfigError for the plateau, whose rates
/// are not known before its evaluations.
std::string rates_table(const Plan& plan);

// Words for people, on stderr and in the log; `print_result` on stdout and in result.json.
void announce(const Session& session, Run& run, const std::vector<std::string>& notes);
int interrupted(const Session& session, Run& run, const TrainRequest& request, const Position& at,
                int signal);
void conclude(Run& run, const Position& at, bool stopped_early, bool last_is_better);
void print_result(Run& run, const Position& at, std::uint64_t parameters, const Evaluation& result);

}  // namespace fovea
