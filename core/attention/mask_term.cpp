#include "core/attention/mask_term.hpp"

#include <algorithm>

namespace fovea {
namespace {

constexpr std::string_view here = "mask";
using Cover = MaskView::Cover;

std::int64_t at(std::size_t position) { return static_cast<std::int64_t>(position); }

// ---- does it fit ----

void check_lengths(const char* what, const std::vector<std::size_t>& lengths, std::size_t items,
                   std::size_t most) {
  check(lengths.size() == items, here, lengths.size(), " ", what, " lengths for ", items, " items");
  for (std::size_t b = 0; b < items; ++b) {
    check(lengths[b] <= most, here, "item ", b, " has ", what, " length ", lengths[b], " of ", most);
  }
}

struct Fits {
  std::size_t items, queries, keys;

  void operator()(const KeyLengths& part) const { check_lengths("key", part.lengths, items, keys); }
  void operator()(const QueryLengths& part) const { check_lengths("query", part.lengths, items, queries); }
  void operator()(const GlobalTokens& part) const {
    check(part.positions.empty() || part.positions.back() < std::max(queries, keys), here, "global token ",
          part.positions.empty() ? 0 : part.positions.back(), " lies outside ", queries, " queries and ",
          keys, " keys");
  }
  void operator()(const Groups& part) const { rows("ids", part.queries, part.keys); }
  void operator()(const Reordered& part) const { rows("orders", part.queries, part.keys); }
  void operator()(const Keep& part) const {
    const Shape target{items, queries, keys};
    check(broadcasts_to(part.shape, target), here, "keep has shape ", part.shape,
          ", which does not broadcast to ", target);
  }
  void operator()(const Both& part) const { both(part.a, part.b); }
  void operator()(const Either& part) const { both(part.a, part.b); }
  template <class Part>
  void operator()(const Part&) const {}

  void both(const std::shared_ptr<const Mask::Term>& a, const std::shared_ptr<const Mask::Term>& b) const {
    std::visit(*this, a->part);
    std::visit(*this, b->part);
  }
  void rows(const char* what, const RowsOfIds& of_queries, const RowsOfIds& of_keys) const {
    check(of_queries.ids().shape == Shape{items, queries} && of_keys.ids().shape == Shape{items, keys}, here,
          what, " have shapes ", of_queries.ids().shape, " and ", of_keys.ids().shape, "; expected ",
          Shape{items, queries}, " and ", Shape{items, keys});
  }
};

// ---- one row ----

// The keys that a row is asked for: a span of them, …
struct SpanOfKeys {
  Span span;

  std::size_t size() const { return span.end - span.begin; }
  std::int64_t operator[](std::size_t n) const { return at(span.begin + n); }
  SpanOfKeys piece(std::size_t begin, std::size_t end) const {
    return {{span.begin + begin, span.begin + end}};
  }
  // Which of them lie in first … last, both included.
  void within(std::int64_t first, std::int64_t last, unsigned char* out) const {
    std::fill_n(out, size(), false);
    first = std::max(first, at(span.begin));
    last = std::min(last, at(span.end) - 1);
    if (first <= last) std::fill_n(out + (first - at(span.begin)), last - first + 1, true);
  }
  std::span<const std::int64_t> of(const RowsOfIds& ids, std::size_t item, std::span<std::int64_t>) const {
    return ids.row(item).subspan(span.begin, size());
  }
};

// … or any.
struct AnyKeys {
  std::span<const std::int64_t> keys;

  std::size_t size() const { return keys.size(); }
  std::int64_t operator[](std::size_t n) const { return keys[n]; }
  AnyKeys piece(std::size_t begin, std::size_t end) const { return {keys.subspan(begin, end - begin)}; }
  void within(std::int64_t first, std::int64_t last, unsigned char* out) const {
    for (std::size_t n = 0; n < size(); ++n) out[n] = first <= keys[n] && keys[n] <= last;
  }
  // Their ids, gathered in `room`.
  std::span<const std::int64_t> of(const RowsOfIds& ids, std::size_t item,
                                   std::span<std::int64_t> room) const {
    const auto row = ids.row(item);
    for (std::size_t n = 0; n < size(); ++n) room[n] = row[static_cast<std::size_t>(keys[n])];
    return room.first(size());
  }
};

// Parts that need room take so many keys at a time.
constexpr std::size_t piece_size = 256;

// Sets out[n] for each of the keys.
template <class Keys>
struct Fills {
  const MaskItem& item;
  std::size_t i;
  Keys keys;
  unsigned char* out;

