#pragma once

#include <array>

#include "core/attention/linear.hpp"
#include "core/attention/packed.hpp"

// What forward and backward of linear attention share.

namespace fovea::inline FOVEA_REAL::running {

using streaming::Buffer;
using streaming::padded;

// Keys, or queries, that are taken at a time: whole blocks of tile_product. More would mean more products
// pair by pair: with heads of 64 and a causal mask 64 takes a tenth longer, 128 half as long again.
constexpr std::size_t chunk = 48;

/// Keys of one chunk, and the queries that see some of them and none that is later. Either may be empty.
struct Block {
  Span queries, keys;

  std::size_t query_count() const { return queries.end - queries.begin; }
  std::size_t key_count() const { return keys.end - keys.begin; }
};

/// All keys in their order, each chunk with its queries; then the queries that stand behind all keys. Queries
/// that see no key are in no block. Chunks are cut by the keys' positions alone.
std::vector<Block> blocks_of(const PlainMask::Item& item);

/// A small matrix whose rows are packed: zeros behind each row's end.
class Rows {
 public:
  Rows(std::size_t most, std::size_t width)
      : width_(width), step_(padded(width)), count_(most), data_(std::max<std::size_t>(1, most * step_)) {
    clear();
  }

  /// Copies rows of one head.
  void take(const Matrices<const Real>& from, std::size_t item, std::size_t head, const Span& rows);
  /// Becomes another with axes turned, zeros where that has fewer rows than this one columns.
  void turn(const Rows& other);
  /// At most as many rows as there is room for.
  void resize(std::size_t count) { count_ = count; }
  void scale(Real factor);
  void clear() { std::fill(data_.begin(), data_.end(), Real(0)); }

  Real* row(std::size_t r) { return data_.data() + r * step_; }
  const Real* row(std::size_t r) const { return data_.data() + r * step_; }
  std::size_t count() const { return count_; }
  std::size_t width() const { return width_; }
  std::size_t step() const { return step_; }

 private:
  std::size_t width_, step_, count_;
  Buffer data_;
};

/// A factor of a product: a matrix, or with `turned` its transpose.
struct Factor {
  const Rows& rows;
  bool turned = false;
};
constexpr bool turned = true;

/// c = a b, or c += a b, of whole matrices.
void product(const Factor& a, const Rows& b, bool add, Rows& c);
/// c += a b, where a 0 of a leaves out what it meets in b, also NaN.
void add_selected(const Factor& a, const Rows& b, Rows& c);

/// The scales e^c of one head's keys, relative to the largest c that has been seen.
class Scales {
 public:
  Scales(const LinearAttention& attention, std::size_t item, std::size_t head, std::size_t keys);

  /// False where all c are 0; nothing else is called then.
  explicit operator bool() const { return !log_.empty(); }
  /// The largest c of keys 0 … seen-1. NaN is passed over: it makes its own key's features NaN.
  Real most(std::size_t seen) const { return most_[seen - 1]; }
  /// e^(c_j - reference) for the keys of a span, good until the next call.
  const Real* relative(const Span& keys, Real reference);
  /// Row r times e^(c_j - reference) of key j = keys.begin + r.
  void apply(const Span& keys, Real reference, Rows& rows);

 private:
  std::vector<Real> log_, most_;
  std::array<Real, chunk> factors_{};
};

/// What the mask and the scales leave of products of a block's queries and keys: row r keeps the keys that it
/// sees, times their scales. The rest becomes 0.
void keep_seen(const Block& block, const PlainMask::Item& mask, Scales& scales, Rows& tile);

}  // namespace fovea::inline FOVEA_REAL::running
