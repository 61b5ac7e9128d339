#pragma once

#include "modules/attention/attend.hpp"
#include "modules/attention/buckets.hpp"
#include "modules/attention/feature_map.hpp"
#include "modules/attention/head_settings.hpp"
#include "modules/attention/low_rank.hpp"
#include "modules/probe.hpp"

namespace fovea::inline FOVEA_REAL {

/// Several attentions side by side, each in its own part of the width (Vaswani et al., 2017): project, attend
/// by heads, project back. Parametrised as PyTorch's MultiheadAttention: `in` holds the projections of
/// queries, keys and values, one below the other. For additive heads the projections of queries and keys are
/// the heads' W_q and W_k (and biases), [D, width] each, and `v` is theirs: width parameters more than dot
/// heads' 4 · width · (width + 1), so 1 + 1 / (4 (width + 1)) times as many, 0.1 % at a width of 256. Results
/// as of `attend`, scores and weights [B, heads, Tq, Tk].
///
/// Heads may differ in their scores, and some may follow a pattern. Several may share keys and values
/// (Shazeer, 2019: all; Ainslie et al., 2023: groups), whose projections are narrower then. Heads without
/// weights (linear_attention; dropout of weights means nothing for them, and a bias is a ConfigError) make
/// those of the whole layer unknown: asking for them is a ConfigError, and a pass that looks sees nothing of
/// it. Of low-rank heads a pass sees the entropy alone, as weights are those of slots.
struct MultiHead {
  std::size_t heads = 1;
  std::size_t key_value_heads = 1;
  std::vector<HeadScore> scores = {HeadScore::scaled_dot};  // one for each head
  double dropout = 0;   // of the weights, while training; an option's dropout wins where it is not 0
  Pattern pattern{};    // joined by & with an option's mask; its heads may be some of them
  bool rotary = false;  // query i stands at Tk - Tq + i, of lengths with padding
  Linear in;            // [width + 2 · key_value_heads · D, width]
  Linear out;           // [width, width]
  Param v;              // [additive heads · D]
  std::optional<LowRank> low_rank;
  std::optional<RandomFeatures> features;  // of random_features heads
  std::vector<Buckets> buckets;            // of each group of heads that are alike
  Probe probe;
  FIELDS(in, out, v, low_rank, features, buckets, probe)

  MultiHead() = default;
  /// `width` is a multiple of `heads`; ConfigError for that, and as check_heads. Projections start as Xavier
  /// uniform, where all heads are additive those of queries and keys orthogonal head by head, biases at zero.
  MultiHead(std::size_t width, std::size_t heads, Rng& rng, const HeadSettings& settings, double dropout = 0);
  MultiHead(std::size_t width, std::size_t heads, Rng& rng, HeadScore score = HeadScore::scaled_dot,
            double dropout = 0);

  std::size_t width() const { return out.outputs(); }
  std::size_t head_width() const { return width() / heads; }

  /// Of a sequence to itself: one product makes queries, keys and values. [B, T, width] → [B, T, width]
  Attended operator()(const Variable& x, Pass& pass, const AttendOptions& options = {}) const;
  /// Of queries [B, Tq, width] to keys and values [B, Tk, width] → [B, Tq, width].
  Attended operator()(const Variable& query, const Variable& keys, const Variable& values, Pass& pass,
                      const AttendOptions& options = {}) const;

  /// Keys and values after their projections, [B, Tk, key_value_heads · D] each, for several calls over the
  /// same ones.
  struct Prepared {
    Variable keys, values;
  };
  /// The first of them stands at position `first`.
  Prepared prepare(const Variable& keys, const Variable& values, std::size_t first = 0) const;
  Attended attend_prepared(const Variable& query, const Prepared& prepared, Pass& pass,
                           const AttendOptions& options = {}) const;
};

}  // namespace fovea::inline FOVEA_REAL
