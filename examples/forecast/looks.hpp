#pragma once

#include <vector>

#include "modules/probe.hpp"

namespace fovea::inline FOVEA_REAL::forecast {

/// The weight of each row of the history, [L], for row `step` of the horizon of the one window that was seen.
/// Of a Transformer over patches of `patch` rows (else 0): what the last layer's heads and patches look at,
/// each patch's weight on its rows alike.
std::vector<double> weights_of(const Observed& one, std::size_t step, std::size_t history, std::size_t patch);

}  // namespace fovea::inline FOVEA_REAL::forecast
