#include "core/shape.hpp"

#include <algorithm>

#include "core/check.hpp"

namespace fovea {

std::size_t volume(const Shape& shape) {
  std::size_t n = 1;
  for (std::size_t length : shape) {
    std::size_t product = 0;
    check(!__builtin_mul_overflow(n, length, &product), "shape", shape,
          " has more elements than can be counted");
    n = product;
  }
  return n;
}

std::string to_string(const Shape& shape) {
  std::string text = "[";
  for (std::size_t i = 0; i < shape.size(); ++i) text += (i ? ", " : "") + std::to_string(shape[i]);
  return text + "]";
}

std::size_t axis_of(int axis, std::size_t rank) {
  if (!in_range(axis, rank)) return rank;
  return axis < 0 ? rank - static_cast<std::size_t>(-axis) : static_cast<std::size_t>(axis);
}

bool in_range(int axis, std::size_t rank) {
  const auto r = static_cast<long>(rank);
  return -r <= axis && axis < r;
}

bool broadcasts_to(const Shape& from, const Shape& to) {
  if (from.size() > to.size()) return false;
  const std::size_t offset = to.size() - from.size();
  for (std::size_t i = 0; i < from.size(); ++i) {
    if (from[i] != to[offset + i] && from[i] != 1) return false;
  }
  return true;
}

bool broadcast(const Shape& a, const Shape& b, Shape& result) {
  const Shape& longer = a.size() >= b.size() ? a : b;
  const Shape& shorter = a.size() >= b.size() ? b : a;
  const std::size_t offset = longer.size() - shorter.size();
  result = longer;
  for (std::size_t i = 0; i < shorter.size(); ++i) {
    std::size_t& length = result[offset + i];
    if (length == shorter[i]) continue;
    if (length != 1 && shorter[i] != 1) return false;
    length = length == 1 ? shorter[i] : length;
  }
  return true;
}

std::vector<std::size_t> broadcast_rows(const Shape& from, const Shape& to) {
  const std::size_t axes = to.size() - 1, offset = to.size() - from.size();
  // How far one step along an axis of `to` leads in `from`, in rows: 0 where it is repeated.
  std::vector<std::size_t> step(axes, 0);
  std::size_t rows = 1;
  for (std::size_t i = axes; i-- > offset;) {
    step[i] = from[i - offset] == 1 ? 0 : rows;
    rows *= from[i - offset];
  }
  std::vector<std::size_t> result;
  std::vector<std::size_t> index(axes, 0);
  const std::size_t count = volume(Shape(to.begin(), to.end() - 1));
  std::size_t row = 0;
  for (std::size_t n = 0; n < count; ++n) {
    result.push_back(row);
    for (std::size_t i = axes; i-- > 0;) {
      row += step[i];
      if (++index[i] < to[i]) break;
      row -= step[i] * to[i];
      index[i] = 0;
    }
  }
  return result;
}

AxisView view_from(const Shape& shape, std::size_t axis) {
  AxisView view;
  for (std::size_t i = 0; i < axis; ++i) view.outer *= shape[i];
  view.length = shape[axis];
  for (std::size_t i = axis + 1; i < shape.size(); ++i) view.inner *= shape[i];
  return view;
}

Shape without_axis(const Shape& shape, std::size_t axis, bool keep) {
  Shape result;
  for (std::size_t i = 0; i < shape.size(); ++i) {
    if (i != axis) result.push_back(shape[i]);
    if (i == axis && keep) result.push_back(1);
  }
  return result;
}

}  // namespace fovea
