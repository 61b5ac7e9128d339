#include "autograd/ops.hpp"
#include "autograd/record.hpp"
#include "autograd/rows.hpp"
#include "core/kernels/choose.hpp"
#include "core/move.hpp"

namespace fovea::inline FOVEA_REAL {
namespace {

using RowKernel = void (*)(std::size_t, std::size_t, const Real*, Real*);
using RowGradKernel = void (*)(std::size_t, std::size_t, const Real*, const Real*, Real*);

// `axes` with `axis` moved to the end; the order is its own inverse, as two axes change places.
std::vector<std::size_t> swapped_with_last(std::size_t rank, std::size_t axis) {
  std::vector<std::size_t> axes(rank);
  for (std::size_t i = 0; i < rank; ++i) axes[i] = i;
  std::swap(axes[axis], axes[rank - 1]);
  return axes;
}

// Rows lie along the last axis; another axis changes places with it and back.
template <class OverRows>
Tensor along(std::size_t axis, const Tensor& x, const OverRows& over_rows) {
  if (axis + 1 == x.dimension()) return over_rows(x);
  const auto order = swapped_with_last(x.dimension(), axis);
  return numbers::permute(over_rows(numbers::permute(x, order)), order);
}

Tensor each_row(RowKernel kernel, const Tensor& x) {
  Tensor y = uninitialized(x.shape());
  const Rows rows(x.shape());
  rows.for_ranges([&](std::size_t, std::size_t count, std::size_t at) {
    kernel(count, rows.length, x.data() + at, y.data() + at);
  });
  return y;
}

Tensor each_row(RowGradKernel kernel, const Tensor& y, const Tensor& dy) {
  Tensor dx = uninitialized(y.shape());
  const Rows rows(y.shape());
  rows.for_ranges([&](std::size_t, std::size_t count, std::size_t at) {
    kernel(count, rows.length, y.data() + at, dy.data() + at, dx.data() + at);
  });
  return dx;
}

Variable normaliser(const Op& op, const Variable& x, int axis, RowKernel forward, RowGradKernel backward) {
  check(in_range(axis, x.rank()), op, "axis ", axis, " is outside ", x.shape());
  const std::size_t on = axis_of(axis, x.rank());
  Value y = share(along(on, x.value(), [&](const Tensor& t) { return each_row(forward, t); }));
  const auto to_x = [y, on, backward](const Tensor& dy) {
    if (on + 1 == y->dimension()) return each_row(backward, *y, dy);
    const auto order = swapped_with_last(y->dimension(), on);
    return along(on, dy, [&](const Tensor& t) { return each_row(backward, numbers::permute(*y, order), t); });
  };
  return record(op, y, Wrt{x, to_x});
}

}  // namespace

static const Op softmax_op{"softmax"};

Variable softmax(const Variable& x, int axis) {
  return normaliser(softmax_op, x, axis, kernels().softmax, kernels().softmax_grad);
}

static const Op log_softmax_op{"log_softmax"};

Variable log_softmax(const Variable& x, int axis) {
  return normaliser(log_softmax_op, x, axis, kernels().log_softmax, kernels().log_softmax_grad);
}

static const Op masked_softmax_op{"masked_softmax"};

Variable masked_softmax(const Variable& x, const Keep& keep) {
  check(x.rank() >= 1, masked_softmax_op, "a scalar has no axis to normalise over");
  check(broadcasts_to(keep.shape, x.shape()), masked_softmax_op, "keep has shape ", keep.shape,
        ", which does not broadcast to the scores' ", x.shape());
  const Rows rows(x.shape());
  // One byte for each score; most masks come in that shape already.
  const bool whole = keep.shape == x.shape();
  const std::vector<unsigned char> spread =
      whole ? std::vector<unsigned char>() : broadcast_values(keep, x.shape());
  const unsigned char* kept = whole ? keep.values.data() : spread.data();
  Tensor result = uninitialized(x.shape());
  rows.for_ranges([&](std::size_t, std::size_t count, std::size_t at) {
    kernels().masked_softmax(count, rows.length, x.value().data() + at, kept + at, rows.length,
                             result.data() + at);
  });
  Value y = share(std::move(result));
  return record(masked_softmax_op, y,
                Wrt{x, [y](const Tensor& dy) { return each_row(kernels().softmax_grad, *y, dy); }});
}

}  // namespace fovea::inline FOVEA_REAL
