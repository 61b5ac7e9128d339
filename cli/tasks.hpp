#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "report/picture.hpp"
#include "training/metrics.hpp"
#include "training/predictor.hpp"
#include "training/settings.hpp"

namespace fovea {

struct TrainRequest {
  Given flags;
  std::string config_file;  // empty: none
  bool resume = false, overwrite = false;
  bool print_rates = false;      // instead of training
  std::string program, command;  // its name and the whole line, as typed
};

struct EvaluateRequest : UseRequest {
  Split split = Split::test;
};
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
  bool answers_data;  // as a whole, not line by line
  /// For a task that shows items to look at: else empty.
  std::vector<report::Picture> (*pictures)(const Checkpoint&, const UseRequest&, const report::Wanted&);
  /// Compares every gradient of a tiny model with differences. Only meaningful in double.
  bool (*gradcheck)(Settings&, std::string& report);
};

}  // namespace fovea

namespace fovea::inline FOVEA_REAL {

/// The tasks that this program knows. Defined by the program (cli/tasks.cpp), once for each precision.
std::span<const TaskEntry> tasks();

}  // namespace fovea::inline FOVEA_REAL
