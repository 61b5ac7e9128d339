#pragma once

#include "modules/attention/attend.hpp"

namespace fovea::inline FOVEA_REAL {

/// Several scaled dot attentions side by side, each in its own part of the width (Vaswani et al., 2017):
/// project, attend by heads, project back. Parametrised as PyTorch's MultiheadAttention: `in` holds the
/// projections of queries, keys and values, one below the other. Results as of `attend`, scores and weights
/// [B, heads, Tq, Tk].
struct MultiHead {
  std::size_t heads = 1;
  Linear in;   // [3 · width, width]
  Linear out;  // [width, width]
  FIELDS(in, out)

  MultiHead() = default;
  /// `width` is a multiple of `heads`; else ConfigError. Projections start as Xavier uniform, biases at zero.
  MultiHead(std::size_t width, std::size_t heads, Rng& rng);

  /// Of a sequence to itself: one product makes queries, keys and values. [B, T, width] → [B, T, width]
  Attended operator()(const Variable& x, Pass& pass, const AttendOptions& options = {}) const;
  /// Of queries [B, Tq, width] to keys and values [B, Tk, width] → [B, Tq, width].
  Attended operator()(const Variable& query, const Variable& keys, const Variable& values, Pass& pass,
                      const AttendOptions& options = {}) const;
};

}  // namespace fovea::inline FOVEA_REAL
