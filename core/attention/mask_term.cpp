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
};

// ---- one element ----

struct Allows {
  const MaskItem& item;
  std::size_t i, j;

  std::int64_t distance() const { return at(j) - at(i) - item.shift; }

  bool operator()(const KeyLengths& part) const { return j < part.lengths[item.number]; }
  bool operator()(const QueryLengths& part) const { return i < part.lengths[item.number]; }
  bool operator()(const Band& part) const {
    const std::int64_t d = at(j) - at(i) - part.shift.value_or(item.shift);
    return part.lowest <= d && d <= part.highest;
  }
  bool operator()(const GlobalTokens& part) const {
    const auto global = [&](std::int64_t position) {
      return position >= 0 && std::binary_search(part.positions.begin(), part.positions.end(),
                                                 static_cast<std::size_t>(position));
    };
    return global(at(j)) || global(at(i) + item.shift);
  }
  bool operator()(const Strided& part) const { return distance() % part.stride == 0; }
  bool operator()(const Blocks& part) const {
    const std::int64_t position = at(i) + item.shift;
    return position >= 0 && position / part.size == at(j) / part.size;
  }
  bool operator()(const Keep& part) const {
    // Axes before a keep's own, and those of length 1, are repeated.
    const std::size_t index[3] = {item.number, i, j};
    std::size_t n = 0;
    for (std::size_t axis = 0; axis < part.shape.size(); ++axis) {
      const std::size_t length = part.shape[axis];
      n = n * length + (length == 1 ? 0 : index[3 - part.shape.size() + axis]);
    }
    return part.values[n] != 0;
  }
  bool operator()(const Both& part) const {
    return allows(part.a->part, item, i, j) && allows(part.b->part, item, i, j);
  }
  bool operator()(const Either& part) const {
    return allows(part.a->part, item, i, j) || allows(part.b->part, item, i, j);
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
  Cover operator()(const Strided& part) const { return part.stride == 1 ? Cover::all : Cover::some; }
  Cover operator()(const Keep&) const { return Cover::some; }
  Cover operator()(const Both& part) const {
    const Cover a = cover_of(part.a->part, item, queries, keys),
                b = cover_of(part.b->part, item, queries, keys);
    return std::min(a, b);
  }
  Cover operator()(const Either& part) const {
    const Cover a = cover_of(part.a->part, item, queries, keys),
                b = cover_of(part.b->part, item, queries, keys);
    return std::max(a, b);
  }
};

}  // namespace

void check_fits(const MaskPart& part, std::size_t items, std::size_t queries, std::size_t keys) {
  std::visit(Fits{items, queries, keys}, part);
}

MaskView::Cover cover_of(const MaskPart& part, const MaskItem& item, Span queries, Span keys) {
  return std::visit(Covers{item, queries, keys}, part);
}

bool allows(const MaskPart& part, const MaskItem& item, std::size_t i, std::size_t j) {
  return std::visit(Allows{item, i, j}, part);
}

}  // namespace fovea
