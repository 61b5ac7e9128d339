#pragma once

#include <span>
#include <string>

#include "core/real.hpp"
#include "training/metrics.hpp"

namespace fovea::inline FOVEA_REAL::cities {

/// How well answers are ranked: the share of queries whose answer comes first, or among the first five, and
/// the mean of 1 / (place of the answer). All as percentages.
struct Measures {
  double top1 = 0, top5 = 0, mrr = 0;

  /// `ranks` are places counted from 0.
  static Measures of(std::span<const std::size_t> ranks);
  void add_to(Metrics& metrics, const std::string& prefix) const;
};

}  // namespace fovea::inline FOVEA_REAL::cities
