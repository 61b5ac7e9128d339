#include "autograd/ops.hpp"
#include "autograd/record.hpp"
#include "core/elementwise.hpp"
#include "core/move.hpp"
#include "core/reduce.hpp"

namespace fovea::inline FOVEA_REAL {
namespace {

std::size_t checked_axis(const Op& op, const Variable& x, int axis) {
  check(in_range(axis, x.rank()), op, "axis ", axis, " is outside ", x.shape());
  return axis_of(axis, x.rank());
}

Tensor repeated(const Tensor& dy, const Shape& shape, const Shape& kept, Real factor) {
  return numbers::broadcast_to(numbers::scale(numbers::reshape(dy, kept), factor), shape);
}

// factor · Σ over one axis.
Variable reduce(const Op& op, const Variable& x, std::size_t axis, bool keep, Real factor) {
  const auto to_x = [shape = x.shape(), kept = without_axis(x.shape(), axis, true),
                     factor](const Tensor& dy) { return repeated(dy, shape, kept, factor); };
  return record(op, numbers::scale(numbers::sum(x.value(), axis, keep), factor), Wrt{x, to_x});
}

// factor · Σ over everything.
Variable reduce(const Op& op, const Variable& x, Real factor) {
  const auto to_x = [shape = x.shape(), factor](const Tensor& dy) {
    return filled(shape, factor * dy.data()[0]);
  };
  return record(op, numbers::scale(numbers::sum_all(x.value()), factor), Wrt{x, to_x});
}

// 1 / count; the mean of nothing is 0.
Real inverse(std::size_t count) { return count ? Real(1) / static_cast<Real>(count) : Real(0); }

}  // namespace

static const Op sum_op{"sum"};

Variable sum(const Variable& x) { return reduce(sum_op, x, Real(1)); }

Variable sum(const Variable& x, int axis, bool keep) {
  return reduce(sum_op, x, checked_axis(sum_op, x, axis), keep, Real(1));
}

static const Op mean_op{"mean"};

Variable mean(const Variable& x) { return reduce(mean_op, x, inverse(x.size())); }

Variable mean(const Variable& x, int axis, bool keep) {
  const std::size_t along = checked_axis(mean_op, x, axis);
  return reduce(mean_op, x, along, keep, inverse(x.shape()[along]));
}

}  // namespace fovea::inline FOVEA_REAL
