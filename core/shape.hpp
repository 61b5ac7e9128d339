#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include <xtensor/xshape.hpp>

namespace fovea {

/// Lengths of a tensor's axes, outermost first. `Shape{}` is a scalar's.
using Shape = xt::dynamic_shape<std::size_t>;

/// Number of elements: the product of the lengths, 1 for a scalar.
std::size_t volume(const Shape& shape);

/// `[8, 10, 64]`
std::string to_string(const Shape& shape);

/// Turns an axis counted from the end (-1 is the last) into one counted from the front.
/// Returns `rank` when the axis lies outside, so that a caller can check it with its own words.
std::size_t axis_of(int axis, std::size_t rank);

/// True when `axis` names an axis of a tensor with this many axes.
bool in_range(int axis, std::size_t rank);

/// True when a tensor of shape `from` may be repeated to fill `to` (numpy's rule: aligned at the
/// end, each length equal or 1).
bool broadcasts_to(const Shape& from, const Shape& to);

/// True when the two shapes have a common shape under numpy's rule; `result` is set to it.
bool broadcast(const Shape& a, const Shape& b, Shape& result);

/// For each row (along the last axis) of a tensor of shape `to`: which row of one of shape `from` is
/// repeated there. `broadcasts_to(from, to)` holds and `to` has an axis.
std::vector<std::size_t> broadcast_rows(const Shape& from, const Shape& to);

/// A shape seen from one axis: elements before it, along it and after it.
struct AxisView {
  std::size_t outer = 1, length = 1, inner = 1;
};
AxisView view_from(const Shape& shape, std::size_t axis);

/// `shape` without `axis`, or with length 1 there when `keep` is set.
Shape without_axis(const Shape& shape, std::size_t axis, bool keep);

}  // namespace fovea
