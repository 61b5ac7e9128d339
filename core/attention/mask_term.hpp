#pragma once

#include <variant>

#include "core/attention/mask.hpp"
#include "core/attention/rows_of_ids.hpp"

// What masks are made of. Only mask.cpp and mask_term.cpp see this.

namespace fovea {

/// One item of a view: its number, and how far keys are shifted against queries.
struct MaskItem {
  std::size_t number;
  std::int64_t shift;
};

struct KeyLengths {
  std::vector<std::size_t> lengths;
};
struct QueryLengths {
  std::vector<std::size_t> lengths;
};
/// Distance of key j from query i, d = j - (i + shift), lies in lowest … highest.
struct Band {
  std::int64_t lowest, highest;
  std::optional<std::int64_t> shift;  // else the item's
};
struct GlobalTokens {
  std::vector<std::size_t> positions;  // ascending
};
struct FirstTokens {
  std::int64_t count;
};
struct Strided {
  std::int64_t stride;
};
struct Blocks {
  std::int64_t size;
};
/// The ids of queries and keys are equal, or, where `equal` is false, differ.
struct Groups {
  RowsOfIds queries, keys;
  bool equal;
};
/// The inner mask has its own shape, and so its own view.
struct Reordered {
  MaskView inner;
  RowsOfIds queries, keys;  // their places in it
  std::size_t heads;        // items here for one of the inner mask
};
struct Both {
  std::shared_ptr<const Mask::Term> a, b;
};
struct Either {
  std::shared_ptr<const Mask::Term> a, b;
};

using MaskPart = std::variant<KeyLengths, QueryLengths, Band, GlobalTokens, FirstTokens, Strided, Blocks,
                              Keep, Groups, Reordered, Both, Either>;

struct Mask::Term {
  MaskPart part;
};

void check_fits(const MaskPart& part, std::size_t items, std::size_t queries, std::size_t keys);
MaskView::Cover cover_of(const MaskPart& part, const MaskItem& item, Span queries, Span keys);
/// out[j - keys.begin] = whether query i sees key j.
void fill_row(const MaskPart& part, const MaskItem& item, std::size_t i, Span keys, unsigned char* out);
/// out[n] = whether query i sees key keys[n].
void pick_row(const MaskPart& part, const MaskItem& item, std::size_t i, std::span<const std::int64_t> keys,
              unsigned char* out);

}  // namespace fovea
