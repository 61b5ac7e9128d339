#include "core/kernels/level/math.hpp"
#include "core/kernels/level/parts.hpp"

namespace fovea::inline FOVEA_REAL {
namespace FOVEA_LEVEL {
namespace {

// `known` is what the gradient is computed from: x or y. A zero dy selects 0 instead of multiplying,
// because the other factor may be infinite or NaN at the edge of the function's domain.
template <Real (*function)(Real known, Real dy)>
void gradient(std::size_t n, const Real* known, const Real* dy, Real* dx) {
#pragma omp simd
  for (std::size_t i = 0; i < n; ++i) {
    const Real d = function(known[i], dy[i]);
    dx[i] = dy[i] == 0 ? Real(0) : d;
  }
}

Real exp_of_grad(Real y, Real dy) { return dy * y; }
Real log_of_grad(Real x, Real dy) { return dy / x; }
Real sqrt_of_grad(Real y, Real dy) { return dy / (y + y); }
Real tanh_of_grad(Real y, Real dy) { return dy * ((Real(1) - y) * (Real(1) + y)); }
Real sigmoid_of_grad(Real y, Real dy) { return dy * (y * (Real(1) - y)); }
Real abs_of_grad(Real x, Real dy) { return x > 0 ? dy : (x < 0 ? -dy : dy * x); }
Real square_of_grad(Real x, Real dy) { return (x + x) * dy; }
Real softplus_of_grad(Real x, Real dy) { return dy * sigmoid_of(x); }
Real gelu_of_grad(Real x, Real dy) {
  const Real density = Real(0.39894228040143267794) * exp_of(Real(-0.5) * x * x);
  return dy * (normal_below(x) + x * density);
}
Real relu_of_grad(Real y, Real dy) { return y <= 0 ? Real(0) : (y > 0 ? dy : y); }

}  // namespace

void set_gradients(Kernels& table) {
  table.exp_grad = gradient<exp_of_grad>;
  table.log_grad = gradient<log_of_grad>;
  table.sqrt_grad = gradient<sqrt_of_grad>;
  table.tanh_grad = gradient<tanh_of_grad>;
  table.sigmoid_grad = gradient<sigmoid_of_grad>;
  table.relu_grad = gradient<relu_of_grad>;
  table.abs_grad = gradient<abs_of_grad>;
  table.square_grad = gradient<square_of_grad>;
  table.softplus_grad = gradient<softplus_of_grad>;
  table.gelu_grad = gradient<gelu_of_grad>;
}

}  // namespace FOVEA_LEVEL
}  // namespace fovea::inline FOVEA_REAL
