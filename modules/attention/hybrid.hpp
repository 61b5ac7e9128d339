#pragma once

#include <optional>
#include <span>
#include <vector>

#include "modules/attention/attend.hpp"

namespace fovea::inline FOVEA_REAL {

/// Two scores at work side by side.
enum class HybridKind {
  mean,     ///< the average of two attentions' contexts, weights and entropies
  by_dims,  ///< scaled dot where queries and keys are equally wide, else additive
  gate,     ///< g of the scaled dot's and 1 - g of the additive one's, with a learned g for each query
};

/// `mean`, `by-dims` or `gate` (hybrid_names() in settings.hpp); ConfigError for any other.
HybridKind hybrid_kind(const std::string& name);

/// Attention by a scaled dot and an additive score. `mean` and `gate` need queries and keys of equal width,
/// as their dot does. Raw scores of two attentions do not exist: asking for them is a ConfigError. The gate
///
///     g = σ(w · q + b)     context = g · context_dot + (1 - g) · context_additive
///
/// mixes weights in the same way, and entropies: what comes out is the parts' mean entropy under the gate,
/// which the entropy of the mixed weights is never below. It starts with w = 0 and b = 0, so as the mean; at
/// ±∞ it is one of its parts to the bit.
struct Hybrid {
  HybridKind kind = HybridKind::mean;
  std::vector<Score> scores;   // mean, gate: scaled dot, additive; by-dims: the one that fits
  std::optional<Linear> gate;  // w [1, Dq] and b [1]
  FIELDS(scores, gate)

  Hybrid() = default;
  Hybrid(HybridKind kind, std::size_t query_width, std::size_t key_width, std::size_t hidden, Rng& rng);

  /// What each score makes of keys alone.
  std::vector<Variable> prepare(const Variable& keys) const;
  /// With keys from `prepare`. Shapes and contract as of `attend`.
  Attended attend_prepared(const Variable& query, std::span<const Variable> prepared, const Variable& values,
                           Pass& pass, const AttendOptions& options = {}) const;
  Attended operator()(const Variable& query, const Variable& keys, const Variable& values, Pass& pass,
                      const AttendOptions& options = {}) const;
};

}  // namespace fovea::inline FOVEA_REAL
