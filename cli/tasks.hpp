#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "training/checkpoint_file.hpp"
#include "training/config.hpp"
#include "training/metrics.hpp"

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

/// Flags in the order given, name without dashes → text.
using Given = std::vector<std::pair<std::string, std::string>>;
bool is_given(const Given& flags, std::string_view name);

struct TrainRequest {
  Given flags;
  std::string config_file;  // empty: none
  bool resume = false, overwrite = false;
  bool print_rates = false;      // instead of training
  std::string program, command;  // its name and the whole line, as typed
};

/// How a trained model is used.
struct UseRequest {
  std::string data;  // replaces the task's `data` setting; empty: as in training
  Given flags;       // of settings that are for later, too: see Option::also_later
};
struct EvaluateRequest : UseRequest {
  Split split = Split::test;
};
/// From lines of input to what is printed for each. DataError for a line that cannot be read.
using Predictor = std::function<std::vector<std::string>(std::span<const std::string> lines, bool json)>;
struct Evaluation {
  Split split = Split::test;
  std::size_t items = 0;  // of the split
  Metrics metrics;
  std::string report;  // for people

  /// One object: split, items, then the metrics.
  std::string json() const;
};

/// A task without its type. No signature knows of the precision.
struct TaskEntry {
  std::string name, about;
  std::unique_ptr<Settings> (*settings)();
  /// Trains, and returns the exit code: 0, or 128 + signal.
  int (*train)(Settings&, const TrainRequest&);
  Evaluation (*evaluate)(const Checkpoint&, const EvaluateRequest&);
  Predictor (*predictor)(const Checkpoint&, const UseRequest&);
  /// For a task that answers from its data as a whole, not line by line: else empty.
  std::string (*predict_data)(const Checkpoint&, const UseRequest&, bool json);
  /// Compares every gradient of a tiny model with differences. Only meaningful in double.
  bool (*gradcheck)(Settings&, std::string& report);
};

}  // namespace fovea

namespace fovea::inline FOVEA_REAL {

/// The tasks that this program knows. Defined by the program (cli/tasks.cpp), once for each precision.
std::span<const TaskEntry> tasks();

}  // namespace fovea::inline FOVEA_REAL
