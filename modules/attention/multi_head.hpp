#pragma once

#include "modules/attention/attend.hpp"
#include "modules/attention/pattern.hpp"
#include "modules/probe.hpp"

namespace fovea::inline FOVEA_REAL {

/// How each head scores its part of the width.
enum class HeadScore {
  dot,         ///< q · k
  scaled_dot,  ///< q · k / √D, D = width / heads
  additive,    ///< v · tanh(W_q x + W_k y): each head has its own W_q, W_k and v
};

/// `dot`, `scaled_dot` or `additive`; ConfigError for any other.
HeadScore head_score(const std::string& name);

/// Several attentions side by side, each in its own part of the width (Vaswani et al., 2017): project, attend
/// by heads, project back. Parametrised as PyTorch's MultiheadAttention: `in` holds the projections of
/// queries, keys and values, one below the other. For additive heads the projections of queries and keys are
/// the heads' W_q and W_k (and biases), [D, width] each, and `v` is theirs: width parameters more than dot
/// heads' 4 · width · (width + 1), so 1 + 1 / (4 (width + 1)) times as many, 0.1 % at a width of 256. Results
/// as of `attend`, scores and weights [B, heads, Tq, Tk].
struct MultiHead {
  std::size_t heads = 1;
  HeadScore score = HeadScore::scaled_dot;
  double dropout = 0;  // of the weights, while training; an option's dropout wins where it is not 0
  Pattern pattern{};   // joined by & with an option's mask; its heads may be some of them
  Linear in;           // [3 · width, width]
  Linear out;          // [width, width]
  Param v;             // [width], for additive heads alone
  Probe probe;
  FIELDS(in, out, v, probe)

  MultiHead() = default;
  /// `width` is a multiple of `heads`; else ConfigError. Projections start as Xavier uniform, those of
  /// additive queries and keys orthogonal head by head, biases at zero.
  MultiHead(std::size_t width, std::size_t heads, Rng& rng, HeadScore score = HeadScore::scaled_dot,
            double dropout = 0);

  std::size_t width() const { return out.outputs(); }

  /// Of a sequence to itself: one product makes queries, keys and values. [B, T, width] → [B, T, width]
  Attended operator()(const Variable& x, Pass& pass, const AttendOptions& options = {}) const;
  /// Of queries [B, Tq, width] to keys and values [B, Tk, width] → [B, Tq, width].
  Attended operator()(const Variable& query, const Variable& keys, const Variable& values, Pass& pass,
                      const AttendOptions& options = {}) const;

  /// Keys and values after their projections, [B, Tk, width] each, for several calls over the same ones.
  struct Prepared {
    Variable keys, values;
  };
  Prepared prepare(const Variable& keys, const Variable& values) const;
  Attended attend_prepared(const Variable& query, const Prepared& prepared, Pass& pass,
                           const AttendOptions& options = {}) const;
};

}  // namespace fovea::inline FOVEA_REAL
