#include "cli/tasks.hpp"

#include "cli/task_entry.hpp"
#include "examples/cities/task.hpp"

namespace fovea::inline FOVEA_REAL {

std::span<const TaskEntry> tasks() {
  static const std::vector<TaskEntry> all{entry<cities::CitiesTask>()};
  return all;
}

}  // namespace fovea::inline FOVEA_REAL
