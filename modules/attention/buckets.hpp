#pragma once

#include "modules/attention/grouped.hpp"
#include "modules/fields.hpp"

namespace fovea::inline FOVEA_REAL {

/// Most buckets, and most rounds, that there may be: rotations and the time of a hash go with both.
inline constexpr std::size_t most_buckets = 8192, most_rounds = 16;

/// ConfigError unless `buckets` is 1 or even, from 1 to most_buckets, and `rounds` from 1 to most_rounds.
void check_buckets(std::size_t buckets, std::size_t rounds);

/// The hash of Reformer (Kitaev, Kaiser, Levskaya, 2020), which puts vectors of a like direction into the
/// same bucket, more often the smaller the angle between them:
///
///     h(x) = argmax [x R; -x R]     R [D, buckets / 2], random normal, for each round and head
///
/// of equal elements the first. The length of x does not matter. R is not trained, and is saved as a buffer.
/// No gradient flows through a hash. A vector on the border of two buckets may fall into the other where its
/// last bit differs, as in a batch of another shape: then it meets other keys.
struct Buckets {
  std::size_t buckets = 1;  // 1: all are together
  std::size_t rounds = 1;   // independent hashes
  Buffer rotations;         // [rounds, heads, D, buckets / 2]
  FIELDS(rotations)

  /// For so many heads of width D. Errors as of check_buckets.
  Buckets(std::size_t buckets, std::size_t rounds, std::size_t heads, std::size_t width, Rng& rng);

  std::size_t heads() const { return rotations.value.shape()[1]; }
  std::size_t width() const { return rotations.value.shape()[2]; }

  /// x [B, T, heads · D] → the bucket of each position, [B, heads, T] for each round. Depends on a position's
  /// own vector alone, to the bit; that of a vector with NaN means nothing.
  std::vector<Ids> hash(const Tensor& x) const;
};

/// Attention of each query to the keys that at least one round puts into its bucket, and to those that
/// `beside` allows: by default the position itself, so that in self-attention no row is empty. Without it a
/// query may find no key, and its context is exactly 0. Contract, shapes and cost as of grouped_attention;
/// a bucket holds about Tk / buckets keys. options.heads must be the heads of `buckets`, else ShapeError.
///
/// Reformer has one projection for queries and keys, so that a position's query is its key and near
/// directions mean a large product. Here the two may differ: one hash takes both, and a query meets keys
/// whose direction is its own, among which are its largest products where keys have like lengths. For
/// additive scores, which are no products, it is a heuristic.
Attended bucketed_attention(const Buckets& buckets, const HeadScoring& how, const Variable& query,
                            const Variable& keys, const Variable& values, const AttentionOptions& options,
                            const std::optional<Mask>& beside = Mask::window(0, 0));

}  // namespace fovea::inline FOVEA_REAL
