#include <algorithm>

#include "autograd/ops.hpp"
#include "autograd/record.hpp"
#include "core/move.hpp"

namespace fovea::inline FOVEA_REAL {

static const Op reshape_op{"reshape"};

Variable reshape(const Variable& x, const Shape& shape) {
  check(volume(shape) == x.size(), reshape_op, "shape ", x.shape(), " has ", x.size(), " elements; ", shape,
        " would have ", volume(shape));
  const auto to_x = [shape = x.shape()](const Tensor& dy) { return numbers::reshape(dy, shape); };
  return record(reshape_op, numbers::reshape(x.value(), shape), Wrt{x, to_x});
}

static const Op permute_op{"permute"};

Variable permute(const Variable& x, const std::vector<std::size_t>& axes) {
  std::vector<std::size_t> inverse(x.rank(), x.rank());
  for (std::size_t i = 0; i < axes.size(); ++i) {
    if (axes[i] < x.rank()) inverse[axes[i]] = i;
  }
  const bool complete =
      std::none_of(inverse.begin(), inverse.end(), [&](std::size_t i) { return i == x.rank(); });
  check(axes.size() == x.rank() && complete, permute_op, "axes ", Shape(axes.begin(), axes.end()),
        " do not name each axis of ", x.shape(), " once");
  const auto to_x = [inverse](const Tensor& dy) { return numbers::permute(dy, inverse); };
  return record(permute_op, numbers::permute(x.value(), axes), Wrt{x, to_x});
}

static const Op slice_op{"slice"};

Variable slice(const Variable& x, int axis, std::size_t begin, std::size_t end) {
  check(in_range(axis, x.rank()), slice_op, "axis ", axis, " is outside ", x.shape());
  const std::size_t along = axis_of(axis, x.rank());
  check(begin <= end && end <= x.shape()[along], slice_op, "elements ", begin, " … ", end, " of axis ", axis,
        " lie outside ", x.shape());
  const auto to_x = [shape = x.shape(), along, begin](const Tensor& dy) {
    Tensor dx = zeros(shape);
    numbers::place_slice(dx, along, begin, dy);
    return dx;
  };
  return record(slice_op, numbers::slice(x.value(), along, begin, end), Wrt{x, to_x});
}

static const Op split_op{"split"};

std::vector<Variable> split(const Variable& x, int axis, std::size_t parts) {
  check(in_range(axis, x.rank()), split_op, "axis ", axis, " is outside ", x.shape());
  const std::size_t along = axis_of(axis, x.rank());
  check(parts > 0 && x.shape()[along] % parts == 0, split_op, "axis ", axis, " of ", x.shape(),
        " does not divide into ", parts, " parts");
  const std::size_t length = x.shape()[along] / parts;
  std::vector<Value> values;
  for (std::size_t i = 0; i < parts; ++i)
    values.push_back(share(numbers::slice(x.value(), along, i * length, (i + 1) * length)));
  const auto to_x = [along, shape = values[0]->shape()](Cotangents dy) {
    const bool all = std::all_of(dy.begin(), dy.end(), [](const Value& d) { return d != nullptr; });
    const Tensor none = all ? Tensor() : zeros(shape);  // of a part that nobody used
    std::vector<const Tensor*> tensors;
    for (const Value& d : dy) tensors.push_back(d ? d.get() : &none);
    return Gradients{share(numbers::concat(tensors, along))};
  };
  return record_joint(split_op, std::move(values), std::span(&x, 1), to_x);
}

static const Op concat_op{"concat"};

Variable concat(const std::vector<Variable>& parts, int axis) {
  check(!parts.empty(), concat_op, "there is nothing to join");
  const Shape& first = parts[0].shape();
  check(in_range(axis, first.size()), concat_op, "axis ", axis, " is outside ", first);
  const std::size_t along = axis_of(axis, first.size());
  std::vector<const Tensor*> tensors;
  std::vector<std::size_t> lengths;
  for (const Variable& part : parts) {
    check(part.rank() == first.size() &&
              without_axis(part.shape(), along, true) == without_axis(first, along, true),
          concat_op, "shapes ", first, " and ", part.shape(), " differ beside axis ", axis);
    tensors.push_back(&part.value());
    lengths.push_back(part.shape()[along]);
  }
  const auto to_parts = [lengths, along](Cotangents dy) {
    Gradients gradients;
    std::size_t begin = 0;
    for (std::size_t length : lengths) {
      gradients.push_back(share(numbers::slice(*dy[0], along, begin, begin + length)));
      begin += length;
    }
    return gradients;
  };
  return record_joint(concat_op, {share(numbers::concat(tensors, along))}, parts, to_parts)[0];
}

Variable stack(const std::vector<Variable>& parts, int axis) {
  check(!parts.empty(), "stack", "there is nothing to stack");
  const Shape& first = parts[0].shape();
  check(in_range(axis, first.size() + 1), "stack", "axis ", axis, " is outside the result, which has ",
        first.size() + 1, " axes");
  const std::size_t along = axis_of(axis, first.size() + 1);
  Shape with_axis;
  for (std::size_t i = 0; i <= first.size(); ++i) {
    if (i == along) with_axis.push_back(1);
    if (i < first.size()) with_axis.push_back(first[i]);
  }
  std::vector<Variable> lifted;
  for (const Variable& part : parts) {
    check(part.shape() == first, "stack", "shapes ", first, " and ", part.shape(), " differ");
    lifted.push_back(reshape(part, with_axis));
  }
  return concat(lifted, static_cast<int>(along));
}

}  // namespace fovea::inline FOVEA_REAL
