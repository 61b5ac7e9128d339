#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "cli/tasks.hpp"

// What `compare` compares: every combination of the values of some settings, and what came of each.

namespace fovea {

/// A setting and the values that it is to have.
struct Varied {
  std::string name;
  std::vector<std::string> values;
};

/// Reads `name=value,value,…`. ConfigError for another form.
Varied varied_of(const std::string& text);
/// ConfigError for a value that is there twice.
void check_distinct(const std::vector<std::string>& values, const std::string& flag);

/// One combination, in the order of what is varied.
struct Cell {
  Given settings;
  /// `attention=dot,width=64`: what people call it.
  std::string name() const;
};

/// The name of a folder for a training of this name: no two names have the same.
std::string folder_of(const std::string& name);

/// Every combination; the last setting changes first. Without any there is one cell with no settings.
std::vector<Cell> cells(const std::vector<Varied>& varied);

/// A training that came to its end, as its result.json tells.
struct Outcome {
  Cell cell;  // without the seed
  std::string seed;
  bool failed = false;  // it diverged: there are no numbers
  std::uint64_t parameters = 0, peak_bytes = 0;
  double seconds = 0;
  Given numbers;  // metrics by name, as JSON writes them
};

/// DataError for a file that is no such result.
Outcome read_outcome(const std::filesystem::path& file, const Cell& cell, const std::string& seed);

/// One line for each cell: mean ± sample deviation over its seeds of each metric in `shown`, parameters,
/// seconds, the largest memory.
std::string comparison(const std::vector<Outcome>& outcomes, const std::vector<std::string>& shown);
/// One line for each training, with all metrics: CSV.
std::string outcomes_csv(const std::vector<Outcome>& outcomes);

}  // namespace fovea
