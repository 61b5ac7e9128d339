#include <algorithm>
#include <cmath>
#include <numeric>

#include "autograd/ops.hpp"
#include "autograd/record.hpp"
#include "autograd/rows.hpp"
#include "core/kernels/choose.hpp"

namespace fovea::inline FOVEA_REAL {
namespace {

constexpr Real infinity = std::numeric_limits<Real>::infinity();

// One byte for each element of x: whether it takes part.
std::vector<unsigned char> kept_of(const Op& op, const Variable& x, const std::optional<Keep>& keep) {
  check(x.rank() >= 1, op, "a scalar has no axis to normalise over");
  if (!keep) return std::vector<unsigned char>(x.size(), 1);
  check(broadcasts_to(keep->shape, x.shape()), op, "keep has shape ", keep->shape,
        ", which does not broadcast to the scores' ", x.shape());
  return broadcast_values(*keep, x.shape());
}

// The largest that is kept, -inf of nothing; NaN where one of them is NaN.
Real largest(const Real* x, const unsigned char* keep, std::size_t n) {
  Real top = -infinity;
  for (std::size_t i = 0; i < n; ++i) {
    if (!keep[i]) continue;
    if (std::isnan(x[i])) return x[i];
    top = std::max(top, x[i]);
  }
  return top;
}

// Only what lies less than 1 below the largest can have a part. `near` is room to sort them in.
void sparsemax_row(const Real* x, const unsigned char* keep, std::size_t n, Real* y,
                   std::vector<double>& near) {
  const Real top = largest(x, keep, n);
  if (top == -infinity) {
    std::fill_n(y, n, Real(0));
    return;
  }
  const auto below = [&](std::size_t i) { return static_cast<double>(x[i]) - static_cast<double>(top); };
  near.clear();
  for (std::size_t i = 0; i < n; ++i) {
    if (keep[i] && below(i) > -1) near.push_back(below(i));
  }
  std::sort(near.begin(), near.end(), std::greater<>());
  double sum = 0, threshold = 0;
  for (std::size_t m = 0; m < near.size(); ++m) {
    sum += near[m];
    const auto count = static_cast<double>(m + 1);
    if (1 + count * near[m] <= sum) break;
    threshold = (sum - 1) / count;
  }
  for (std::size_t i = 0; i < n; ++i) {
    const double over = below(i) - threshold;  // of NaN and inf: NaN
    y[i] = !keep[i] || over <= 0 ? Real(0) : static_cast<Real>(over);
  }
}

// On the support, dx = dy - mean of dy there; elsewhere 0. All else, even NaN, has no influence.
void sparsemax_row_grad(const Real* y, const Real* dy, std::size_t n, Real* dx) {
  double sum = 0, count = 0;
  for (std::size_t i = 0; i < n; ++i) {
    if (y[i] == 0) continue;
    sum += static_cast<double>(dy[i]);
    ++count;
  }
  const Real mean = static_cast<Real>(sum / std::max(count, 1.0));
  for (std::size_t i = 0; i < n; ++i) dx[i] = y[i] == 0 ? Real(0) : dy[i] - mean;
}

// Leaves the k largest of what is kept. A row with a NaN stays as it is, so that softmax shows it.
void keep_largest(const Real* x, unsigned char* keep, std::size_t n, std::size_t k,
                  std::vector<std::size_t>& order) {
  order.clear();
  for (std::size_t i = 0; i < n; ++i) {
    if (keep[i]) order.push_back(i);
  }
  if (order.size() <= k || std::isnan(largest(x, keep, n))) return;
  const auto before = [x](std::size_t a, std::size_t b) { return x[a] != x[b] ? x[a] > x[b] : a < b; };
  const auto first_left = order.begin() + static_cast<std::ptrdiff_t>(k);
  std::nth_element(order.begin(), first_left, order.end(), before);
  std::for_each(first_left, order.end(), [keep](std::size_t i) { keep[i] = 0; });
}

}  // namespace

static const Op sparsemax_op{"sparsemax"};

Variable sparsemax(const Variable& x, const std::optional<Keep>& keep) {
  const std::vector<unsigned char> kept = kept_of(sparsemax_op, x, keep);
  const Rows rows(x.shape());
  Tensor result = uninitialized(x.shape());
  rows.for_ranges([&](std::size_t, std::size_t count, std::size_t at) {
    std::vector<double> near;
    for (const std::size_t end = at + count * rows.length; at < end; at += rows.length)
      sparsemax_row(x.value().data() + at, kept.data() + at, rows.length, result.data() + at, near);
  });
  Value y = share(std::move(result));
  const auto to_x = [y, rows](const Tensor& dy) {
    Tensor dx = uninitialized(y->shape());
    rows.for_ranges([&](std::size_t, std::size_t count, std::size_t at) {
      for (const std::size_t end = at + count * rows.length; at < end; at += rows.length)
        sparsemax_row_grad(y->data() + at, dy.data() + at, rows.length, dx.data() + at);
    });
    return dx;
  };
  return record(sparsemax_op, y, Wrt{x, to_x});
}

static const Op top_k_softmax_op{"top_k_softmax"};

Variable top_k_softmax(const Variable& x, std::size_t k, const std::optional<Keep>& keep) {
  check(k >= 1, top_k_softmax_op, "k is 0; expected at least one element to keep");
  std::vector<unsigned char> kept = kept_of(top_k_softmax_op, x, keep);
  const Rows rows(x.shape());
  Tensor result = uninitialized(x.shape());
  rows.for_ranges([&](std::size_t, std::size_t count, std::size_t at) {
    if (!keep && k >= rows.length)
      return kernels().softmax(count, rows.length, x.value().data() + at, result.data() + at);
    std::vector<std::size_t> order;
    for (std::size_t r = 0; r < count; ++r) {
      const std::size_t row = at + r * rows.length;
      keep_largest(x.value().data() + row, kept.data() + row, rows.length, k, order);
    }
    kernels().masked_softmax(count, rows.length, x.value().data() + at, kept.data() + at, rows.length,
                             result.data() + at);
  });
  Value y = share(std::move(result));
  const auto to_x = [y, rows](const Tensor& dy) {
    Tensor dx = uninitialized(y->shape());
    rows.for_ranges([&](std::size_t, std::size_t count, std::size_t at) {
      kernels().softmax_grad(count, rows.length, y->data() + at, dy.data() + at, dx.data() + at);
    });
    return dx;
  };
  return record(top_k_softmax_op, y, Wrt{x, to_x});
}

}  // namespace fovea::inline FOVEA_REAL
