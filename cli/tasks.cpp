#include "cli/tasks.hpp"

#include "cli/task_entry.hpp"
#include "examples/cities/task.hpp"
#include "examples/classify/task.hpp"
#include "examples/forecast/task.hpp"
#include "examples/g2p/task.hpp"
#include "examples/sequences/pairs_task.hpp"

namespace fovea::inline FOVEA_REAL {

std::span<const TaskEntry> tasks() {
  static const std::vector<TaskEntry> all{
      entry<cities::CitiesTask>(),
      entry<classify::ClassifyTask>(),
      entry<sequences::G2pTask>(),
      entry<sequences::PairsTask>(),
      entry<forecast::ForecastTask>(),
      entry<sequences::ToyTaskOf<sequences::Toy::copy>>(),
      entry<sequences::ToyTaskOf<sequences::Toy::reverse>>(),
      entry<sequences::ToyTaskOf<sequences::Toy::sort>>(),
  };
  return all;
}

}  // namespace fovea::inline FOVEA_REAL