  void all(bool allowed) const { std::fill_n(out, keys.size(), allowed); }
  void only(std::int64_t first, std::int64_t last) const { keys.within(first, last, out); }
  template <class Allows>
  void each(const Allows& allows) const {
    for (std::size_t n = 0; n < keys.size(); ++n) out[n] = allows(keys[n]);
  }
  // Calls body(some of the keys, where they begin).
  template <class Body>
  void in_pieces(const Body& body) const {
    for (std::size_t n = 0; n < keys.size(); n += piece_size)
      body(keys.piece(n, std::min(n + piece_size, keys.size())), out + n);
  }

  void operator()(const KeyLengths& part) const { only(0, at(part.lengths[item.number]) - 1); }
  void operator()(const QueryLengths& part) const { all(i < part.lengths[item.number]); }
  void operator()(const Band& part) const {
    const std::int64_t position = at(i) + part.shift.value_or(item.shift);
    only(position + part.lowest, position + part.highest);
  }
  void operator()(const GlobalTokens& part) const {
    const auto global = [&](std::int64_t position) {
      return position >= 0 && std::binary_search(part.positions.begin(), part.positions.end(),
                                                 static_cast<std::size_t>(position));
    };
    if (global(at(i) + item.shift)) return all(true);
    each(global);
  }
  void operator()(const FirstTokens& part) const {
    const std::int64_t position = at(i) + item.shift;
    if (0 <= position && position < part.count) return all(true);
    only(0, part.count - 1);
  }
  void operator()(const Strided& part) const {
    const std::int64_t position = at(i) + item.shift;
    each([&](std::int64_t j) { return (j - position) % part.stride == 0; });
  }
  void operator()(const Blocks& part) const {
    const std::int64_t position = at(i) + item.shift;
    if (position < 0) return all(false);
    const std::int64_t first = position / part.size * part.size;
    only(first, first + part.size - 1);
  }
  void operator()(const Keep& part) const {
    // Axes before a keep's own, and those of length 1, are repeated.
    const std::size_t index[3] = {item.number, i, 0};
    const std::size_t rank = part.shape.size();
    std::size_t first = 0;  // the element of key 0
    for (std::size_t axis = 0; axis < rank; ++axis) {
      const std::size_t length = part.shape[axis];
      first = first * length + (length == 1 ? 0 : index[3 - rank + axis]);
    }
    if (rank == 0 || part.shape.back() == 1) return all(part.values[first] != 0);
    each([&](std::int64_t j) { return part.values[first + static_cast<std::size_t>(j)] != 0; });
  }
  void operator()(const Groups& part) const {
    const std::int64_t id = part.queries.row(item.number)[i];
    in_pieces([&](const Keys& some, unsigned char* to) {
      std::int64_t room[piece_size];
      const auto ids = some.of(part.keys, item.number, room);
      for (std::size_t n = 0; n < ids.size(); ++n) to[n] = (ids[n] == id) == part.equal;
    });
  }
  void operator()(const Reordered& part) const {
    const auto place = static_cast<std::size_t>(part.queries.row(item.number)[i]);
    in_pieces([&](const Keys& some, unsigned char* to) {
      std::int64_t room[piece_size];
      part.inner.picked(item.number / part.heads, place, some.of(part.keys, item.number, room), to);
    });
  }
  void operator()(const Both& part) const {
    joined(part.a, part.b, [](bool a, bool b) { return a && b; });
  }
  void operator()(const Either& part) const {
    joined(part.a, part.b, [](bool a, bool b) { return a || b; });
  }

  template <class Join>
  void joined(const std::shared_ptr<const Mask::Term>& a, const std::shared_ptr<const Mask::Term>& b,
              const Join& join) const {
    std::visit(*this, a->part);
    in_pieces([&](const Keys& some, unsigned char* to) {
      unsigned char other[piece_size];
      std::visit(Fills{item, i, some, other}, b->part);
      for (std::size_t n = 0; n < some.size(); ++n) to[n] = join(to[n], other[n]);
    });
  }
};

// ---- a tile ----

Cover of_lengths(Span span, std::size_t length) {
  if (span.begin >= length) return Cover::none;
  return span.end <= length ? Cover::all : Cover::some;
}

struct Covers {
  const MaskItem& item;
  Span queries, keys;

