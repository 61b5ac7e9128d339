#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "training/checkpoint_file.hpp"
#include "training/config.hpp"

namespace fovea {

/// Every setting of one task: those common to training and the task's own, with one description of both.
struct Settings {
  Settings() = default;
  Settings(const Settings&) = delete;
  virtual ~Settings() = default;

  /// Sets what belongs together under a name. Only tasks with a setting `preset` have any.
  virtual void use_preset(const std::string& name) = 0;
  /// Fills in what follows from the others, once all are known.
  virtual void resolve() = 0;

  TrainConfig train;
  Options options;
};

/// Settings in the order given, name without dashes → text.
using Given = std::vector<std::pair<std::string, std::string>>;
bool is_given(const Given& flags, std::string_view name);

/// How a trained model is used.
struct UseRequest {
  std::string data;  // replaces the task's `data` setting; empty: as in training
  Given flags;       // of settings that are for later, too: see Option::also_later
};

/// Settings as a checkpoint holds them, with what is to be otherwise this time. ConfigError for what a
/// trained model does not take, CheckpointError for a config that cannot be read.
void read_settings(Settings& settings, const Checkpoint& from, const UseRequest& use);

/// DataError, with what to do, where the data that a checkpoint was trained with are not where its settings
/// say: a path may have been one from another folder.
void check_data_are_there(Settings& settings, const Checkpoint& from, const UseRequest& use);

}  // namespace fovea
