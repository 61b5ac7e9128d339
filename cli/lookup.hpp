#pragma once

#include <string>

#include "cli/tasks.hpp"

namespace fovea {

/// The task of this name; ConfigError with a suggestion when there is none.
const TaskEntry& task_named(std::span<const TaskEntry> among, const std::string& name);

}  // namespace fovea