  Cover operator()(const KeyLengths& part) const { return of_lengths(keys, part.lengths[item.number]); }
  Cover operator()(const QueryLengths& part) const { return of_lengths(queries, part.lengths[item.number]); }
  Cover operator()(const Band& part) const {
    const std::int64_t shift = part.shift.value_or(item.shift);
    const std::int64_t least = at(keys.begin) - (at(queries.end) - 1) - shift;
    const std::int64_t most = at(keys.end) - 1 - at(queries.begin) - shift;
    if (most < part.lowest || least > part.highest) return Cover::none;
    return part.lowest <= least && most <= part.highest ? Cover::all : Cover::some;
  }
  Cover operator()(const GlobalTokens& part) const {
    const auto any = [&](std::int64_t begin, std::int64_t end) {
      const auto found =
          std::lower_bound(part.positions.begin(), part.positions.end(), std::max<std::int64_t>(begin, 0),
                           [](std::size_t p, std::int64_t b) { return at(p) < b; });
      return found != part.positions.end() && at(*found) < end;
    };
    const bool touched = any(at(keys.begin), at(keys.end)) ||
                         any(at(queries.begin) + item.shift, at(queries.end) + item.shift);
    return touched ? Cover::some : Cover::none;
  }
  Cover operator()(const Blocks& part) const {
    const std::int64_t first = at(queries.begin) + item.shift, last = at(queries.end) - 1 + item.shift;
    if (last < 0) return Cover::none;
    const std::int64_t low = std::max<std::int64_t>(first, 0) / part.size * part.size,
                       high = (last / part.size + 1) * part.size;
    if (at(keys.end) <= low || at(keys.begin) >= high) return Cover::none;
    const bool one_block = first >= 0 && high - low == part.size;
    return one_block && at(keys.begin) >= low && at(keys.end) <= high ? Cover::all : Cover::some;
  }
  Cover operator()(const FirstTokens& part) const {
    const std::int64_t first = at(queries.begin) + item.shift, last = at(queries.end) - 1 + item.shift;
    if (at(keys.end) <= part.count || (0 <= first && last < part.count)) return Cover::all;
    const bool met = std::max<std::int64_t>(first, 0) <= std::min(last, part.count - 1);
    return met || at(keys.begin) < part.count ? Cover::some : Cover::none;
  }
  Cover operator()(const Groups& part) const {
    const Range a = part.queries.range(item.number, queries.begin, queries.end),
                b = part.keys.range(item.number, keys.begin, keys.end);
    if (a.highest < b.lowest || b.highest < a.lowest) return part.equal ? Cover::none : Cover::all;
    const bool one = std::min(a.lowest, b.lowest) == std::max(a.highest, b.highest);
    return !one ? Cover::some : part.equal ? Cover::all : Cover::none;
  }
  // By the smallest rectangle of the inner mask that holds the tile.
  Cover operator()(const Reordered& part) const {
    const auto box = [&](const RowsOfIds& places, Span span) {
      const Range range = places.range(item.number, span.begin, span.end);
      return Span{static_cast<std::size_t>(range.lowest), static_cast<std::size_t>(range.highest) + 1};
    };
    return part.inner.cover(item.number / part.heads, box(part.queries, queries), box(part.keys, keys));
  }
  Cover operator()(const Strided& part) const { return part.stride == 1 ? Cover::all : Cover::some; }
  Cover operator()(const Keep&) const { return Cover::some; }
  Cover operator()(const Both& part) const {
    const Cover a = cover_of(part.a->part, item, queries, keys);
    return a == Cover::none ? a : std::min(a, cover_of(part.b->part, item, queries, keys));
  }
  Cover operator()(const Either& part) const {
    const Cover a = cover_of(part.a->part, item, queries, keys);
    return a == Cover::all ? a : std::max(a, cover_of(part.b->part, item, queries, keys));
  }
};

}  // namespace

void check_fits(const MaskPart& part, std::size_t items, std::size_t queries, std::size_t keys) {
  std::visit(Fits{items, queries, keys}, part);
}

MaskView::Cover cover_of(const MaskPart& part, const MaskItem& item, Span queries, Span keys) {
  return std::visit(Covers{item, queries, keys}, part);
}

void fill_row(const MaskPart& part, const MaskItem& item, std::size_t i, Span keys, unsigned char* out) {
  std::visit(Fills<SpanOfKeys>{item, i, {keys}, out}, part);
}

void pick_row(const MaskPart& part, const MaskItem& item, std::size_t i, std::span<const std::int64_t> keys,
              unsigned char* out) {
  std::visit(Fills<AnyKeys>{item, i, {keys}, out}, part);
}

}  // namespace fovea
