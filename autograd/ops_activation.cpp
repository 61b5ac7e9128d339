#include <cmath>

#include "autograd/ops.hpp"
#include "autograd/record.hpp"
#include "core/elementwise.hpp"
#include "core/kernels/choose.hpp"

namespace fovea::inline FOVEA_REAL {
namespace {

// An op whose gradient is computed from its input.
Variable from_input(const Op& op, const Variable& x, UnaryKernel forward, PairKernel backward) {
  return record(op, numbers::map(forward, x.value()), Wrt{x, [x = x.shared(), backward](const Tensor& dy) {
                                                            return numbers::map2(backward, *x, dy);
                                                          }});
}

}  // namespace

static const Op abs_op{"abs"};

Variable abs(const Variable& x) { return from_input(abs_op, x, kernels().abs, kernels().abs_grad); }

static const Op gelu_op{"gelu"};

Variable gelu(const Variable& x) { return from_input(gelu_op, x, kernels().gelu, kernels().gelu_grad); }

static const Op softplus_op{"softplus"};

Variable softplus(const Variable& x) {
  return from_input(softplus_op, x, kernels().softplus, kernels().softplus_grad);
}

static const Op pow_op{"pow"};

Variable pow(const Variable& x, Real exponent) {
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
