#pragma once

#include "modules/attention/attend.hpp"
#include "modules/probe.hpp"

namespace fovea::inline FOVEA_REAL {

/// A score with a place to look at it: `attend` as a module.
struct ScoredAttention {
  Score score;
  double dropout = 0;  // of the weights, while training; an option's wins where it is not 0
  Probe probe{};
  FIELDS(score, probe)

  Variable prepare(const Variable& keys) const { return fovea::prepare(score, keys); }
  /// Shapes and contract as of `attend_prepared`.
  Attended operator()(const Variable& query, const Variable& prepared, const Variable& values, Pass& pass,
                      AttendOptions options = {}) const {
    options.want = wanted(options.want, pass);
    if (options.dropout == 0) options.dropout = dropout;
    const Attended result = attend_prepared(score, query, prepared, values, pass, options);
    observe(probe, result, pass);
    return result;
  }
};

}  // namespace fovea::inline FOVEA_REAL
