#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "report/picture.hpp"

// Heads of heat maps, where there are more than a page can hold.

namespace fovea::report {

/// Which of `all` stay where there is room for `most`: the first one, and others evenly spread, so that each
/// layer has its turn.
std::vector<std::size_t> spread(std::size_t all, std::size_t most);

/// Leaves heads out until the pictures' heat maps have at most `weights` weights in all: as many for each map
/// as there is room for. Where even a head for each is too much, the later kinds of attention go first, then
/// the later pictures; the first map of all keeps its first head. `HeatMap::left_out` counts what is gone.
void leave_out_heads(std::span<Picture> pictures, std::size_t weights);

}  // namespace fovea::report
