#include "core/attention/tile_rows.hpp"

#include <algorithm>
#include <limits>

#include "core/draw.hpp"
#include "core/kernels/choose.hpp"

namespace fovea::inline FOVEA_REAL::streaming {

using Cover = MaskView::Cover;

TileRows::TileRows(const Attention& attention, const Division& division, const Task& task)
    : attention_(attention),
      division_(division),
      task_(task),
      columns_(tile_columns(attention.keys)),
      keep_(columns_) {}

void TileRows::take(std::size_t begin) {
  rows_.clear();
  drawn_.reset();
  for (std::size_t r = begin; r < std::min(begin + query_tile, task_.end); ++r) {
    rows_.push_back(division_.row(task_.group, r));
  }
}

Cover TileRows::cover(std::size_t tile) const {
  if (!attention_.mask) return Cover::all;
  const Span keys = keys_of(tile, attention_.keys);
  std::optional<Cover> found;
  // Queries of one item follow each other.
  for (std::size_t r = 0; r < rows_.size();) {
    std::size_t end = r + 1;
    while (end < rows_.size() && rows_[end].item == rows_[r].item) ++end;
    const Cover part =
        attention_.mask->cover(masked(rows_[r].item), {rows_[r].i, rows_[end - 1].i + 1}, keys);
    if (found && *found != part) return Cover::some;
    found = part;
    r = end;
  }
  return found.value_or(Cover::none);
}

void TileRows::prepare(std::size_t tile, Cover cover, Real* s) {
  const Span keys = keys_of(tile, attention_.keys);
  const std::size_t n = keys.end - keys.begin;
  for (std::size_t r = 0; r < rows_.size(); ++r, s += columns_) {
    const auto [item, i] = rows_[r];
    if (attention_.bias) {
      const std::size_t step = attention_.bias_key_step;
      kernels().add(n, s, 1, attention_.bias.row(item, task_.head, i) + keys.begin * step, step, s);
    }
    if (cover == Cover::all) continue;
    attention_.mask->row(masked(item), i, keys, keep_.data());
    for (std::size_t j = 0; j < n; ++j) s[j] = keep_[j] ? s[j] : -std::numeric_limits<Real>::infinity();
  }
}

void TileRows::draw(std::size_t tile) {
  if (drawn_ == tile) return;
  drawn_ = tile;
  const Span keys = keys_of(tile, attention_.keys);
  const std::size_t n = keys.end - keys.begin;
  factors_.resize(task_.tile_rows() * columns_);
  // Rows of short sequences follow each other in the stream of words, and are drawn together.
  const std::size_t together = n == attention_.keys ? key_tile / std::max<std::size_t>(n, 1) : 1;
  for (std::size_t r = 0; r < rows_.size();) {
    std::size_t end = r + 1;
    while (end < rows_.size() && end < r + together && number(end) == number(end - 1) + 1) ++end;
    Real drawn[key_tile];
    keep_elements(*attention_.rng, 1 - attention_.dropout, number(r) * attention_.keys + keys.begin,
                  {drawn, (end - r) * n});
    kernels().scale((end - r) * n, static_cast<Real>(1 / (1 - attention_.dropout)), drawn, drawn);
    for (const Real* from = drawn; r < end; ++r, from += n)
      pack_row(from, n, factors_.data() + r * columns_, columns_);
  }
}

void TileRows::drop(std::size_t tile, Real* x) {
  if (attention_.dropout == 0) return;
  draw(tile);
  kernels().mul_or_zero(rows_.size() * columns_, factors_.data(), 1, x, 1, x);
}

}  // namespace fovea::inline FOVEA_REAL::streaming
