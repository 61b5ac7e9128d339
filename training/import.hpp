#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "training/checkpoint_file.hpp"
#include "training/unread.hpp"

namespace fovea {

/// How many values of an array are not finite.
struct NotFinite {
  std::string path;
  std::uint64_t count = 0, of = 0;
};

/// Writes `into` to `out` with its parameters and buffers replaced by `arrays`, by path and converted to the
/// kind that they have in `into`. With `globs`, only those whose paths fit one of them are replaced, and what
/// else there is in `arrays` does not matter.
///
/// What training knew is left out, since it was of other weights: the optimiser's moments, the weights behind
/// averages, the best metric, the step. What the task saved (a vocabulary, a normaliser) stays.
///
/// Returns what is worth a warning: arrays that were put in and hold NaN or infinity.
///
/// CheckpointError that lists all that is missing, unexpected, of another shape, not read or beyond the range
/// of the kind; `origin` says where `arrays` are from. ConfigError for a glob that fits no path of `into`.
/// Nothing is written then.
std::vector<NotFinite> write_imported(const std::filesystem::path& out, const Checkpoint& into,
                                      const Arrays& arrays, const std::string& origin,
                                      std::span<const std::string> globs = {});

}  // namespace fovea
