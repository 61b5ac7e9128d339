#pragma once

#include <filesystem>

#include "core/real.hpp"
#include "training/predictor.hpp"
#include "training/settings.hpp"

namespace fovea::inline FOVEA_REAL {

/// Loads a checkpoint of any task that comes with Fovea (`fovea list`), to answer with. `settings` are those
/// that `fovea predict` takes, names without dashes: {{"beam", "5"}}; `data` names other data than in
/// training.
///
/// CheckpointError for a file that is none or is damaged, with what to do; ConfigError for a task or a
/// setting that is not known; DataError for data that the task needs and cannot read.
Predictor load_predictor(const std::filesystem::path& checkpoint, const Given& settings = {});

}  // namespace fovea::inline FOVEA_REAL
