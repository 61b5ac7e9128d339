#pragma once

#include "modules/attention/attend.hpp"

namespace fovea::inline FOVEA_REAL {

/// Two scores at work side by side.
enum class HybridKind {
  mean,     ///< the average of two attentions' contexts, weights and entropies
  by_dims,  ///< scaled dot where queries and keys are equally wide, else additive
};

/// `mean` or `by-dims`; ConfigError for any other.
HybridKind hybrid_kind(const std::string& name);

/// Attention by a scaled dot and an additive score. `mean` needs queries and keys of equal width, as its dot
/// does. Raw scores of a mean do not exist: asking for them is a ConfigError.
struct Hybrid {
  HybridKind kind = HybridKind::mean;
  std::vector<Score> scores;  // mean: scaled dot, additive; by-dims: the one that fits
  FIELDS(scores)

  Hybrid() = default;
  Hybrid(HybridKind kind, std::size_t query_width, std::size_t key_width, std::size_t hidden, Rng& rng);

  Attended operator()(const Variable& query, const Variable& keys, const Variable& values, Pass& pass,
                      const AttendOptions& options = {}) const;
};

}  // namespace fovea::inline FOVEA_REAL
