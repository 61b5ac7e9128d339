#pragma once

#include "core/attention/mask.hpp"
#include "core/kernels/kernels.hpp"
#include "core/random.hpp"

// The streaming driver: softmax(score(Q, K) + bias, mask) V tile by tile, with an online softmax (Milakov,
// Gimelshein, 2018) and, in backward, each tile computed again from the row's statistics (Dao et al., 2022).
// No array of queries × keys exists unless it is asked for. DotTile and AdditiveTile differ in the score
// alone.

namespace fovea::inline FOVEA_REAL {

/// A matrix for each item and head inside one tensor: row `t` starts at data + item·item_step +
/// head·head_step
/// + t·row_step. A step of 0 shares.
template <class T>
struct Matrices {
  T* data = nullptr;
  std::size_t item_step = 0, head_step = 0, row_step = 0;

  explicit operator bool() const { return data != nullptr; }
  T* row(std::size_t item, std::size_t head, std::size_t t) const {
    return data + item * item_step + head * head_step + t * row_step;
  }
};

enum class ScoreKind {
  dot,       ///< scale · q · k
  additive,  ///< v · tanh(q + k), q and k being projections
};

/// What is attended to by what. Queries are [items, queries, heads · width] and so on.
struct Attention {
  std::size_t items, heads, queries, keys, width, value_width;
  ScoreKind kind;
  Real scale = 1;
  Matrices<const Real> query = {}, key = {}, value = {};
  const Real* v = nullptr;         // [heads, width], additive's
  Matrices<const Real> bias = {};  // [queries, keys] for each item and head; may be empty
  std::size_t bias_key_step = 1;   // 0 where all keys share it
  const MaskView* mask = nullptr;  // null: everything is allowed
  std::size_t mask_heads = 1;      // items of the mask for one here: 1, or one for each head
  double dropout = 0;              // of the weights
  const Rng* rng = nullptr;        // weight n of [items, heads, queries, keys] takes half a draw, number n

  std::size_t row_count() const { return items * heads * queries; }
};

/// What forward leaves for backward, one for each row of [items, heads, queries].
struct RowStatistics {
  Real max;    // largest score that is allowed; 0 where there is none, or it is infinite
  Real scale;  // 1 / Σ exp(s - max); 0 in a row that is empty
  Real mean;   // of s - max under the weights, where the entropy was asked for
};

/// Where results go; those that are null are not wanted. All are written whole.
struct AttentionResults {
  Matrices<Real> context;
  Real* scores = nullptr;   // [items, heads, queries, keys], without bias and mask
  Real* weights = nullptr;  // the same shape, before dropout
  Real* entropy = nullptr;  // [items, heads, queries]
  RowStatistics* rows = nullptr;
};

/// Cotangents of the results; those that are null are zero. `context` and `weights` are the results
/// themselves, for the sums over them.
struct AttentionCotangents {
  Matrices<const Real> context, context_cotangent;
  const Real *weights = nullptr, *weights_cotangent = nullptr;
  const Real* scores = nullptr;
  const Real* entropy = nullptr;
  const RowStatistics* rows = nullptr;
};

/// Where gradients go; those that are null are not wanted.
struct AttentionGradients {
  Matrices<Real> query, key, value;
  Real* v = nullptr;
  Real* bias = nullptr;  // [items, heads, queries, keys], whatever the bias's own shape
};

/// Rows without an allowed key get context, weights and entropy of exactly 0.
void attend_forward(const Attention& attention, const AttentionResults& results);

/// A row whose cotangents are all zero gives zero gradients, whatever it holds. Keys or values that items
/// share (item_step 0) get the sum over the items.
void attend_backward(const Attention& attention, const AttentionCotangents& cotangents,
                     const AttentionGradients& gradients);

}  // namespace fovea::inline FOVEA_REAL
