#pragma once

#include <span>

#include "autograd/variable.hpp"

namespace fovea::inline FOVEA_REAL {

/// Mean over the targets' tokens of Σ_j w_ij (1 - exp(-(i/T - j/S)² / 2 width²)), the part of the attention
/// that is far from the diagonal (Tachibana, Uenoyama, Aihara, 2018): a loss that teaches an attention early
/// in training to move on with the output. `weights` are [B, heads, Tq, Tk]; S and T are the item's own
/// lengths, `keys` and `queries`.
Variable diagonal_guide(const Variable& weights, std::span<const std::size_t> queries,
                        std::span<const std::size_t> keys, double width = 0.2);

/// How much of the attention lies at most `reach` keys from the diagonal: the sum over queries and heads of
/// Σ_j w_ij for |j - ((i + ½) S/T - ½)| ≤ reach. Divided by heads · Σ queries it is a share.
double mass_on_diagonal(const Tensor& weights, std::span<const std::size_t> queries,
                        std::span<const std::size_t> keys, double reach);

}  // namespace fovea::inline FOVEA_REAL
