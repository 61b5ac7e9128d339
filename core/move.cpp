#include "core/move.hpp"

#include <algorithm>
#include <vector>

#include "core/kernels/choose.hpp"
#include "core/parallel.hpp"

namespace fovea::inline FOVEA_REAL::numbers {
namespace {

constexpr std::size_t range = 16384;  // elements that are worth a thread's attention

struct Axis {
  std::size_t length, from, to;  // and the strides in the source and in the result
};

/// The axes of a permutation in the result's order, without those of length 1; neighbours that stay
/// neighbours are one.
std::vector<Axis> merged_axes(const Shape& shape, std::span<const std::size_t> axes) {
  std::vector<std::size_t> strides(shape.size(), 1);
  for (std::size_t i = shape.size(); i-- > 1;) strides[i - 1] = strides[i] * shape[i];
  std::vector<Axis> result;
  for (std::size_t axis : axes) {
    const std::size_t n = shape[axis], stride = strides[axis];
    if (n == 1) continue;
    if (!result.empty() && result.back().from == n * stride) {
      result.back().length *= n;
      result.back().from = stride;
    } else {
      result.push_back({n, stride, 0});
    }
  }
  std::size_t stride = 1;
  for (std::size_t i = result.size(); i-- > 0;) {
    result[i].to = stride;
    stride *= result[i].length;
  }
  return result;
}

/// Offsets of item `index` of the product of `axes`.
std::pair<std::size_t, std::size_t> offsets(const std::vector<Axis>& axes, std::size_t index) {
  std::size_t from = 0, to = 0;
  for (std::size_t i = axes.size(); i-- > 0;) {
    const std::size_t at = index % axes[i].length;
    index /= axes[i].length;
    from += at * axes[i].from;
    to += at * axes[i].to;
  }
  return {from, to};
}

std::size_t product_of(const std::vector<Axis>& axes) {
  std::size_t n = 1;
  for (const Axis& axis : axes) n *= axis.length;
  return n;
}

void copy_rows(const std::vector<Axis>& outer, std::size_t length, const Real* x, Real* out) {
  parallel_for(product_of(outer), rows_per_range(length, range), [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      const auto [from, to] = offsets(outer, i);
      std::copy_n(x + from, length, out + to);
    }
  });
}

/// `fast` is the axis along which the source is contiguous, `last` the one along which the result is.
void transpose_planes(std::vector<Axis> outer, const Axis& fast, const Axis& last, const Real* x, Real* out) {
  constexpr std::size_t strip = 64;  // of the fast axis, so that one large plane is work for all threads
  const std::size_t strips = (fast.length + strip - 1) / strip;
  outer.push_back({strips, strip, strip * fast.to});
  const std::size_t work = std::min(strip, fast.length) * last.length;
  parallel_for(product_of(outer), rows_per_range(work, range), [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      const auto [from, to] = offsets(outer, i);
      const std::size_t count = std::min(strip, fast.length - i % strips * strip);
      kernels().transpose(last.length, count, x + from, last.from, out + to, fast.to);
    }
  });
}

/// Copies `rows` runs of `count` elements that lie `from_stride` and `to_stride` apart.
void copy_runs(std::size_t rows, std::size_t count, const Real* from, std::size_t from_stride, Real* to,
               std::size_t to_stride) {
  parallel_for(rows, rows_per_range(count, range), [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) std::copy_n(from + i * from_stride, count, to + i * to_stride);
  });
}

}  // namespace

Tensor permute(const Tensor& x, std::span<const std::size_t> axes) {
  Shape shape;
  for (std::size_t axis : axes) shape.push_back(x.shape()[axis]);
  Tensor out = uninitialized(shape);
  if (out.size() == 0) return out;
  std::vector<Axis> order = merged_axes(x.shape(), axes);
  if (order.empty()) {
    *out.data() = *x.data();
    return out;
  }
  const Axis last = order.back();
  order.pop_back();
  if (last.from == 1) {
    copy_rows(order, last.length, x.data(), out.data());
    return out;
  }
  const auto fast = std::find_if(order.begin(), order.end(), [](const Axis& axis) { return axis.from == 1; });
  const Axis found = *fast;
  order.erase(fast);
  transpose_planes(std::move(order), found, last, x.data(), out.data());
  return out;
}

Tensor transpose_last_two(const Tensor& x) {
  std::vector<std::size_t> axes(x.dimension());
  for (std::size_t i = 0; i < axes.size(); ++i) axes[i] = i;
  std::swap(axes[axes.size() - 1], axes[axes.size() - 2]);
  return permute(x, axes);
}

Tensor reshape(Tensor x, const Shape& shape) {
  x.reshape(shape);
  return x;
}

Tensor slice(const Tensor& x, std::size_t axis, std::size_t begin, std::size_t end) {
  Shape shape = x.shape();
  shape[axis] = end - begin;
  Tensor out = uninitialized(shape);
  const AxisView view = view_from(x.shape(), axis);
  const std::size_t count = (end - begin) * view.inner;
  copy_runs(view.outer, count, x.data() + begin * view.inner, view.length * view.inner, out.data(), count);
  return out;
}

void place_slice(Tensor& into, std::size_t axis, std::size_t begin, const Tensor& part) {
  const AxisView view = view_from(into.shape(), axis);
  const std::size_t count = part.shape()[axis] * view.inner;
  copy_runs(view.outer, count, part.data(), count, into.data() + begin * view.inner,
            view.length * view.inner);
}

Tensor concat(std::span<const Tensor* const> parts, std::size_t axis) {
  Shape shape = parts.front()->shape();
  shape[axis] = 0;
  for (const Tensor* part : parts) shape[axis] += part->shape()[axis];
  Tensor out = uninitialized(shape);
  std::size_t begin = 0;
  for (const Tensor* part : parts) {
    place_slice(out, axis, begin, *part);
    begin += part->shape()[axis];
  }
  return out;
}

Tensor gather_rows(const Tensor& table, std::span<const std::size_t> ids) {
  const std::size_t width = table.shape()[1];
  Tensor out = uninitialized({ids.size(), width});
  const Real* from = table.data();
  Real* to = out.data();
  parallel_for(ids.size(), rows_per_range(width, range), [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) std::copy_n(from + ids[i] * width, width, to + i * width);
  });
  return out;
}

}  // namespace fovea::inline FOVEA_REAL::numbers
