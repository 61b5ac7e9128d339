#include "core/recurrent/walk.hpp"

#include <algorithm>
#include <numeric>

#include "core/blas.hpp"
#include "core/kernels/choose.hpp"

namespace fovea::inline FOVEA_REAL {

std::size_t Sequences::rows() const {
  return lengths.empty() ? items * steps : std::accumulate(lengths.begin(), lengths.end(), std::size_t{0});
}

namespace recurrence {

// Items that go through their steps together: enough to use each number of the weight several times, few
// enough to leave blocks for other threads.
constexpr std::size_t most_block_rows = 16;

Walk::Walk(const Sequences& s, bool cut) : s_(s), block_rows_(std::max<std::size_t>(s.items, 1)) {
  if (cut && s.items > 0) {
    const std::size_t blocks = (s.items + most_block_rows - 1) / most_block_rows;
    block_rows_ = (s.items + blocks - 1) / blocks;
  }
  if (s.lengths.empty()) return;
  order_.resize(s.items);
  std::iota(order_.begin(), order_.end(), std::size_t{0});
  std::stable_sort(order_.begin(), order_.end(),
                   [&](std::size_t a, std::size_t b) { return s.lengths[a] > s.lengths[b]; });
  std::size_t rows = 0;
  for (std::size_t number = 0; number < block_count(); ++number) {
    const Block of = block(number);
    std::size_t live = of.rows;
    for (std::size_t t = 0; t < s.steps; ++t) {
      live = live_at(of, t, live);
      starts_.push_back(rows);
      rows += live;
    }
  }
}

Block Walk::block(std::size_t number) const {
  const std::size_t begin = number * block_rows_;
  return {number, begin, std::min(block_rows_, s_.items - begin)};
}

std::size_t Walk::live_at(const Block& block, std::size_t t, std::size_t near) const {
  while (near < block.rows && length(block, near) > t) ++near;
  while (near > 0 && length(block, near - 1) <= t) --near;
  return near;
}

Tensor gathered(const Walk& walk, const Block& block, const Real* of_items, std::size_t width,
                std::size_t stride) {
  if (!of_items) return zeros({block.rows, stride});
  Tensor rows = uninitialized({block.rows, stride});
  for (std::size_t r = 0; r < block.rows; ++r) {
    Real* row = rows.data() + r * stride;
    std::fill(std::copy_n(of_items + walk.item(block, r) * width, width, row), row + stride, Real(0));
  }
  return rows;
}

void put_back(const Walk& walk, const Block& block, const Tensor& rows, std::size_t width, Real* of_items) {
  const std::size_t stride = rows.shape()[1];
  for (std::size_t r = 0; r < block.rows; ++r)
    std::copy_n(rows.data() + r * stride, width, of_items + walk.item(block, r) * width);
}

void clear_padding(const Sequences& s, std::size_t width, Real* x) {
  if (s.lengths.empty()) return;
  for (std::size_t item = 0; item < s.items; ++item) {
    const std::size_t length = s.lengths[item];
    std::fill_n(x + (item * s.steps + length) * width, (s.steps - length) * width, Real(0));
  }
}

void fetch(const Real* x, std::size_t count) {
  constexpr std::size_t line = 64 / sizeof(Real);
  for (std::size_t k = 0; k < count; k += line) __builtin_prefetch(x + k, 0, 2);  // into the second cache
}

Tensor weight_gradient(std::size_t rows, std::size_t gates, const Real* d, std::size_t width,
                       const Real* seen, std::size_t step) {
  // Turned, for BLAS lays out its second factor faster than its first, and d is the larger one.
  Tensor turned = uninitialized({width, gates});
  const auto product = [&](const Real* of, std::size_t of_step) {
    gemm(width, gates, rows, 1, {of, of_step, true}, {d, gates}, 0, turned.data(), gates);
  };
  product(seen, step);
  if (all_finite(turned)) return turned;
  Tensor finite = uninitialized({rows, width});
  for (std::size_t row = 0; row < rows; ++row) {
    std::copy_n(seen + row * step, width, finite.data() + row * width);
    const Real* of_row = d + row * gates;
    if (std::all_of(of_row, of_row + gates, [](Real x) { return x == 0; }))
      std::fill_n(finite.data() + row * width, width, Real(0));
  }
  product(finite.data(), width);
  return turned;
}

void turn_back(const Tensor& turned, std::size_t first, std::size_t count, Real* to) {
  const std::size_t gates = turned.shape()[1];
  kernels().transpose(count, gates, turned.data() + first * gates, gates, to, count);
}

void write_sums(const std::vector<double>& parts, std::size_t n, Real* to) {
  for (std::size_t k = 0; k < n; ++k) {
    double total = 0;
    for (std::size_t i = k; i < parts.size(); i += n) total += parts[i];
    to[k] = static_cast<Real>(total);
  }
}

void BiasGradient::add(const Block& block, std::size_t rows, const Real* d) {
  if (!totals_.empty())
    kernels().add_columns(rows, gates_, d, gates_, totals_.data() + block.number * gates_);
}

}  // namespace recurrence
}  // namespace fovea::inline FOVEA_REAL
