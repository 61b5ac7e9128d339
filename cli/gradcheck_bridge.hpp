#pragma once

#include <string>
#include <utility>
#include <vector>

namespace fovea {

/// Checks the gradients of a task's model in double precision, in a program that is built in single: this
/// function is compiled in the other build, so its signature has nothing that depends on it. Fills `report`;
/// returns whether all is well.
bool gradcheck_in_double(const std::string& task,
                         const std::vector<std::pair<std::string, std::string>>& flags, std::string& report);

}  // namespace fovea
