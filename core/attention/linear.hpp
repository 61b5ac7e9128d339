#pragma once

#include "core/attention/stream.hpp"

// Attention whose weights are products of features instead of exponentials of scores: the weight of key j for
// query i is q_i · k_j, over the sum of such. What a query asks of the keys are then two sums that can be
// taken before there is a query (Katharopoulos et al., 2020):
//
//     context_i = q_iᵀ S_i / (q_i · z_i)     S_i = Σ_j e^c_j k_j v_jᵀ  [F, D]     z_i = Σ_j e^c_j k_j  [F]
//
// over the keys that i sees, in time that is linear in their number. Where these are not the same for all
// queries, keys are taken in chunks: of those of earlier chunks a query needs the sums, and with those of its
// own it is multiplied one by one. No row depends on a later key, to the bit.
//
// The c_j are what has been taken out of keys' features so that they stay within range. Sums are kept
// relative to the largest c so far, as those of a softmax are, so any c does.

namespace fovea::inline FOVEA_REAL {

/// Queries and keys have `width` features for each head, F above; values have `value_width`, D.
struct LinearAttention {
  std::size_t items, heads, queries, keys, width, value_width;
  const PlainMask* mask;
  Matrices<const Real> query, key, value;
  Matrices<const Real> log_scale = {};  // c: rows of one element; empty: all are 0
};

/// Writes contexts, and to `totals` [items, heads, queries] the q_i · z_i, relative to the largest c that i
/// sees. Of a row that sees no key, or whose total is below the smallest normal number, both are exactly 0.
void linear_forward(const LinearAttention& attention, const Matrices<Real>& context, Real* totals);

/// What backward starts from: the results of forward, and the contexts' cotangents.
struct LinearCotangents {
  Matrices<const Real> context, context_cotangent;
  const Real* totals;
};

/// Where gradients go; those that are null are not wanted. All are written whole.
struct LinearGradients {
  Matrices<Real> query, key, value, log_scale;
};

/// A row whose cotangents are all zero, or whose total is 0, gives zero gradients, whatever it holds. The
/// sums are taken anew, those over queries from the last one to the first; none is kept for later.
void linear_backward(const LinearAttention& attention, const LinearCotangents& cotangents,
                     const LinearGradients& gradients);

}  // namespace fovea::inline FOVEA_REAL
