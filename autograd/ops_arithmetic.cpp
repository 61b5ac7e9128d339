#include "autograd/ops.hpp"
#include "autograd/record.hpp"
#include "core/elementwise.hpp"
#include "core/kernels/choose.hpp"

namespace fovea::inline FOVEA_REAL {
namespace {

void check_broadcast(const Op& op, const Variable& a, const Variable& b) {
  Shape common;
  check(broadcast(a.shape(), b.shape(), common), op, "shapes ", a.shape(), " and ", b.shape(),
        " do not broadcast: aligned at the end, each length must be equal or 1");
}

}  // namespace

static const Op add_op{"add"};

Variable add(const Variable& a, const Variable& b) {
  check_broadcast(add_op, a, b);
  return record(add_op, numbers::binary(kernels().add, a.value(), b.value()), Wrt{a, pass_on},
                Wrt{b, pass_on});
}

static const Op sub_op{"sub"};

Variable sub(const Variable& a, const Variable& b) {
  check_broadcast(sub_op, a, b);
  return record(sub_op, numbers::binary(kernels().sub, a.value(), b.value()), Wrt{a, pass_on},
                Wrt{b, [](const Tensor& dy) { return numbers::scale(dy, Real(-1)); }});
}

static const Op mul_op{"mul"};

Variable mul(const Variable& a, const Variable& b) {
  check_broadcast(mul_op, a, b);
  const auto times = [](const Value& factor) {
    return [factor](const Tensor& dy) { return numbers::binary(kernels().mul_or_zero, dy, *factor); };
  };
  return record(mul_op, numbers::binary(kernels().mul, a.value(), b.value()), Wrt{a, times(b.shared())},
                Wrt{b, times(a.shared())});
}

static const Op div_op{"div"};

Variable div(const Variable& a, const Variable& b) {
  check_broadcast(div_op, a, b);
  Value y = share(numbers::binary(kernels().div, a.value(), b.value()));
  const auto over_b = [b = b.shared()](const Tensor& dy) {
    return numbers::binary(kernels().div_or_zero, dy, *b);
  };
  const auto minus_y_over_b = [y, over_b](const Tensor& dy) {
    return numbers::scale(numbers::binary(kernels().mul_or_zero, over_b(dy), *y), Real(-1));
  };
  return record(div_op, y, Wrt{a, over_b}, Wrt{b, minus_y_over_b});
}

}  // namespace fovea::inline FOVEA_REAL
