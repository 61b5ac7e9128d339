#include "core/elementwise.hpp"

#include <algorithm>
#include <vector>

#include "core/parallel.hpp"
#include "core/reduce.hpp"

namespace fovea::inline FOVEA_REAL::numbers {
namespace {

constexpr std::size_t range = 16384;  // elements that are worth a thread's attention

/// Two tensors walked together over a common shape. Axes that both of them walk in one stride are merged, so
/// the last one is as long as it can be; on it each tensor's stride is 1 or 0 (repeated).
struct Walk {
  Shape lengths, a, b;  // outermost first; strides in elements

  std::size_t inner() const { return lengths.empty() ? 1 : lengths.back(); }
  std::size_t inner_a() const { return a.empty() ? 0 : a.back(); }
  std::size_t inner_b() const { return b.empty() ? 0 : b.back(); }
};

/// Strides of `shape` when it is repeated to `target`.
Shape broadcast_strides(const Shape& shape, const Shape& target) {
  Shape strides(target.size(), 0);
  std::size_t stride = 1;
  for (std::size_t i = shape.size(); i-- > 0;) {
    if (shape[i] != 1) strides[target.size() - shape.size() + i] = stride;
    stride *= shape[i];
  }
  return strides;
}

Walk walk_over(const Shape& a, const Shape& b, const Shape& target) {
  const Shape strides_a = broadcast_strides(a, target), strides_b = broadcast_strides(b, target);
  Walk walk;
  for (std::size_t i = 0; i < target.size(); ++i) {
    const std::size_t n = target[i];
    if (n == 1) continue;
    if (!walk.lengths.empty() && walk.a.back() == n * strides_a[i] && walk.b.back() == n * strides_b[i]) {
      walk.lengths.back() *= n;
      walk.a.back() = strides_a[i];
      walk.b.back() = strides_b[i];
    } else {
      walk.lengths.push_back(n);
      walk.a.push_back(strides_a[i]);
      walk.b.push_back(strides_b[i]);
    }
  }
  return walk;
}

/// Calls `row(offset in a, offset in b, offset in the result, count)` for the rows of the walk, or for pieces
/// of them when they are long. The result is contiguous. Without `Parallel` the calls come in order on one
/// thread.
template <bool Parallel = true, class Row>
void each_row(const Walk& walk, const Row& row) {
  const std::size_t inner = walk.inner();
  if (inner == 0) return;
  const std::size_t outer_axes = walk.lengths.empty() ? 0 : walk.lengths.size() - 1;
  std::size_t rows = 1;
  for (std::size_t i = 0; i < outer_axes; ++i) rows *= walk.lengths[i];
  const std::size_t piece = std::min(inner, range), pieces = (inner + piece - 1) / piece;
  const std::size_t grain = pieces > 1 ? 1 : rows_per_range(inner, range);
  const auto run = [&](std::size_t begin, std::size_t end) {
    Shape index(outer_axes, 0);
    std::size_t at_a = 0, at_b = 0;
    for (std::size_t i = outer_axes, rest = begin / pieces; i-- > 0;) {
      index[i] = rest % walk.lengths[i];
      rest /= walk.lengths[i];
      at_a += index[i] * walk.a[i];
      at_b += index[i] * walk.b[i];
    }
    for (std::size_t unit = begin; unit < end; ++unit) {
      const std::size_t skip = unit % pieces * piece;
      row(at_a + skip * walk.inner_a(), at_b + skip * walk.inner_b(), unit / pieces * inner + skip,
          std::min(piece, inner - skip));
      if (unit % pieces + 1 < pieces) continue;
      for (std::size_t i = outer_axes; i-- > 0;) {  // next row
        at_a += walk.a[i];
        at_b += walk.b[i];
        if (++index[i] < walk.lengths[i]) break;
        at_a -= index[i] * walk.a[i];
        at_b -= index[i] * walk.b[i];
        index[i] = 0;
      }
    }
  };
  if constexpr (Parallel) {
    parallel_for(rows * pieces, grain, run);
  } else {
    run(0, rows * pieces);
  }
}

}  // namespace

Tensor map(UnaryKernel kernel, const Tensor& x) {
  Tensor y = uninitialized(x.shape());
  const Real* from = x.data();
  Real* to = y.data();
  parallel_for(x.size(), range,
               [&](std::size_t begin, std::size_t end) { kernel(end - begin, from + begin, to + begin); });
  return y;
}

Tensor map2(PairKernel kernel, const Tensor& a, const Tensor& b) {
  Tensor out = uninitialized(a.shape());
  const Real *left = a.data(), *right = b.data();
  Real* to = out.data();
  parallel_for(out.size(), range, [&](std::size_t begin, std::size_t end) {
    kernel(end - begin, left + begin, right + begin, to + begin);
  });
  return out;
}

Tensor binary(BinaryKernel kernel, const Tensor& a, const Tensor& b) {
  const Real *left = a.data(), *right = b.data();
  if (a.shape() == b.shape()) {  // the common case, without a walk
    Tensor out = uninitialized(a.shape());
    Real* to = out.data();
    parallel_for(out.size(), range, [&](std::size_t begin, std::size_t end) {
      kernel(end - begin, left + begin, 1, right + begin, 1, to + begin);
    });
    return out;
  }
  Shape shape;
  broadcast(a.shape(), b.shape(), shape);
  Tensor out = uninitialized(shape);
  Real* to = out.data();
  const Walk walk = walk_over(a.shape(), b.shape(), shape);
  each_row(walk, [&](std::size_t at_a, std::size_t at_b, std::size_t at, std::size_t count) {
    kernel(count, left + at_a, walk.inner_a(), right + at_b, walk.inner_b(), to + at);
  });
  return out;
}

Tensor broadcast_to(const Tensor& x, const Shape& target) {
  if (x.shape() == target) return x;
  Tensor out = uninitialized(target);
  const Real* from = x.data();
  Real* to = out.data();
  const Walk walk = walk_over(x.shape(), Shape{}, target);
  each_row(walk, [&](std::size_t at_x, std::size_t, std::size_t at, std::size_t count) {
    if (walk.inner_a()) {
      std::copy_n(from + at_x, count, to + at);
    } else {
      std::fill_n(to + at, count, from[at_x]);
    }
  });
  return out;
}

Tensor sum_to(const Tensor& g, const Shape& target) {
  if (g.shape() == target) return g;
  // Repeated axes have stride 0, and neighbours are merged: kept and summed axes take turns.
  const Walk walk = walk_over(target, Shape{}, g.shape());
  const std::size_t axes = walk.lengths.size();
  std::size_t summed = 0;
  AxisView view{1, 1, 1};
  for (std::size_t i = 0; i < axes; ++i) {
    const bool sums = walk.a[i] == 0;
    summed += sums;
    (sums ? view.length : (summed ? view.inner : view.outer)) *= walk.lengths[i];
  }
  Tensor out = uninitialized(target);
  if (summed <= 1) {
    sum_middle(view, g.data(), out.data());
    return out;
  }
  // Several axes apart from each other: row by row in order, into totals in double.
  std::vector<double> totals(out.size(), 0.0);
  const Real* from = g.data();
  each_row<false>(walk, [&](std::size_t at_target, std::size_t, std::size_t at, std::size_t count) {
    if (walk.inner_a()) {
      kernels().add_columns(1, count, from + at, 0, totals.data() + at_target);
    } else {
      totals[at_target] += kernels().sum(count, from + at);
    }
  });
  std::transform(totals.begin(), totals.end(), out.data(), [](double t) { return static_cast<Real>(t); });
  return out;
}

Tensor scale(const Tensor& x, Real factor) {
  Tensor y = uninitialized(x.shape());
  const Real* from = x.data();
  Real* to = y.data();
  parallel_for(x.size(), range, [&](std::size_t begin, std::size_t end) {
    kernels().scale(end - begin, factor, from + begin, to + begin);
  });
  return y;
}

void add_into(Tensor& acc, const Tensor& g) {
  const Real* from = g.data();
  Real* to = acc.data();
  parallel_for(acc.size(), range, [&](std::size_t begin, std::size_t end) {
    kernels().add_into(end - begin, from + begin, to + begin);
  });
}

}  // namespace fovea::inline FOVEA_REAL::numbers
