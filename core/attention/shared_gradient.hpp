#pragma once

#include "core/attention/packed.hpp"
#include "core/kernels/choose.hpp"
#include "core/parallel.hpp"

namespace fovea::inline FOVEA_REAL::streaming {

/// Gradients of keys or values, which several tasks may share: each of those writes a part, and the parts are
/// summed in their order.
class SharedGradient {
 public:
  SharedGradient(const Attention& a, const Division& d, const Matrices<Real>& to, std::size_t width)
      : attention_(a), division_(d), to_(to), width_(width) {
    // The tasks of one head and group follow each other; where all groups share, those of all groups meet.
    shared_ = to && to.item_step == 0;
    parts_ = division_.chunks * (shared_ ? division_.groups : 1);
    if (to && parts_ > 1) buffer_.resize(task_count(a, d) * a.keys * width);
  }

  explicit operator bool() const { return static_cast<bool>(to_); }

  struct Place {
    Real* data;
    std::size_t step;
  };
  Place place(const Task& task, std::size_t number) {
    if (parts_ == 1) return {to_.row(task.group, task.head, 0), to_.row_step};
    return {buffer_.data() + number * attention_.keys * width_, width_};
  }

  void sum() {
    if (!to_ || parts_ == 1) return;
    const std::size_t owners = shared_ ? 1 : division_.groups, heads = attention_.heads,
                      chunks = division_.chunks;
    parallel_for(
        owners * heads * attention_.keys, rows_per_range(width_), [&](std::size_t begin, std::size_t end) {
          for (std::size_t n = begin; n < end; ++n) {
            const std::size_t t = n % attention_.keys, head = n / attention_.keys % heads,
                              owner = n / attention_.keys / heads;
            Real* row = to_.row(owner, head, t);
            std::fill_n(row, width_, Real(0));
            for (std::size_t part = 0; part < parts_; ++part) {
              const std::size_t group = shared_ ? part / chunks : owner, chunk = part % chunks;
              const std::size_t number = (group * heads + head) * chunks + chunk;
              kernels().add_into(width_, buffer_.data() + (number * attention_.keys + t) * width_, row);
            }
          }
        });
  }

 private:
  const Attention& attention_;
  const Division& division_;
  Matrices<Real> to_;
  std::size_t width_, parts_ = 1;
  bool shared_ = false;
  Buffer buffer_;  // [tasks, keys, width]
};

}  // namespace fovea::inline FOVEA_REAL::streaming
