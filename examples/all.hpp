#pragma once

#include "examples/cities/task.hpp"
#include "examples/classify/task.hpp"
#include "examples/forecast/task.hpp"
#include "examples/g2p/task.hpp"
#include "examples/sequences/pairs_task.hpp"

namespace fovea::inline FOVEA_REAL {

template <class... T>
struct TaskList {};

/// The tasks that come with Fovea.
using AllTasks =
    TaskList<cities::CitiesTask, classify::ClassifyTask, sequences::G2pTask, sequences::PairsTask,
             forecast::ForecastTask, sequences::ToyTaskOf<sequences::Toy::copy>,
             sequences::ToyTaskOf<sequences::Toy::reverse>, sequences::ToyTaskOf<sequences::Toy::sort>>;

}  // namespace fovea::inline FOVEA_REAL
