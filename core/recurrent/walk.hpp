#pragma once

#include "core/parallel.hpp"
#include "core/recurrent/recurrent.hpp"

namespace fovea::inline FOVEA_REAL::recurrence {

/// A block of items that goes through its steps together: `rows` of them, the longest first, so that those
/// that are still (or already) live at a step are its first rows.
struct Block {
  std::size_t number, begin, rows;
};

/// In which order items and steps are gone through, by shape and lengths alone.
class Walk {
 public:
  /// All items are one block unless `cut`.
  Walk(const Sequences& s, bool cut);

  std::size_t item(const Block& block, std::size_t row) const {
    const std::size_t place = block.begin + row;
    return order_.empty() ? place : order_[place];
  }
  std::size_t length(const Block& block, std::size_t row) const { return s_.length(item(block, row)); }
  /// Of a row's step: where it lies in [items, steps], and its row of what is kept.
  std::size_t outer(const Block& block, std::size_t row, std::size_t t) const {
    return item(block, row) * s_.steps + t;
  }
  std::size_t kept(const Block& block, std::size_t row, std::size_t t) const {
    return row +
           (starts_.empty() ? block.begin * s_.steps + t * block.rows : starts_[block.number * s_.steps + t]);
  }
  /// Whether step t is the first that the row goes through; `before` is the one before it where it is not.
  bool first(const Block& block, std::size_t row, std::size_t t) const {
    return s_.reverse ? t + 1 == length(block, row) : t == 0;
  }
  std::size_t before(std::size_t t) const { return s_.reverse ? t + 1 : t - 1; }

  std::size_t block_count() const { return (s_.items + block_rows_ - 1) / block_rows_; }
  Block block(std::size_t number) const;
  /// body(block), spread over the threads.
  template <class Body>
  void blocks(const Body& body) const {
    parallel_for(block_count(), 1, [&](std::size_t begin, std::size_t end) {
      for (std::size_t number = begin; number < end; ++number) body(block(number));
    });
  }

  /// step(t, live rows, whether all of them start there), in order; backward in the opposite one.
  template <class Step>
  void forward(const Block& block, const Step& step) const {
    std::size_t live = 0;
    for (std::size_t n = 0; n < s_.steps; ++n) at(block, n, live, step);
  }
  template <class Step>
  void backward(const Block& block, const Step& step) const {
    std::size_t live = 0;
    for (std::size_t n = s_.steps; n-- > 0;) at(block, n, live, step);
  }

  /// How many rows are live at a step, looked for from a number that should be near.
  std::size_t live_at(const Block& block, std::size_t t, std::size_t near) const;

 private:
  template <class Step>
  void at(const Block& block, std::size_t n, std::size_t& live, const Step& step) const {
    const std::size_t t = s_.reverse ? s_.steps - 1 - n : n;
    live = live_at(block, t, live);
    if (live > 0) step(t, live, n == 0);
  }

  const Sequences& s_;
  std::vector<std::size_t> order_, starts_;
  std::size_t block_rows_;
};

/// The rows [width] of a block's items: gathered from [items, width], 0 where that is null, and put back.
Tensor gathered(const Walk& walk, const Block& block, const Real* of_items, std::size_t width,
                std::size_t stride);
void put_back(const Walk& walk, const Block& block, const Tensor& rows, std::size_t width, Real* of_items);

/// Sets what lies behind each item's length to 0: rows of `width` in [items, steps].
void clear_padding(const Sequences& s, std::size_t width, Real* x);

/// Asks for numbers that will be read soon, while there is still a product to wait for.
void fetch(const Real* x, std::size_t count);

/// Σ over rows of d ⊗ seen, turned: [width, gates]. Rows of what was seen are `step` apart. A row whose d is
/// all 0 is left out, also where what it saw is not finite.
Tensor weight_gradient(std::size_t rows, std::size_t gates, const Real* d, std::size_t width,
                       const Real* seen, std::size_t step);
/// Its rows from `first` on as the gradient [gates, count] of the weight that they belong to.
void turn_back(const Tensor& turned, std::size_t first, std::size_t count, Real* to);

/// to[k] = Σ over rows of parts [rows, n].
void write_sums(const std::vector<double>& parts, std::size_t n, Real* to);

/// The gradient of a bias, added up block by block in double.
class BiasGradient {
 public:
  BiasGradient(const Walk& walk, std::size_t gates, bool wanted)
      : gates_(gates), totals_(wanted ? walk.block_count() * gates : 0, 0.0) {}
  void add(const Block& block, std::size_t rows, const Real* d);
  void write(Real* to) const {
    if (to) write_sums(totals_, gates_, to);
  }

 private:
  std::size_t gates_;
  std::vector<double> totals_;
};

}  // namespace fovea::inline FOVEA_REAL::recurrence
