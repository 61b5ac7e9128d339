#include "autograd/ops.hpp"
#include "autograd/record.hpp"
#include "core/elementwise.hpp"
#include "core/kernels/choose.hpp"

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

Variable exp(const Variable& x) {
  Value y = share(numbers::map(kernels().exp, x.value()));
  return record(exp_op, y,
                Wrt{x, [y](const Tensor& dy) { return numbers::map2(kernels().exp_grad, *y, dy); }});
}

static const Op log_op{"log"};

Variable log(const Variable& x) {
  return record(
      log_op, numbers::map(kernels().log, x.value()),
      Wrt{x, [x = x.shared()](const Tensor& dy) { return numbers::map2(kernels().log_grad, *x, dy); }});
}

static const Op sqrt_op{"sqrt"};

Variable sqrt(const Variable& x) {
  Value y = share(numbers::map(kernels().sqrt, x.value()));
  return record(sqrt_op, y,
                Wrt{x, [y](const Tensor& dy) { return numbers::map2(kernels().sqrt_grad, *y, dy); }});
}

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

}  // namespace fovea::inline FOVEA_REAL
