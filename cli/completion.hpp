#pragma once

#include <span>
#include <string>

#include "cli/places.hpp"

namespace fovea {

/// A script with which `bash`, `zsh` or `fish` completes commands, tasks, options and their values.
/// ConfigError for another shell.
std::string completion(std::span<const Place> places, const std::string& shell);

}  // namespace fovea
