#pragma once

#include <filesystem>
#include <span>
#include <string>

#include "training/checkpoint_file.hpp"

namespace fovea {

/// Writes `into` to `out` with its parameters and buffers replaced by `arrays`, by path and converted to the
/// kind that they have in `into`. With `globs`, only those whose paths fit one of them are replaced, and what
/// else there is in `arrays` does not matter.
///
/// What training knew is left out, since it was of other weights: the optimiser's moments, the weights behind
/// averages, the best metric, the step. What the task saved (a vocabulary, a normaliser) stays.
///
/// CheckpointError that lists all that is missing, unexpected, of another shape or beyond the range of the
/// kind; `origin` says where `arrays` are from. ConfigError for a glob that fits no path of `into`. Nothing
/// is written then.
void write_imported(const std::filesystem::path& out, const Checkpoint& into, const Entries& arrays,
                    const std::string& origin, std::span<const std::string> globs = {});

}  // namespace fovea
