#pragma once

#include <span>
#include <string>

#include "experiments/account/figures.hpp"

namespace fovea::experiments {

/// Mean of differences between pairs, and how far off it may be: half the 95 % interval by Student's t, which
/// takes four times the standard error for three pairs and 2.8 times for five.
struct Difference {
  double mean = 0, margin = 0;
  std::size_t pairs = 0;

  /// Zero is outside of the interval. One pair alone tells nothing.
  bool is_clear() const { return pairs > 1 && (mean > margin || mean < -margin); }
  bool is_above() const { return is_clear() && mean > 0; }
  bool is_below() const { return is_clear() && mean < 0; }
};
Difference difference_of(std::span<const double> pairs);

/// `row` minus `other` in a column, paired by seed. Seeds for which one of the two diverged are left out.
Difference between_rows(const Figures& figures, const std::string& table, const std::string& row,
                        const std::string& other, const std::string& column);
/// `column` minus `other` in a row.
Difference between_columns(const Figures& figures, const std::string& table, const std::string& row,
                           const std::string& column, const std::string& other);

/// `+1.2 ± 0.4`: difference and margin.
std::string told(const Difference& difference);
/// ` (no clear difference)` of several pairs whose interval holds zero, else nothing.
std::string doubt(const Difference& difference);

}  // namespace fovea::experiments
