#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "training/checkpoint_file.hpp"
#include "training/descriptor.hpp"
#include "training/metrics.hpp"
#include "training/sink.hpp"
#include "training/version.hpp"
#include "training/watched.hpp"

namespace fovea {

/// A row of the metrics of a run: one for each evaluation.
struct Row {
  std::uint64_t step = 0, epoch = 0;
  double loss = 0;     // mean over the steps since the last row
  double rate = 0;     // of the last step
  double seconds = 0;  // of training up to here, over all sessions
  Metrics metrics;     // on the validation split
};

/// A run directory:
///
///     config.toml  run.json  metrics.csv  metrics.jsonl  watch.jsonl  train.log  result.json
///     checkpoints/last.fovea  checkpoints/best.fovea  checkpoints/step-STEP.fovea (what was last before)
///
/// One process at a time may have it open. Every error says which file and why.
class Run {
 public:
  enum class Open {
    fresh,      // ConfigError when the folder holds anything
    overwrite,  // what an earlier run left is removed; other files stay
    resume      // goes on with what is there
  };
  Run(std::filesystem::path folder, Open how, Label label);
  ~Run();
  Run(const Run&) = delete;
  Run& operator=(const Run&) = delete;

  const std::filesystem::path& folder() const { return folder_; }
  const Label& label() const { return label_; }
  std::filesystem::path last() const { return last_of(folder_); }
  std::filesystem::path best() const { return best_of(folder_); }
  static std::filesystem::path last_of(const std::filesystem::path& folder);
  static std::filesystem::path best_of(const std::filesystem::path& folder);

  /// Lets `write` replace `last`. What was there before stays as step-STEP.fovea, with the newest `keep`
  /// saves in all; only a whole checkpoint is kept.
  void save_last(std::uint64_t step, std::uint64_t keep,
                 const std::function<void(const std::filesystem::path&)>& write);

  /// The step of `last`; nothing where there is none that is whole.
  std::optional<std::uint64_t> last_step();

  /// Writes config.toml (from the label) and run.json.
  void describe(const About& about, std::uint64_t seed, std::uint64_t parameters, const std::string& command);
  /// Forgets rows after `step`: the run goes on from there and will write them again.
  void rewind(std::uint64_t step);
  void add(const Row& row);
  void add(const Watched& seen);
  /// The loss at the first look of --watch, if there is one.
  std::optional<double> first_watched_loss() const { return first_watched_loss_; }
  /// Seconds of training up to the last row.
  double seconds() const { return seconds_; }

  /// Lets a sink follow what is written from now on.
  void follow(std::unique_ptr<RunSink> sink) { sink_ = std::move(sink); }
  /// Null when there is none.
  RunSink* sink() const { return sink_.get(); }

  /// Writes result.json, the mark of a run that came to its end: what was measured of its model, and what it
  /// took. `measured` is a JSON object.
  void conclude(const Position& at, std::uint64_t parameters, const std::string& measured);

  /// A line of train.log.
  void log(const std::string& text);
  /// As well, but never an error: what is warned of matters more than that it cannot be written.
  void warn(const std::string& text);

 private:
  struct Log;
  std::filesystem::path folder_;
  Label label_;
  double seconds_ = 0;
  std::optional<double> first_watched_loss_;
  std::optional<std::uint64_t> last_step_;  // of the whole checkpoint that is `last`, once it is known
  Descriptor lock_;                         // the folder
  std::unique_ptr<Log> log_;
  std::unique_ptr<RunSink> sink_;
};

/// The checkpoints of a run's folder that training can go on from: the last one, whether it is there or not,
/// those before it, and the best one.
std::vector<std::filesystem::path> to_resume_from(const std::filesystem::path& folder);

/// runs/TASK, or of runs/TASK-2, runs/TASK-3, … the one after the highest number that is there.
std::filesystem::path next_run(const std::string& task);
/// The folder of these with the highest number; ConfigError when there is none.
std::filesystem::path newest_run(const std::string& task);

}  // namespace fovea
