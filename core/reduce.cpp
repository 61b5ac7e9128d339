#include "core/reduce.hpp"

#include <vector>

#include "core/kernels/choose.hpp"
#include "core/parallel.hpp"

namespace fovea::inline FOVEA_REAL::numbers {
namespace {

constexpr std::size_t range = 16384;  // elements that are worth a thread's attention
constexpr std::size_t columns = 256;  // columns to a range where rows are long

/// A total over `n` elements, put together from parts in an order that depends on `n` alone.
template <class Part>
double ordered_total(std::size_t n, const Part& part) {
  if (n <= range) return part(0, n);
  std::vector<double> parts((n + range - 1) / range);
  parallel_for(n, range,
               [&](std::size_t begin, std::size_t end) { parts[begin / range] = part(begin, end); });
  double total = 0;
  for (double p : parts) total += p;
  return total;
}

double total_of(std::size_t n, const Real* x) {
  return ordered_total(
      n, [x](std::size_t begin, std::size_t end) { return kernels().sum(end - begin, x + begin); });
}

/// out[n] = Σ over rows of x [rows, n], on all threads.
void sum_rows(std::size_t rows, std::size_t n, const Real* x, Real* out) {
  const Kernels& k = kernels();
  if (rows * n <= range) return k.sum_columns(rows, n, x, n, out);
  if (n >= 4 * columns) {
    parallel_for(n, columns, [&](std::size_t begin, std::size_t end) {
      k.sum_columns(rows, end - begin, x + begin, n, out + begin);
    });
    return;
  }
  const std::size_t grain = rows_per_range(n, range);
  std::vector<double> parts((rows + grain - 1) / grain * n, 0.0);
  parallel_for(rows, grain, [&](std::size_t begin, std::size_t end) {
    k.add_columns(end - begin, n, x + begin * n, n, parts.data() + begin / grain * n);
  });
  for (std::size_t i = n; i < parts.size(); ++i) parts[i % n] += parts[i];
  for (std::size_t i = 0; i < n; ++i) out[i] = static_cast<Real>(parts[i]);
}

}  // namespace

void sum_middle(const AxisView& view, const Real* x, Real* out) {
  const auto [outer, length, inner] = view;
  const std::size_t item = length * inner;
  const auto one = [&, length = length, inner = inner](std::size_t i) {
    if (inner == 1) {
      out[i] = static_cast<Real>(total_of(length, x + i * item));
    } else {
      sum_rows(length, inner, x + i * item, out + i * inner);
    }
  };
  if (item > range) {  // each item is spread over the threads by itself
    for (std::size_t i = 0; i < outer; ++i) one(i);
  } else {
    parallel_for(outer, rows_per_range(item, range), [&](std::size_t begin, std::size_t end) {
      for (std::size_t i = begin; i < end; ++i) one(i);
    });
  }
}

Tensor sum(const Tensor& x, std::size_t axis, bool keep) {
  Tensor out = uninitialized(without_axis(x.shape(), axis, keep));
  sum_middle(view_from(x.shape(), axis), x.data(), out.data());
  return out;
}

Tensor sum_all(const Tensor& x) { return scalar(static_cast<Real>(total_of(x.size(), x.data()))); }

double sum_squares(const Tensor& x) {
  const Real* data = x.data();
  return ordered_total(x.size(), [data](std::size_t begin, std::size_t end) {
    return kernels().sum_squares(end - begin, data + begin);
  });
}

}  // namespace fovea::inline FOVEA_REAL::numbers
