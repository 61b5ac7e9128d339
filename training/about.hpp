#pragma once

#include "core/real.hpp"
#include "training/version.hpp"

namespace fovea::inline FOVEA_REAL {

/// What this build computes with, on this machine. Chooses kernels, BLAS and threads if nothing did yet.
About about();

}  // namespace fovea::inline FOVEA_REAL
