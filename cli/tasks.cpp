#include "cli/tasks.hpp"

#include "cli/task_entry.hpp"
#include "examples/all.hpp"

namespace fovea::inline FOVEA_REAL {
namespace {

template <class... T>
std::vector<TaskEntry> entries(TaskList<T...>) {
  return {entry<T>()...};
}

}  // namespace

std::span<const TaskEntry> tasks() {
  static const std::vector<TaskEntry> all = entries(AllTasks{});
  return all;
}

}  // namespace fovea::inline FOVEA_REAL
