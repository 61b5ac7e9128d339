#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

// What an experiment measured, number by number, as its CSV holds it. Everything that people read of an
// experiment (tables, plots, verdicts, its page) is made of these and can be made again without measuring.

namespace fovea::experiments {

/// One number: a cell of a table, for one seed. What is timed is timed in rounds, and its seed is the round.
/// NaN where a training diverged.
struct Figure {
  std::string table, row, column;
  std::uint64_t seed = 0;
  double value = 0;
};

/// What a page tells of where the figures come from: `cpu`, `threads`, …
using Facts = std::vector<std::pair<std::string, std::string>>;

class Figures {
 public:
  void add(std::string table, std::string row, std::string column, std::uint64_t seed, double value);

  const std::vector<Figure>& all() const { return all_; }
  /// Rows and columns of a table in the order in which they came up.
  std::vector<std::string> rows(const std::string& table) const;
  std::vector<std::string> columns(const std::string& table) const;

  /// One number; NaN where there is none.
  double at(const std::string& table, const std::string& row, const std::string& column,
            std::uint64_t seed) const;
  /// The seeds that a table has numbers of.
  std::set<std::uint64_t> seeds(const std::string& table) const;
  /// The numbers of a cell, without those that are not finite.
  std::map<std::uint64_t, double> by_seed(const std::string& table, const std::string& row,
                                          const std::string& column) const;
  /// The same in the order of their seeds.
  std::vector<double> of(const std::string& table, const std::string& row, const std::string& column) const;
  /// How many of a cell's numbers are not finite.
  std::size_t diverged(const std::string& table, const std::string& row, const std::string& column) const;
  /// Mean and median of `of`; NaN where there is nothing.
  double mean(const std::string& table, const std::string& row, const std::string& column) const;
  double median(const std::string& table, const std::string& row, const std::string& column) const;

  Facts facts;

 private:
  std::vector<Figure> all_;
};

/// CSV: a line `# name: value` for each fact, then `table,row,column,seed,value`. Numbers read back to the
/// same bits.
std::string to_csv(const Figures& figures);
/// DataError `file:line: …` for what to_csv does not write.
Figures read_figures(const std::filesystem::path& file);

}  // namespace fovea::experiments
