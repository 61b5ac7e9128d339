#pragma once

#include "experiments/experiment.hpp"

namespace fovea::experiments {

// Each is in the file of its name.
Experiment scaling();
Experiment bridge();
Experiment series();
Experiment entropy();
Experiment match();
Experiment small_data();
Experiment init();

}  // namespace fovea::experiments
