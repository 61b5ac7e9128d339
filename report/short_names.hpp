#pragma once

#include <string>
#include <vector>

#include "report/picture.hpp"

namespace fovea::report {

/// Names as short as they can be and still differ: of paths that differ in one number `layer 0, head 1`, else
/// what is left behind the parts that all paths begin with; of a single path its head, or itself. What is no
/// path, as `mean of all`, stays.
std::vector<std::string> short_names(const HeatMap& map);

}  // namespace fovea::report
