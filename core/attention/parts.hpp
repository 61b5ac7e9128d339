#pragma once

#include <span>

#include "core/attention/stream.hpp"

// Attention over a union of parts: each is some pairs of queries and keys, in an order of its own in which
// they lie together. Sorted like that, a mask that would have some pairs of every tile has whole tiles, and
// none of most. A part is streamed as any attention is; rows are put together as the driver puts tiles
// together:
//
//     M = max(m_a, m_b)    l = l_a e^(m_a - M) + l_b e^(m_b - M)    w_a = l_a e^(m_a - M) / l, w_b likewise
//     context = w_a context_a + w_b context_b    entropy = w_a (H_a - log w_a) + w_b (H_b - log w_b)
//
// Backward takes each part again from the statistics of the whole rows, so its gradients just add up.

namespace fovea::inline FOVEA_REAL {

struct AttentionPart {
  /// Query i and key j of the part are query query_order[i] and key key_order[j] of the whole. Permutations,
  /// [items · order_heads, queries] and [items · order_heads, keys].
  Ids query_order, key_order;
  std::size_t order_heads = 1;  // 1, or as many as there are: then each head has its order
  /// Of queries and keys in that order, for items · order_heads items. No two parts allow the same pair.
  MaskView mask;
  Rng rng{};  // of this part's dropout
};

/// As of the whole, whose own mask and rng are not looked at, and which has no bias. At least one part.
void attend_forward(const Attention& whole, std::span<const AttentionPart> parts,
                    const AttentionResults& results);
/// Items have their own keys and values.
void attend_backward(const Attention& whole, std::span<const AttentionPart> parts,
                     const AttentionCotangents& cotangents, const AttentionGradients& gradients);

}  // namespace fovea::inline FOVEA_REAL
