#pragma once

#include "experiments/experiment.hpp"

namespace fovea::experiments {

// Each is in the file of its name.
Experiment scaling();
Experiment cost();
Experiment bridge();
Experiment series();
Experiment entropy();
Experiment approximation();
Experiment match();
Experiment length();
Experiment small_data();
Experiment init();

}  // namespace fovea::experiments
