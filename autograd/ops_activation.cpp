#include "autograd/ops.hpp"
#include "autograd/unary.hpp"

namespace fovea::inline FOVEA_REAL {
static const Op tanh_op{"tanh"};

Variable tanh(const Variable& x) { return from_output(tanh_op, x, kernels().tanh, kernels().tanh_grad); }

static const Op sigmoid_op{"sigmoid"};

Variable sigmoid(const Variable& x) {
  return from_output(sigmoid_op, x, kernels().sigmoid, kernels().sigmoid_grad);
}

static const Op relu_op{"relu"};

Variable relu(const Variable& x) { return from_output(relu_op, x, kernels().relu, kernels().relu_grad); }

static const Op gelu_op{"gelu"};

Variable gelu(const Variable& x) { return from_input(gelu_op, x, kernels().gelu, kernels().gelu_grad); }

static const Op softplus_op{"softplus"};

Variable softplus(const Variable& x) {
  return from_input(softplus_op, x, kernels().softplus, kernels().softplus_grad);
}

}  // namespace fovea::inline FOVEA_REAL
