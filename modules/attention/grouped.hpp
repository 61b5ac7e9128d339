#pragma once

#include <optional>

#include "autograd/attention_parts.hpp"

// Attention within groups of positions: sorted by their groups, those of one lie together, and tiles of
// queries and keys without a common group are left out. So time goes with the sizes of the groups, where a
// mask over the sequence as it is would look into every tile. What is computed is the same, to rounding.

namespace fovea::inline FOVEA_REAL {

/// How heads score: scale · q · k, or where `v` [heads · H] is defined v · tanh(q + k), queries and keys
/// being projections already.
struct HeadScoring {
  Real scale = 1;
  Variable v = {};
};

/// The group of each query and each key, any numbers: [B, G, Tq] and [B, G, Tk]. G is 1 where all heads have
/// the same groups, or the number of heads.
struct Grouping {
  Ids queries, keys;
};

/// Attention of each query to the keys that are in its group by any of `groupings`, and to those that
/// `beside` allows:
///
///     mask = (Mask::groups of grouping 0 | … | beside) & options.mask
///
/// without counting a key twice. Queries [B, Tq, heads · D], keys [B, Tk, heads · D], values [B, Tk, heads ·
/// Dv] → as of dot_attention; also its contract for rows without an allowed key and for what lies under the
/// mask. Keys behind an item's key length do not even move the others. Time and memory are those of each
/// grouping alone, one after the other, and of `beside`; memory is linear in Tq and Tk. One grouping into one
/// group is full attention, to the bit. A later key may change an earlier causal row by rounding, for it may
/// move other keys to other tiles.
///
/// ConfigError for a bias, or where there is neither a grouping nor `beside`; ShapeError where groupings do
/// not fit. Dropout is drawn in the order of each grouping.
Attended grouped_attention(const HeadScoring& how, const Variable& query, const Variable& keys,
                           const Variable& values, std::span<const Grouping> groupings,
                           const std::optional<Mask>& beside, const AttentionOptions& options = {});

/// Groups of positions at a distance that `stride` divides, as Mask::strided says, for items whose lengths
/// `mask` may know (Child et al., 2019). ConfigError for a stride of 0.
Grouping strided_groups(std::size_t stride, const Mask& mask, std::size_t items, std::size_t queries,
                        std::size_t keys);

/// grouped_attention under Mask::strided(stride) | beside.
Attended strided_attention(std::size_t stride, const HeadScoring& how, const Variable& query,
                           const Variable& keys, const Variable& values, const std::optional<Mask>& beside,
                           const AttentionOptions& options = {});

}  // namespace fovea::inline FOVEA_REAL
