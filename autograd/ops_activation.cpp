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

static const Op tanh_op{"tanh"};

Variable tanh(const Variable& x) {
  Value y = share(numbers::map(kernels().tanh, x.value()));
  return record(tanh_op, y,
                Wrt{x, [y](const Tensor& dy) { return numbers::map2(kernels().tanh_grad, *y, dy); }});
}

static const Op sigmoid_op{"sigmoid"};

Variable sigmoid(const Variable& x) {
  Value y = share(numbers::map(kernels().sigmoid, x.value()));
  return record(sigmoid_op, y,
                Wrt{x, [y](const Tensor& dy) { return numbers::map2(kernels().sigmoid_grad, *y, dy); }});
}

static const Op relu_op{"relu"};

Variable relu(const Variable& x) {
  Value y = share(numbers::map(kernels().relu, x.value()));
  return record(relu_op, y,
                Wrt{x, [y](const Tensor& dy) { return numbers::map2(kernels().relu_grad, *y, dy); }});
}

static const Op gelu_op{"gelu"};

Variable gelu(const Variable& x) { return from_input(gelu_op, x, kernels().gelu, kernels().gelu_grad); }

static const Op softplus_op{"softplus"};

Variable softplus(const Variable& x) {
  return from_input(softplus_op, x, kernels().softplus, kernels().softplus_grad);
}

}  // namespace fovea::inline FOVEA_REAL
