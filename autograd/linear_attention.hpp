#pragma once

#include "autograd/ops.hpp"

// Linear attention, and features to take it of. What ops.hpp says of its functions holds for these, too.

namespace fovea::inline FOVEA_REAL {

// ---- features (ops_features.cpp) ----

/// elu(x) + 1: x + 1 where x > 0, else eˣ, so positive (Katharopoulos et al., 2020). The derivative at 0
/// is 1.
Variable elu_plus_one(const Variable& x);

/// Positive random features (Choromanski et al., "Rethinking Attention with Performers", 2021), head by head:
/// x
/// [..., heads · D] and directions w [F, D] → features φ [..., heads · F] and log scales c [..., heads] with
///
///     e^c φ_f = exp(w_f · x' - |x'|² / 2) / √F     x' = x / D^(1/4)
///
/// For w_f from a standard normal distribution the product of two such vectors has the expectation
/// exp(x · y / √D), the weight of scaled-dot attention before it is divided by its sum. c is the row's
/// largest exponent, so that the largest feature of a row is 1/√F, however long x is. No gradient flows to w.
std::vector<Variable> random_features(const Variable& x, const Value& directions, std::size_t heads);

// ---- attention (ops_linear_attention.cpp) ----

/// context_i = Σ_j a_ij v_j / Σ_j a_ij over the keys that i may see, with a_ij = e^c_j (q_i · k_j)
/// (Katharopoulos, Vyas, Pappas, Fleuret, "Transformers are RNNs", 2020): query [B, Tq, heads · F] and key
/// [B, Tk, heads · F] are features already, none of them negative; values [B, Tk, heads · D] → [B, Tq, heads
/// · D]. `log_scale` [B, Tk, heads] holds c, all 0 when it is undefined (those of a query would cancel). No
/// weights exist: time and memory are linear in Tq and Tk, forward and backward.
///
/// The mask may be made of key lengths, query lengths and causal, joined by `&`; ConfigError for any other,
/// whose keys no running sum can leave out. A later key changes no bit of an earlier row, and what a row may
/// not see has no influence on it, whatever it holds.
///
/// There is no epsilon in the division (fast_transformers adds 1e-6 to the sum, which shrinks contexts where
/// features are small). A row that sees no key is exactly 0, and so is one whose sum is below the smallest
/// normal number, that is, whose features have underflowed; all their gradients are 0, too.
Variable linear_attention(const Variable& query, const Variable& key, const Variable& values,
                          const Mask& mask, std::size_t heads, const Variable& log_scale = {});

}  // namespace fovea::inline FOVEA_REAL
