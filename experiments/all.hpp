#pragma once

#include "experiments/experiment.hpp"

namespace fovea::experiments {

// Each is in the file of its name.
Experiment scaling();
Experiment series();
Experiment entropy();
Experiment small_data();

}  // namespace fovea::experiments
