#pragma once

#include <vector>

#include "core/kernels/kernels.hpp"

namespace fovea::inline FOVEA_REAL {

/// The kernels in use: the best level that this CPU can run, or the one that the environment variable
/// FOVEA_LEVEL names at the first call. ConfigError when that level is not there.
const Kernels& kernels();

/// Every level that this program has and this CPU can run, lowest first.
std::vector<const Kernels*> supported_kernels();

}  // namespace fovea::inline FOVEA_REAL
