#include "cli/task_entry.hpp"
#include "training/line_task.hpp"

// The tasks of the program that the tests run.

namespace fovea::inline FOVEA_REAL {

std::span<const TaskEntry> tasks() {
  static const std::vector<TaskEntry> all{entry<LineTask>()};
  return all;
}

}  // namespace fovea::inline FOVEA_REAL
