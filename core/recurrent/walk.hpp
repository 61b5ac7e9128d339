#pragma once

#include "core/parallel.hpp"
#include "core/recurrent/recurrent.hpp"

namespace fovea::inline FOVEA_REAL::recurrence {

/// A block of items that goes through its steps together: `rows` of them, the longest first, so that those
/// that are still (or already) live at a step are its first rows.
struct Block {
  std::size_t begin, rows;
};

/// In which order items and steps are gone through, by shape and lengths alone.
class Walk {
 public:
  /// All items are one block unless `cut`.
  Walk(const Sequences& s, bool cut);

  const Sequences& sequences() const { return s_; }
  std::size_t item(const Block& block, std::size_t row) const {
    const std::size_t place = block.begin + row;
    return order_.empty() ? place : order_[place];
  }
  /// Of a row's step: where it lies in [items, steps], and where among what is kept.
  std::size_t outer(const Block& block, std::size_t row, std::size_t t) const {
    return item(block, row) * s_.steps + t;
  }
  std::size_t kept(const Block& block, std::size_t row, std::size_t t) const {
    return block.begin * s_.steps + t * block.rows + row;
  }
  /// Whether step t is the first that the row goes through; `before` is the one before it where it is not.
  bool first(const Block& block, std::size_t row, std::size_t t) const {
    return s_.reverse ? t + 1 == s_.length(item(block, row)) : t == 0;
  }
  std::size_t before(std::size_t t) const { return s_.reverse ? t + 1 : t - 1; }

  /// body(block), spread over the threads.
  template <class Body>
  void blocks(const Body& body) const {
    parallel_for(s_.items, block_rows_, [&](std::size_t begin, std::size_t end) {
      body(Block{begin, end - begin});
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

 private:
  template <class Step>
  void at(const Block& block, std::size_t n, std::size_t& live, const Step& step) const {
    const std::size_t t = s_.reverse ? s_.steps - 1 - n : n;
    while (live < block.rows && s_.length(item(block, live)) > t) ++live;
    while (live > 0 && s_.length(item(block, live - 1)) <= t) --live;
    if (live > 0) step(t, live, n == 0);
  }

  const Sequences& s_;
  std::vector<std::size_t> order_;
  std::size_t block_rows_;
};

/// The rows [width] of a block's items: gathered from [items, width], 0 where that is null, and put back.
Tensor gathered(const Walk& walk, const Block& block, const Real* of_items, std::size_t width,
                std::size_t stride);
void put_back(const Walk& walk, const Block& block, const Tensor& rows, std::size_t width, Real* of_items);

/// Sets what lies behind each item's length to 0: rows of `width` in [items, steps].
void clear_padding(const Sequences& s, std::size_t width, Real* x);

/// What each step saw of its item's last output: [items, steps, hidden], 0 behind each item's length.
Tensor states_before(const Sequences& s, const Real* outputs, const Real* start);

/// to[gates, hidden] = Σ over all steps of d ⊗ state, d being `gates` numbers at the start of each of the
/// rows [stride]. A step whose d is all 0 is left out, also where its state is not finite.
void weight_gradient(const Sequences& s, std::size_t gates, const Real* d, std::size_t stride,
                     const Tensor& states, Real* to);

}  // namespace fovea::inline FOVEA_REAL::recurrence
