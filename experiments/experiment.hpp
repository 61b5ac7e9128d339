#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include "experiments/account/account.hpp"
#include "training/settings.hpp"

// A claim of the field, measured. An experiment is what it measures and how the figures are told (its
// Account); each is a file of this folder, and experiments() lists them.

namespace fovea::experiments {

/// One training as `fovea train` does it.
struct Training {
  std::string task;
  Given settings;
  std::uint64_t seed = 1;
};

/// What came of it.
struct Trained {
  bool diverged = false;
  double seconds = 0;
  std::uint64_t parameters = 0, peak_bytes = 0;
  std::map<std::string, double> metrics;  // of the part to test with, by the names of `fovea evaluate --json`

  /// A metric, or `seconds`, `parameters`, `peak_mb`. NaN of a training that diverged; Error, with the names
  /// there are, for another name.
  double operator[](const std::string& name) const;
};

/// What an experiment has at hand.
struct Lab {
  bool quick = false;                // a rehearsal: all of it, with figures that mean nothing, in seconds
  std::vector<std::uint64_t> seeds;  // of each training or draw
  std::map<std::string, std::string> files;  // data that do not come with Fovea, by name: `etth1`
  std::filesystem::path folder;              // of the trainings, in which an experiment may leave a file
  /// Trains all of these, each in a process of its own with one thread, as many at a time as there are
  /// threads. In order; what has been trained in an earlier, interrupted call is not trained again.
  std::function<std::vector<Trained>(std::span<const Training>)> train;
  /// A line for who waits.
  std::function<void(const std::string&)> say;

  template <class T>
  T pick(T full, T rehearsal) const {
    return quick ? rehearsal : full;
  }
};

struct Experiment {
  Account account;
  std::size_t seeds;  // how many, unless told otherwise; 0 where nothing is drawn
  void (*measure)(Lab& lab, Figures& into);
  std::vector<std::string> files = {};  // names of data in Lab::files without which tables are missing
};

/// Those that this program knows, in the order in which the documents tell of them.
std::span<const Experiment> experiments();

}  // namespace fovea::experiments
