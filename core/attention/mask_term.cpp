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

// ---- one row ----

// Sets out[j - keys.begin] for the keys of a span.
struct Fills {
  const MaskItem& item;
  std::size_t i;
  Span keys;
  unsigned char* out;

  std::size_t size() const { return keys.end - keys.begin; }
  void all(bool allowed) const { std::fill_n(out, size(), allowed); }
  // Keys first … last, both included, which may lie anywhere.
  void only(std::int64_t first, std::int64_t last) const {
    all(false);
    first = std::max(first, at(keys.begin));
    last = std::min(last, at(keys.end) - 1);
    if (first <= last) std::fill_n(out + (first - at(keys.begin)), last - first + 1, true);
  }

  void operator()(const KeyLengths& part) const { only(0, at(part.lengths[item.number]) - 1); }
  void operator()(const QueryLengths& part) const { all(i < part.lengths[item.number]); }
  void operator()(const Band& part) const {
    const std::int64_t position = at(i) + part.shift.value_or(item.shift);
    only(position + part.lowest, position + part.highest);
  }
  void operator()(const GlobalTokens& part) const {
    const std::int64_t position = at(i) + item.shift;
    const bool global = position >= 0 && std::binary_search(part.positions.begin(), part.positions.end(),
                                                            static_cast<std::size_t>(position));
    all(global);
    for (const std::size_t token : part.positions) {
      if (keys.begin <= token && token < keys.end) out[token - keys.begin] = true;
    }
  }
  void operator()(const Strided& part) const {
    const std::int64_t position = at(i) + item.shift;
    for (std::size_t j = keys.begin; j < keys.end; ++j) {
      out[j - keys.begin] = (at(j) - position) % part.stride == 0;
    }
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
    for (std::size_t j = keys.begin; j < keys.end; ++j) out[j - keys.begin] = part.values[first + j] != 0;
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
    fill_row(a->part, item, i, keys, out);
    constexpr std::size_t piece = 256;
    unsigned char other[piece];
    for (std::size_t j = keys.begin; j < keys.end; j += piece) {
      const Span some{j, std::min(j + piece, keys.end)};
      fill_row(b->part, item, i, some, other);
      unsigned char* here_out = out + (j - keys.begin);
      for (std::size_t k = 0; k < some.end - some.begin; ++k) here_out[k] = join(here_out[k], other[k]);
    }
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

void fill_row(const MaskPart& part, const MaskItem& item, std::size_t i, Span keys, unsigned char* out) {
  std::visit(Fills{item, i, keys, out}, part);
}

}  // namespace fovea
