#pragma once

#include <span>
#include <string>

#include "cli/places.hpp"

namespace fovea {

/// The manual page fovea(1), as man reads it: `fovea manual | man -l -`.
std::string manual(std::span<const Place> places);

}  // namespace fovea
