#include <cmath>

#include "autograd/ops.hpp"
#include "autograd/record.hpp"
#include "core/elementwise.hpp"

namespace fovea::inline FOVEA_REAL {

static const Op max_op{"max"};

Variable max(const Variable& x, int axis, bool keep) {
  check(in_range(axis, x.rank()), max_op, "axis ", axis, " is outside ", x.shape());
  const std::size_t along = axis_of(axis, x.rank());
  const AxisView view = view_from(x.shape(), along);
  check(view.length > 0, max_op, "axis ", axis, " of ", x.shape(),
        " is empty, so there is no largest element");
  Tensor y = uninitialized(without_axis(x.shape(), along, keep));
  auto winners = std::make_shared<std::vector<std::size_t>>(y.size());
  for (std::size_t n = 0; n < y.size(); ++n) {
    const std::size_t first = n / view.inner * view.length * view.inner + n % view.inner;
    std::size_t best = first;
    for (std::size_t l = 1; l < view.length; ++l) {
      const Real here = x.value().data()[first + l * view.inner], most = x.value().data()[best];
      if (here > most || (std::isnan(here) && !std::isnan(most))) best = first + l * view.inner;
    }
    (*winners)[n] = best;
    y.data()[n] = x.value().data()[best];
  }
  const auto to_x = [winners, shape = x.shape()](const Tensor& dy) {
    Tensor dx = zeros(shape);
    for (std::size_t n = 0; n < winners->size(); ++n) dx.data()[(*winners)[n]] = dy.data()[n];
    return dx;
  };
  return record(max_op, std::move(y), Wrt{x, to_x});
}

static const Op where_op{"where"};

Variable where(const Keep& condition, const Variable& a, const Variable& b) {
  Shape both, result;
  check(broadcast(a.shape(), b.shape(), both) && broadcast(both, condition.shape, result), where_op,
        "condition ", condition.shape, " and shapes ", a.shape(), " and ", b.shape(), " do not broadcast");
  // The condition in the result's shape, once for forward and backward.
  auto chosen = std::make_shared<std::vector<unsigned char>>(broadcast_values(condition, result));
  const auto select = [chosen, result](const Tensor& from, bool side, Tensor into) {
    const Tensor whole = numbers::broadcast_to(from, result);
    for (std::size_t i = 0; i < into.size(); ++i) {
      if (((*chosen)[i] != 0) == side) into.data()[i] = whole.data()[i];
    }
    return into;
  };
  const auto to_side = [select, result](bool side) {
    return [select, result, side](const Tensor& dy) { return select(dy, side, zeros(result)); };
  };
  return record(where_op, select(b.value(), false, select(a.value(), true, uninitialized(result))),
                Wrt{a, to_side(true)}, Wrt{b, to_side(false)});
}

}  // namespace fovea::inline FOVEA_REAL
