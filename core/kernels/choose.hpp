#pragma once

#include <vector>

#include "core/kernels/kernels.hpp"

namespace fovea::inline FOVEA_REAL {

/// The kernels in use: the best level that this CPU can run, or the one that the environment variable
/// FOVEA_LEVEL names at the first call. ConfigError when that level is not there.
const Kernels& kernels();

/// Every level that this program has and this CPU can run, lowest first.
std::vector<const Kernels*> supported_kernels();

/// Throws Error when a member of the table was left out. Every table is checked as it is made.
void check_whole(const Kernels& table);

}  // namespace fovea::inline FOVEA_REAL
