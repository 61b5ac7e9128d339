#include "core/attention/mask.hpp"

#include <algorithm>
#include <limits>

#include "core/attention/mask_term.hpp"

namespace fovea {
namespace {

constexpr std::string_view here = "mask";
constexpr std::int64_t far = std::numeric_limits<std::int64_t>::max() / 4;

// Positions are counted with a sign.
void check_countable(const char* what, std::size_t size) {
  constexpr std::size_t most = std::numeric_limits<std::int64_t>::max();
  check<ConfigError>(size <= most, here, what, " of ", size, "; expected at most ", most);
}

// The lengths of kind `Lengths` that hold for the whole mask: those joined by `&` alone, of several the
// shortest.
template <class Lengths>
std::optional<std::vector<std::size_t>> lengths_in(const Mask::Term& term) {
  if (const auto* lengths = std::get_if<Lengths>(&term.part)) return lengths->lengths;
  const auto* both = std::get_if<Both>(&term.part);
  if (!both) return {};
  auto a = lengths_in<Lengths>(*both->a);
  const auto b = lengths_in<Lengths>(*both->b);
  if (!a || !b) return a ? a : b;
  for (std::size_t i = 0; i < a->size(); ++i) (*a)[i] = std::min((*a)[i], (*b)[i]);
  return a;
}

// Takes a part into a plain mask; false where none can hold it. `shift` is each item's keys - queries.
bool narrow(const MaskPart& part, const std::vector<std::int64_t>& shift, PlainMask& plain) {
  if (const auto* both = std::get_if<Both>(&part)) {
    return narrow(both->a->part, shift, plain) && narrow(both->b->part, shift, plain);
  }
  const auto* keys = std::get_if<KeyLengths>(&part);
  const auto* queries = std::get_if<QueryLengths>(&part);
  const auto* band = std::get_if<Band>(&part);
  if (!keys && !queries && !(band && band->lowest <= -far)) return false;
  for (std::size_t b = 0; b < plain.items.size(); ++b) {
    PlainMask::Item& item = plain.items[b];
    if (keys) item.keys = std::min(item.keys, keys->lengths[b]);
    if (queries) item.queries = std::min(item.queries, queries->lengths[b]);
    if (band) item.offset = std::min(item.offset, band->shift.value_or(shift[b]) + band->highest);
  }
  return true;
}

void check_rows(const char* what, const Ids& queries, const Ids& keys) {
  check(queries.shape.size() == 2 && keys.shape.size() == 2 && queries.shape[0] == keys.shape[0], here, what,
        " of queries have shape ", queries.shape, " and those of keys ", keys.shape,
        "; expected [items, queries] and [items, keys]");
}

void check_order(const char* what, const Ids& order) {
  const auto length = static_cast<std::int64_t>(order.shape[1]);
  const auto wrong = std::ranges::find_if(order.values, [&](auto at) { return at < 0 || at >= length; });
  if (wrong == order.values.end()) return;
  const auto n = static_cast<std::size_t>(wrong - order.values.begin());
  check(false, here, "the order of ", what, " has place ", *wrong, " at ", position_of(n, order.shape),
        ", of ", length);
}

std::shared_ptr<const Mask::Term> term(MaskPart part) {
  return std::make_shared<const Mask::Term>(Mask::Term{std::move(part)});
}

}  // namespace

Mask Mask::key_lengths(std::vector<std::size_t> lengths) {
  return Mask(term(KeyLengths{std::move(lengths)}));
}
Mask Mask::query_lengths(std::vector<std::size_t> lengths) {
  return Mask(term(QueryLengths{std::move(lengths)}));
}
Mask Mask::causal() { return Mask(term(Band{-2 * far, 0, {}})); }
Mask Mask::causal(std::int64_t offset) {
  return Mask(term(Band{-2 * far, 0, std::clamp(offset, -far, far)}));
}
Mask Mask::window(std::size_t before, std::size_t after) {
  const auto limited = [](std::size_t n) { return static_cast<std::int64_t>(std::min<std::size_t>(n, far)); };
  return Mask(term(Band{-limited(before), limited(after), {}}));
}
Mask Mask::global_tokens(std::vector<std::size_t> positions) {
  std::sort(positions.begin(), positions.end());
  return Mask(term(GlobalTokens{std::move(positions)}));
}
Mask Mask::first_tokens(std::size_t count) {
  return Mask(term(FirstTokens{static_cast<std::int64_t>(std::min<std::size_t>(count, far))}));
}
Mask Mask::strided(std::size_t stride) {
  check<ConfigError>(stride > 0, here, "a stride of 0 leads nowhere; expected at least 1");
  check_countable("a stride", stride);
  return Mask(term(Strided{static_cast<std::int64_t>(stride)}));
}
Mask Mask::blocks(std::size_t size) {
  check<ConfigError>(size > 0, here, "blocks of size 0 hold nothing; expected at least 1");
  check_countable("blocks", size);
  return Mask(term(Blocks{static_cast<std::int64_t>(size)}));
}
Mask Mask::keep(Keep keep) { return Mask(term(std::move(keep))); }

Mask Mask::groups(Ids query_ids, Ids key_ids) {
  check_rows("ids", query_ids, key_ids);
  return Mask(term(Groups{RowsOfIds(std::move(query_ids)), RowsOfIds(std::move(key_ids)), true}));
}
Mask Mask::other_groups(Ids query_ids, Ids key_ids) {
  check_rows("ids", query_ids, key_ids);
  return Mask(term(Groups{RowsOfIds(std::move(query_ids)), RowsOfIds(std::move(key_ids)), false}));
}
Mask Mask::reordered(const Mask& mask, Ids query_order, Ids key_order, std::size_t heads) {
  check_rows("orders", query_order, key_order);
  check_order("queries", query_order);
  check_order("keys", key_order);
  const std::size_t items = query_order.shape[0];
  check(heads > 0 && items % heads == 0, here, "orders for ", items, " items do not divide into ", heads,
        " heads");
  MaskView inner = mask.view(items / heads, query_order.shape[1], key_order.shape[1]);
  if (mask.allows_all()) return {};
  return Mask(term(Reordered{std::move(inner), RowsOfIds(std::move(query_order)),
                             RowsOfIds(std::move(key_order)), heads}));
}

Mask operator&(const Mask& a, const Mask& b) {
  if (!a.root_) return b;
  if (!b.root_) return a;
  return Mask(term(Both{a.root_, b.root_}));
}

Mask operator|(const Mask& a, const Mask& b) {
  if (!a.root_ || !b.root_) return {};
  return Mask(term(Either{a.root_, b.root_}));
}

MaskView Mask::view(std::size_t items, std::size_t queries, std::size_t keys) const {
  MaskView view;
  view.root_ = root_;
  view.most_queries_ = queries;
  view.most_keys_ = keys;
  view.shift_.assign(items, static_cast<std::int64_t>(keys) - static_cast<std::int64_t>(queries));
  if (!root_) return view;
  check_fits(root_->part, items, queries, keys);
  view.keys_ = lengths_in<KeyLengths>(*root_).value_or(std::vector<std::size_t>());
  view.queries_ = lengths_in<QueryLengths>(*root_).value_or(std::vector<std::size_t>());
  if (view.keys_.empty() || view.queries_.empty()) return view;
  for (std::size_t b = 0; b < items; ++b) {
    view.shift_[b] = static_cast<std::int64_t>(view.keys_[b]) - static_cast<std::int64_t>(view.queries_[b]);
  }
  return view;
}

Keep Mask::expand(std::size_t items, std::size_t queries, std::size_t keys) const {
  const MaskView whole = view(items, queries, keys);
  Keep keep({items, queries, keys}, std::vector<unsigned char>(items * queries * keys));
  for (std::size_t row = 0; row < items * queries; ++row) {
    whole.row(row / queries, row % queries, {0, keys}, keep.values.data() + row * keys);
  }
  return keep;
}

std::optional<PlainMask> Mask::plain(std::size_t items, std::size_t queries, std::size_t keys) const {
  const MaskView whole = view(items, queries, keys);
  PlainMask plain{std::vector<PlainMask::Item>(items, {queries, keys, far})};
  if (root_ && !narrow(root_->part, whole.shift_, plain)) return {};
  return plain;
}

std::size_t PlainMask::Item::seen(std::size_t i) const {
  const std::int64_t end = static_cast<std::int64_t>(i) + offset + 1;
  return i < queries && end > 0 ? std::min(keys, static_cast<std::size_t>(end)) : 0;
}

MaskView::Cover MaskView::cover(std::size_t item, Span queries, Span keys) const {
  return root_ ? cover_of(root_->part, {item, shift_[item]}, queries, keys) : Cover::all;
}

void MaskView::row(std::size_t item, std::size_t i, Span keys, unsigned char* out) const {
  if (root_) {
    fill_row(root_->part, {item, shift_[item]}, i, keys, out);
  } else {
    std::fill_n(out, keys.end - keys.begin, 1);
  }
}

void MaskView::picked(std::size_t item, std::size_t i, std::span<const std::int64_t> keys,
                      unsigned char* out) const {
  if (root_) {
    pick_row(root_->part, {item, shift_[item]}, i, keys, out);
  } else {
    std::fill_n(out, keys.size(), 1);
  }
}

}  // namespace fovea
