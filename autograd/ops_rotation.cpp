#include <cmath>

#include "autograd/record.hpp"
#include "autograd/rotation.hpp"
#include "core/parallel.hpp"

namespace fovea::inline FOVEA_REAL {
namespace {

const Op rotate_op{"rotate_pairs"};

// cos and sin of each row's angles, [T, D / 2, 2]: angles grow with the position, so they are made in double.
Tensor turns_of(std::size_t rows, std::size_t width, std::size_t first, double base) {
  Tensor turns = uninitialized({rows, width / 2, 2});
  Real* to = turns.data();
  std::vector<double> rates(width / 2);
  for (std::size_t i = 0; i < rates.size(); ++i)
    rates[i] = std::pow(base, -2 * static_cast<double>(i) / static_cast<double>(width));
  for (std::size_t t = 0; t < rows; ++t) {
    for (const double rate : rates) {
      const double angle = static_cast<double>(first + t) * rate;
      *to++ = static_cast<Real>(std::cos(angle));
      *to++ = static_cast<Real>(std::sin(angle));
    }
  }
  return turns;
}

// By the angles, or with `direction` -1 back.
Tensor turned_by(const Tensor& x, const Tensor& turns, Real direction) {
  Tensor y = uninitialized(x.shape());
  const std::size_t rows = x.shape()[1], all = x.shape()[2], width = 2 * turns.shape()[1];
  parallel_for(x.shape()[0] * rows, rows_per_range(all), [&](std::size_t begin, std::size_t end) {
    for (std::size_t row = begin; row < end; ++row) {
      const Real* turn = turns.data() + row % rows * width;
      for (std::size_t at = 0; at < all; at += 2) {
        const Real cosine = turn[at % width], sine = direction * turn[at % width + 1];
        const Real a = x.data()[row * all + at], b = x.data()[row * all + at + 1];
        y.data()[row * all + at] = cosine * a - sine * b;
        y.data()[row * all + at + 1] = sine * a + cosine * b;
      }
    }
  });
  return y;
}

}  // namespace

Variable rotate_pairs(const Variable& x, std::size_t heads, std::size_t first, double base) {
  check(x.rank() == 3 && heads > 0 && x.length(-1) % heads == 0 && x.length(-1) / heads % 2 == 0, rotate_op,
        "the input has shape ", x.shape(), "; expected [batch, time, ", heads, " · an even width]");
  check<ConfigError>(base > 0 && std::isfinite(base), rotate_op, "a base of ", base,
                     "; expected a number above 0");
  Tensor turns = turns_of(x.shape()[1], x.length(-1) / heads, first, base);
  Tensor y = turned_by(x.value(), turns, 1);
  return record(rotate_op, std::move(y),
                Wrt{x, [turns = std::move(turns)](const Tensor& dy) { return turned_by(dy, turns, -1); }});
}

}  // namespace fovea::inline FOVEA_REAL
