#include "core/attention/linear_chunk.hpp"

#include <cmath>
#include <limits>

#include "core/kernels/choose.hpp"

namespace fovea::inline FOVEA_REAL::running {

std::vector<Block> blocks_of(const PlainMask::Item& item) {
  // The first query that stands at a key's position, or behind it.
  const auto first_at = [&](std::size_t position) {
    const std::int64_t i = static_cast<std::int64_t>(position) - item.offset;
    return i < 0 ? 0 : std::min(item.queries, static_cast<std::size_t>(i));
  };
  std::vector<Block> blocks;
  for (std::size_t begin = 0; begin < item.keys; begin += chunk) {
    const std::size_t end = std::min(begin + chunk, item.keys);
    blocks.push_back({{first_at(begin), first_at(end)}, {begin, end}});
  }
  // Without keys nobody sees one. A first query behind key 0 has its place in the first chunk or later.
  if (item.keys == 0) return {};
  for (std::size_t begin = first_at(item.keys); begin < item.queries; begin += chunk) {
    blocks.push_back({{begin, std::min(begin + chunk, item.queries)}, {item.keys, item.keys}});
  }
  return blocks;
}

void Rows::take(const Matrices<const Real>& from, std::size_t item, std::size_t head, const Span& rows) {
  count_ = rows.end - rows.begin;
  for (std::size_t r = 0; r < count_; ++r) {
    streaming::pack_row(from.row(item, head, rows.begin + r), width_, row(r), step_);
  }
}

void Rows::turn(const Rows& other) {
  count_ = other.width_;
  kernels().transpose(other.count_, other.width_, other.row(0), other.step_, row(0), step_);
  for (std::size_t r = 0; r < count_ && other.count_ < step_; ++r) {
    std::fill(row(r) + other.count_, row(r) + step_, Real(0));
  }
}

void Rows::scale(Real factor) { kernels().scale(count_ * step_, factor, row(0), row(0)); }

void product(const Factor& a, const Rows& b, bool add, Rows& c) {
  const std::size_t step = a.rows.step();
  kernels().tile_product(c.count(), b.step(), b.count(), 1, a.rows.row(0), a.turned ? 1 : step,
                         a.turned ? step : 1, b.row(0), b.step(), add, c.row(0), c.step());
}

void add_selected(const Factor& a, const Rows& b, Rows& c) {
  if (kernels().finite(b.count() * b.step(), b.row(0))) return product(a, b, true, c);
  const std::size_t step = a.rows.step();
  streaming::add_selected(c.count(), b.step(), b.count(), a.rows.row(0), a.turned ? 1 : step,
                          a.turned ? step : 1, b.row(0), b.step(), c.row(0), c.step());
}

Scales::Scales(const LinearAttention& attention, std::size_t item, std::size_t head, std::size_t keys) {
  if (!attention.log_scale) return;
  Real most = std::numeric_limits<Real>::lowest();
  for (std::size_t j = 0; j < keys; ++j) {
    const Real log = *attention.log_scale.row(item, head, j);
    most = log > most ? log : most;
    log_.push_back(log);
    most_.push_back(most);
  }
}

const Real* Scales::relative(const Span& keys, Real reference) {
  const std::size_t n = keys.end - keys.begin;
  for (std::size_t j = 0; j < n; ++j) factors_[j] = log_[keys.begin + j] - reference;
  kernels().exp(n, factors_.data(), factors_.data());
  return factors_.data();
}

void Scales::apply(const Span& keys, Real reference, Rows& rows) {
  const Real* factors = relative(keys, reference);
  for (std::size_t r = 0; r < rows.count(); ++r) {
    kernels().scale(rows.step(), factors[r], rows.row(r), rows.row(r));
  }
}

void keep_seen(const Block& block, const PlainMask::Item& mask, Scales& scales, Rows& tile) {
  for (std::size_t r = 0; r < block.query_count(); ++r) {
    const std::size_t all = mask.seen(block.queries.begin + r);
    const std::size_t seen = all - block.keys.begin;
    Real* row = tile.row(r);
    if (scales) {
      const Real* factors = scales.relative({block.keys.begin, all}, scales.most(all));
      kernels().mul(seen, row, 1, factors, 1, row);
    }
    std::fill(row + seen, row + tile.step(), Real(0));
  }
}

}  // namespace fovea::inline FOVEA_REAL::running
