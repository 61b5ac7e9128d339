#include <cmath>

#include "autograd/ops.hpp"
#include "autograd/unary.hpp"

namespace fovea::inline FOVEA_REAL {

static const Op neg_op{"neg"};

Variable neg(const Variable& x) {
  return record(neg_op, numbers::scale(x.value(), Real(-1)),
                Wrt{x, [](const Tensor& dy) { return numbers::scale(dy, Real(-1)); }});
}

static const Op scale_op{"scale"};

Variable scale(const Variable& x, Real factor) {
  return record(scale_op, numbers::scale(x.value(), factor),
                Wrt{x, [factor](const Tensor& dy) { return numbers::scale(dy, factor); }});
}

static const Op exp_op{"exp"};

Variable exp(const Variable& x) { return from_output(exp_op, x, kernels().exp, kernels().exp_grad); }

static const Op log_op{"log"};

Variable log(const Variable& x) { return from_input(log_op, x, kernels().log, kernels().log_grad); }

static const Op sqrt_op{"sqrt"};

Variable sqrt(const Variable& x) { return from_output(sqrt_op, x, kernels().sqrt, kernels().sqrt_grad); }

static const Op abs_op{"abs"};

Variable abs(const Variable& x) { return from_input(abs_op, x, kernels().abs, kernels().abs_grad); }

static const Op pow_op{"pow"};

Variable pow(const Variable& x, Real exponent) {
  if (exponent == 2) {  // the power that losses take
    const auto to_x = [x = x.shared()](const Tensor& dy) {
      return numbers::map2(kernels().square_grad, *x, dy);
    };
    return record(pow_op, numbers::binary(kernels().mul, x.value(), x.value()), Wrt{x, to_x});
  }
  Tensor y = uninitialized(x.shape());
  for (std::size_t i = 0; i < y.size(); ++i) y.data()[i] = std::pow(x.value().data()[i], exponent);
  const auto to_x = [x = x.shared(), exponent](const Tensor& dy) {
    Tensor dx = uninitialized(x->shape());
    for (std::size_t i = 0; i < dx.size(); ++i) {
      const Real d = dy.data()[i];
      // x⁰ is 1 everywhere, also at 0, where exponent · x⁻¹ would be NaN.
      dx.data()[i] = d == 0 || exponent == 0 ? Real(0) : d * exponent * std::pow(x->data()[i], exponent - 1);
    }
    return dx;
  };
  return record(pow_op, std::move(y), Wrt{x, to_x});
}

}  // namespace fovea::inline FOVEA_REAL
