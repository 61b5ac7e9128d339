#pragma once

#include <span>

#include "autograd/ops.hpp"

namespace fovea::inline FOVEA_REAL {

/// Some pairs of queries and keys, in an order in which they lie together: query i and key j here are query
/// query_order[i] and key key_order[j].
struct OrderedPairs {
  Ids query_order, key_order;  // permutations, [B, G, Tq] and [B, G, Tk]; G is 1, or one for each head
  Mask mask = {};              // of queries and keys in that order, for B · G items, number b · G + g
};

/// dot_attention over the pairs that a part and options.mask allow, which keeps its meaning in the original
/// order. Tiles without such a pair are left out. `parts`, of which there is at least one, must not share a
/// pair: it would count twice. Results are in the original order. Dropout is drawn part by part, for the
/// pairs in their order there. ConfigError for a bias; ShapeError for values that are undefined, or keys that
/// the batch shares. It is recorded, and its errors name it, as dot_attention. How it is computed is said in
/// core/attention/parts.hpp.
Attended dot_attention_in_parts(const Variable& query, const Variable& keys, const Variable& values,
                                Real scale, std::span<const OrderedPairs> parts,
                                const AttentionOptions& options = {});
/// The same of additive_attention.
Attended additive_attention_in_parts(const Variable& a, const Variable& b, const Variable& v,
                                     const Variable& values, std::span<const OrderedPairs> parts,
                                     const AttentionOptions& options = {});

}  // namespace fovea::inline FOVEA_REAL
