#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "optim/schedule.hpp"
#include "training/entries.hpp"

namespace fovea {

/// What a checkpoint says about itself, beside its numbers.
struct Label {
  std::string task;                                       // name of the task
  std::string config;                                     // every setting, as TOML
  std::vector<std::pair<std::string, std::string>> data;  // file → checksum of what was trained on
};

/// How far training has come. Everything random follows from the seed and these counts.
struct Position {
  std::uint64_t step = 0;   // steps done
  std::uint64_t items = 0;  // size of the training split
  bool has_best = false;
  double best = 0;                     // the selected metric of the best model so far
  std::vector<double> best_ties = {};  // and what decides where that is equal
  std::uint64_t best_step = 0;
  std::uint64_t stale = 0;  // evaluations since then
  double loss_sum = 0;      // since the last evaluation, for the mean that is logged
  std::uint64_t loss_count = 0;
  std::uint64_t skipped = 0;   // steps in a row, up to this one, that were left out as not finite
  Plateau::Seen plateau = {};  // what the plateau schedule has seen

  /// NaN where no step has been made since then.
  double mean_loss() const;

  bool operator==(const Position&) const = default;
};

/// The content of a `.fovea` file:
///
///     task, config, data/files, data/checksums   texts
///     state/NAME                                  what the task saved
///     position/NAME                               u64 and f64, one value each
///     param/PATH, buffer/PATH                     f32 or f64 with their shapes
///     weights/PATH                                with --ema the weights in training, param/ their averages
///     optimizer/steps, optimizer/PATH/MOMENT
struct Checkpoint {
  std::string origin;  // path it was read from, for messages
  Label label;
  Position position;
  Entries entries;  // all that was wanted of it
};

/// The bytes of a file, and what such bytes hold. Reading verifies all of it: CheckpointError `origin: …`.
std::string checkpoint_bytes(const Label& label, const Position& position, const Entries& numbers);
Checkpoint parse_checkpoint(std::string_view bytes, const std::string& origin);

/// The file is not whole, or never was a checkpoint.
struct DamagedError : CheckpointError {
  using CheckpointError::CheckpointError;
};

/// The path of a parameter or buffer; empty for another entry.
std::string_view array_path(const Entry& entry);
/// True for what training alone needs: moments of an optimiser, weights behind their averages.
bool is_of_training(std::string_view name);

/// What is wanted of a checkpoint: to predict, all but `optimizer/` and `weights/`, which may be two thirds
/// of it.
enum class Reading { all, to_predict };
/// Reads and verifies a file, also what is not wanted of it. DamagedError, or another CheckpointError for a
/// file of a newer version or one that cannot be read, says which file, what is wrong and, where there is
/// something, what to do.
Checkpoint read_checkpoint(const std::filesystem::path& path, Reading what = Reading::all);
/// Replaces `path` by `label`, `position` and `numbers` in one step: after a crash it is either the old file
/// or the new one. Error when it cannot be written, as of `replace_file`.
void write_checkpoint(const std::filesystem::path& path, const Label& label, const Position& position,
                      const Entries& numbers);

}  // namespace fovea
