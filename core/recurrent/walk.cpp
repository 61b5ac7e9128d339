#include "core/recurrent/walk.hpp"

#include <algorithm>
#include <numeric>

#include "core/blas.hpp"
#include "core/kernels/choose.hpp"

namespace fovea::inline FOVEA_REAL::recurrence {
namespace {

// Items that go through their steps together: enough to use each number of the weight several times, few
// enough to leave blocks for other threads.
constexpr std::size_t most_block_rows = 16;

template <class Body>
void each_item(const Sequences& s, std::size_t width, const Body& body) {
  parallel_for(s.items, rows_per_range(s.steps * width), [&](std::size_t begin, std::size_t end) {
    for (std::size_t item = begin; item < end; ++item) body(item);
  });
}

}  // namespace

Walk::Walk(const Sequences& s, bool cut) : s_(s), block_rows_(std::max<std::size_t>(s.items, 1)) {
  if (!s.lengths.empty()) {
    order_.resize(s.items);
    std::iota(order_.begin(), order_.end(), std::size_t{0});
    std::stable_sort(order_.begin(), order_.end(),
                     [&](std::size_t a, std::size_t b) { return s.lengths[a] > s.lengths[b]; });
  }
  if (!cut || s.items == 0) return;
  const std::size_t blocks = (s.items + most_block_rows - 1) / most_block_rows;
  block_rows_ = (s.items + blocks - 1) / blocks;
}

Tensor gathered(const Walk& walk, const Block& block, const Real* of_items, std::size_t width,
                std::size_t stride) {
  if (!of_items) return zeros({block.rows, stride});
  Tensor rows = uninitialized({block.rows, stride});
  for (std::size_t r = 0; r < block.rows; ++r)
    std::copy_n(of_items + walk.item(block, r) * width, width, rows.data() + r * stride);
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

Tensor states_before(const Sequences& s, const Real* outputs, const Real* start) {
  Tensor states = uninitialized({s.items, s.steps, s.hidden});
  const std::size_t width = s.hidden;
  each_item(s, width, [&](std::size_t item) {
    const std::size_t length = s.length(item);
    const Real* from = outputs + item * s.steps * width;
    Real* to = states.data() + item * s.steps * width;
    std::fill_n(to + length * width, (s.steps - length) * width, Real(0));
    if (length == 0) return;
    Real* first = s.reverse ? to + (length - 1) * width : to;
    if (start) {
      std::copy_n(start + item * width, width, first);
    } else {
      std::fill_n(first, width, Real(0));
    }
    const std::size_t others = (length - 1) * width;
    std::copy_n(s.reverse ? from + width : from, others, s.reverse ? to : to + width);
  });
  return states;
}

void weight_gradient(const Sequences& s, std::size_t gates, const Real* d, std::size_t stride,
                     const Tensor& states, Real* to) {
  const std::size_t rows = s.items * s.steps;
  const auto product = [&](const Tensor& of) {
    gemm(gates, s.hidden, rows, 1, {d, stride, true}, {of.data(), s.hidden}, 0, to, s.hidden);
  };
  product(states);
  if (kernels().finite(gates * s.hidden, to)) return;
  Tensor kept = states;
  for (std::size_t row = 0; row < rows; ++row) {
    const Real* of_row = d + row * stride;
    if (std::all_of(of_row, of_row + gates, [](Real x) { return x == 0; }))
      std::fill_n(kept.data() + row * s.hidden, s.hidden, Real(0));
  }
  product(kept);
}

}  // namespace fovea::inline FOVEA_REAL::recurrence
