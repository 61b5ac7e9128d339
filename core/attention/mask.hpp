#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "core/ids.hpp"

namespace fovea {

class MaskView;
struct PlainMask;

/// Which keys a query may attend to. A mask is a value that keeps its structure: it is made of the parts
/// below, joined by `&` and `|`, and knows no shape until it meets queries and keys. The default allows
/// everything. So a kernel can leave out whole tiles, and every path reads the same mask.
///
/// Parts that compare positions (causal, window, …) align queries and keys at their end: key j stands at
/// query position j - (keys - queries). With both key and query lengths in the mask the item's own numbers
/// count.
class Mask {
 public:
  Mask() = default;

  /// Keys 0 … lengths[b]-1 of item b; the rest is padding. One length for each item.
  static Mask key_lengths(std::vector<std::size_t> lengths);
  /// Queries 0 … lengths[b]-1 of item b; later ones see nothing.
  static Mask query_lengths(std::vector<std::size_t> lengths);
  /// Key j for query i where j ≤ i + (keys - queries): the last query sees every key.
  static Mask causal();
  /// Key j for query i where j ≤ i + offset.
  static Mask causal(std::int64_t offset);
  /// At most `before` keys before a query's position, the one at it, and `after` keys after it.
  static Mask window(std::size_t before, std::size_t after);
  /// These positions see every key and are seen by every query (Beltagy et al., 2020). To be joined by `|`.
  static Mask global_tokens(std::vector<std::size_t> positions);
  /// The same of the first `count` positions, of as many of them as there are. To be joined by `|`.
  static Mask first_tokens(std::size_t count);
  /// Keys at a distance from the query's position that `stride` divides (Child et al., 2019).
  static Mask strided(std::size_t stride);
  /// Keys in the query's own block of `size` positions.
  static Mask blocks(std::size_t size);
  /// Any choice: true where a key is kept. The shape broadcasts to [items, queries, keys].
  static Mask keep(Keep keep);
  /// Keys of the query's group: key j for query i where their ids are equal. Ids are [items, queries] and
  /// [items, keys], any numbers. Where equal ids stand side by side, as after sorting by them, a tile of
  /// several groups is left out and one within a group needs no mask.
  static Mask groups(Ids query_ids, Ids key_ids);
  /// Keys of all other groups: where the ids differ.
  static Mask other_groups(Ids query_ids, Ids key_ids);
  /// A mask seen through an order of its queries and its keys: query i and key j here are query
  /// query_order[i] and key key_order[j] of `mask`. The orders are [items, queries] and [items, keys];
  /// `heads` of their items in a row are of one item of `mask`, which stands for all of these. Positions and
  /// lengths in `mask` keep their meaning; those in parts that it is joined with count in the new order.
  /// ShapeError where `mask` does not fit the orders, or an order leads outside.
  static Mask reordered(const Mask& mask, Ids query_order, Ids key_order, std::size_t heads = 1);

  /// What both allow.
  friend Mask operator&(const Mask& a, const Mask& b);
  /// What either allows.
  friend Mask operator|(const Mask& a, const Mask& b);

  bool allows_all() const { return !root_; }

  /// The mask for so many items, queries and keys. Throws ShapeError when a part does not fit these numbers.
  MaskView view(std::size_t items, std::size_t queries, std::size_t keys) const;
  /// Every element of it: [items, queries, keys].
  Keep expand(std::size_t items, std::size_t queries, std::size_t keys) const;
  /// The same as numbers where it is made of key lengths, query lengths and causal alone (or a window without
  /// a beginning), joined by `&`: what a running sum over the keys can honour. Else nothing.
  std::optional<PlainMask> plain(std::size_t items, std::size_t queries, std::size_t keys) const;

  struct Term;

 private:
  explicit Mask(std::shared_ptr<const Term> root) : root_(std::move(root)) {}
  std::shared_ptr<const Term> root_;
};

/// A mask under which each query sees the first keys of its item, however many, and no other.
struct PlainMask {
  struct Item {
    std::size_t queries, keys;  // lengths: later queries see nothing, later keys are not seen
    std::int64_t offset;  // query i sees no key after i + offset; beyond all keys where it is not causal

    /// Query i sees the keys 0 … seen(i)-1.
    std::size_t seen(std::size_t i) const;
  };
  std::vector<Item> items;
};

/// A range of positions: begin … end-1.
struct Span {
  std::size_t begin, end;
};

/// A mask that has met its shape.
class MaskView {
 public:
  /// How much of a tile is allowed. `none` and `all` are certain; `some` may turn out to be either.
  enum class Cover { none, some, all };
  Cover cover(std::size_t item, Span queries, Span keys) const;

  /// out[j - keys.begin] = 1 where query `i` of `item` may see key j, else 0.
  void row(std::size_t item, std::size_t i, Span keys, unsigned char* out) const;
  /// out[n] = the same of key keys[n].
  void picked(std::size_t item, std::size_t i, std::span<const std::int64_t> keys, unsigned char* out) const;

  std::size_t items() const { return shift_.size(); }
  /// How far an item's keys are shifted against its queries: query i stands at key i + shift.
  std::int64_t shift(std::size_t item) const { return shift_[item]; }
  /// Queries of an item, and its keys, that are not padding by the lengths that hold for the whole mask.
  std::size_t queries(std::size_t item) const { return queries_.empty() ? most_queries_ : queries_[item]; }
  std::size_t keys(std::size_t item) const { return keys_.empty() ? most_keys_ : keys_[item]; }

 private:
  friend class Mask;
  std::shared_ptr<const Mask::Term> root_;
  std::vector<std::int64_t> shift_;               // keys - queries, for each item
  std::vector<std::size_t> queries_, keys_;       // lengths; empty where there are none
  std::size_t most_queries_ = 0, most_keys_ = 0;  // as many as there are
};

}  // namespace fovea
