#pragma once

#include <vector>

#include "core/real.hpp"

namespace fovea::inline FOVEA_REAL::cities {

/// A choice among options, each described by the same few numbers. The first option was chosen.
using Choice = std::vector<std::vector<double>>;

/// Conditional logit (McFadden, 1974): the weights w under which P(option) ∝ exp(w · option) makes the
/// choices most likely. By Newton's method with step halving; a number that never varies gets the weight 0.
std::vector<double> fit_conditional_logit(const std::vector<Choice>& choices);

}  // namespace fovea::inline FOVEA_REAL::cities
