#pragma once

#include "modules/attention/attend.hpp"
#include "modules/attention/settings.hpp"
#include "modules/probe.hpp"

namespace fovea::inline FOVEA_REAL {

/// A score with a place to look at it: `attend` as a module.
struct ScoredAttention {
  Score score;
  double dropout = 0;       // of the weights, while training; an option's wins where it is not 0
  Normalizer normalizer{};  // an option's wins where it is not softmax
  Probe probe{};
  FIELDS(score, probe)

  /// The score, where this is additive attention and nothing more: for what computes it in a way of its own.
  const AdditiveScore* plain_additive() const;

  Variable prepare(const Variable& keys) const { return fovea::prepare(score, keys); }
  /// Shapes and contract as of `attend_prepared`.
  Attended operator()(const Variable& query, const Variable& prepared, const Variable& values, Pass& pass,
                      AttendOptions options = {}) const;
};

/// Where queries, keys and values are so wide.
struct AttentionWidths {
  std::size_t query, key;
  std::size_t hidden;  // of an additive score
};

/// What the settings say, with start values; ConfigError for a name that there is not.
ScoredAttention make_attention(const AttentionSettings& settings, const AttentionWidths& widths, Rng& rng);

}  // namespace fovea::inline FOVEA_REAL
