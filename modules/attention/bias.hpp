#pragma once

#include "autograd/ops.hpp"
#include "core/random.hpp"
#include "modules/fields.hpp"

namespace fovea::inline FOVEA_REAL {

// Biases that are added to scores, so that a weight depends on where a key stands. Queries and keys are
// aligned at their end, as in core/attention/mask.hpp: key j stands at distance j - (i + keys - queries).

/// -slope · |distance| (ALiBi: Press, Smith, Lewis, 2022) → [queries, keys].
Variable alibi(Real slope, std::size_t queries, std::size_t keys);

/// The slopes of ALiBi for so many heads: 2^(-8 h / heads) for h = 1 … heads.
std::vector<Real> alibi_slopes(std::size_t heads);

/// A learned number for each distance from -reach to reach; farther keys share the last one (Raffel et al.,
/// 2020, without their logarithmic buckets). Starts at zero.
struct RelativeBias {
  Param table;  // [2 reach + 1]
  FIELDS(table)

  RelativeBias() = default;
  explicit RelativeBias(std::size_t reach) : table(zeros({2 * reach + 1}), Param::Decay::no) {}

  /// → [queries, keys]
  Variable operator()(std::size_t queries, std::size_t keys) const;
};

}  // namespace fovea::inline FOVEA_REAL
