#include "cli/task_entry.hpp"
#include "examples/classify/task.hpp"
#include "examples/forecast/task.hpp"
#include "examples/g2p/task.hpp"
#include "examples/sequences/pairs_task.hpp"
#include "training/line_task.hpp"

// The tasks of the program that the tests run.

namespace fovea::inline FOVEA_REAL {

std::span<const TaskEntry> tasks() {
  static const std::vector<TaskEntry> all{
      entry<LineTask>(),
      entry<classify::ClassifyTask>(),
      entry<sequences::G2pTask>(),
      entry<sequences::PairsTask>(),
      entry<forecast::ForecastTask>(),
      entry<sequences::ToyTaskOf<sequences::Toy::copy>>(),
  };
  return all;
}

}  // namespace fovea::inline FOVEA_REAL
