#pragma once

#include <string>
#include <vector>

namespace fovea {

/// The names that `make_optimizer` knows (see optimizer.hpp).
const std::vector<std::string>& optimizer_names();

}  // namespace fovea
