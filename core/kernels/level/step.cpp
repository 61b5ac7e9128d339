#include "core/kernels/level/math.hpp"
#include "core/kernels/level/parts.hpp"

namespace fovea::inline FOVEA_REAL {
namespace FOVEA_LEVEL {
namespace {

void sgd(std::size_t n, Real lr, Real momentum, Real decay, const Real* g, Real* m, Real* p) {
  if (!m) {
#pragma omp simd
    for (std::size_t i = 0; i < n; ++i) p[i] -= lr * (g[i] + decay * p[i]);
    return;
  }
#pragma omp simd
  for (std::size_t i = 0; i < n; ++i) {
    m[i] = momentum * m[i] + (g[i] + decay * p[i]);
    p[i] -= lr * m[i];
  }
}

void adam(std::size_t n, Real lr, Real beta1, Real beta2, Real eps, Real correction1, Real correction2,
          Real decay, const Real* g, Real* m, Real* v, Real* p) {
  const Real shrink = Real(1) - lr * decay, rate = lr / correction1;
  const Real root = Real(1) / square_root(correction2);
#pragma omp simd
  for (std::size_t i = 0; i < n; ++i) {
    const Real first = beta1 * m[i] + (Real(1) - beta1) * g[i];
    const Real second = beta2 * v[i] + (Real(1) - beta2) * (g[i] * g[i]);
    m[i] = first;
    v[i] = second;
    p[i] = p[i] * shrink - rate * first / (square_root(second) * root + eps);
  }
}

}  // namespace

void set_steps(Kernels& table) {
  table.sgd = sgd;
  table.adam = adam;
}

}  // namespace FOVEA_LEVEL
}  // namespace fovea::inline FOVEA_REAL
