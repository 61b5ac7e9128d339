#pragma once

#include "core/attention/mask.hpp"
#include "modules/attention/normalizer.hpp"
#include "modules/attention/score.hpp"
#include "modules/pass.hpp"

namespace fovea::inline FOVEA_REAL {

struct AttendOptions {
  Mask mask = {};
  double dropout = 0;  // on the weights, while training
  Want want = {};
  Variable bias = {};          // added to the scores; broadcasts to [B, Tq, Tk] (see bias.hpp)
  bool composed = false;       // from plain ops, in memory for [B, Tq, Tk, H]: to compare with, same results
  Normalizer normalizer = {};  // any but softmax takes memory for [B, Tq, Tk]
};

/// context = softmax(score(query, keys) + bias, mask) · values, or of another normaliser in its place.
/// query [B, Tq, Dq], keys [B, Tk, Dk], values [B, Tk, Dv] → [B, Tq, Dv]. Keys and values [Tk, D] are shared
/// by the batch; with one query for each item, [B, Dq], results have no axis Tq either. A query without an
/// allowed key gets a context, weights, an entropy and gradients of exactly 0, and what lies under a masked
/// key, even NaN, has no influence. `values` may be undefined. Raw scores do not contain the bias.
Attended attend(const Score& score, const Variable& query, const Variable& keys, const Variable& values,
                Pass& pass, const AttendOptions& options = {});

/// The same with keys from `prepare`, for several calls over the same keys.
Attended attend_prepared(const Score& score, const Variable& query, const Variable& prepared,
                         const Variable& values, Pass& pass, const AttendOptions& options = {});

/// The same from scores [B, Tq, Tk] that were computed in any other way: for a score of one's own.
Attended attend_scores(const Variable& scores, const Variable& values, Pass& pass,
                       const AttendOptions& options = {});

/// What the score makes of keys alone.
Variable prepare(const Score& score, const Variable& keys);

}  // namespace fovea::inline FOVEA_REAL
