#pragma once

#include <optional>

#include "modules/attention/hybrid.hpp"
#include "modules/attention/settings.hpp"
#include "modules/probe.hpp"

namespace fovea::inline FOVEA_REAL {

/// A score or a hybrid, with a place to look at it: `attend` as a module. With several hops it looks again,
/// each time with what it found added to the query (Sukhbaatar et al., 2015, whose layers share their
/// weights, too):
///
///     q_1 = query     q_{t+1} = q_t + W context(q_t)     result = what q_hops finds
///
/// W is `join`, the same for all hops; without one, which needs values as wide as queries, it is the
/// identity. With `value` what is found is Σ p_j W_v value_j (Vaswani et al., 2017), computed as W_v Σ p_j
/// value_j: the product is linear, so that each query's sum needs it once, not every key. Scores, weights and
/// entropy are the last hop's, whose context is the result. One hop is plain attention.
struct ScoredAttention {
  std::variant<Score, Hybrid> score;
  std::optional<Linear> join{};   // W
  std::optional<Linear> value{};  // W_v, [values' width, values' width], without a bias
  double dropout = 0;             // of the weights, while training; an option's wins where it is not 0
  Normalizer normalizer{};        // an option's wins where it is not softmax
  std::size_t hops = 1;
  Probe probe{};
  FIELDS(score, join, value, probe)

  /// The score, where this is additive attention and nothing more: for what computes it in a way of its own.
  const AdditiveScore* plain_additive() const;

  /// What the score makes of keys alone; of a hybrid, what each of its scores does.
  std::vector<Variable> prepare(const Variable& keys) const;
  /// Shapes and contract as of `attend_prepared`; ConfigError for several hops without values. A
  /// pass that wants scores gets none of a hybrid of two.
  Attended operator()(const Variable& query, std::span<const Variable> prepared, const Variable& values,
                      Pass& pass, AttendOptions options = {}) const;

  /// One hop.
  Attended once(const Variable& query, std::span<const Variable> prepared, const Variable& values, Pass& pass,
                const AttendOptions& options) const;
};

/// Where queries, keys and values are so wide.
struct AttentionWidths {
  std::size_t query, key, value;
  std::size_t hidden;  // of an additive score
};

/// What the settings say, with start values; ConfigError for a name that there is not.
ScoredAttention make_attention(const AttentionSettings& settings, const AttentionWidths& widths, Rng& rng);

}  // namespace fovea::inline FOVEA_REAL
