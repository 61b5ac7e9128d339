#include "core/kernels/level/math.hpp"
#include "core/kernels/level/parts.hpp"

namespace fovea::inline FOVEA_REAL {
namespace FOVEA_LEVEL {
namespace {

void sgd(std::size_t n, Real lr, Real momentum, bool nesterov, Real decay, const Real* g, Real* m, Real* p) {
  if (!m) {
#pragma omp simd
    for (std::size_t i = 0; i < n; ++i) p[i] -= lr * (g[i] + decay * p[i]);
    return;
  }
  // The step is look · m + here · d: plain momentum looks at m alone.
  const Real look = nesterov ? momentum : Real(1), here = nesterov ? Real(1) : Real(0);
#pragma omp simd
  for (std::size_t i = 0; i < n; ++i) {
    const Real d = g[i] + decay * p[i];
    m[i] = momentum * m[i] + d;
    p[i] -= lr * (look * m[i] + here * d);
  }
}

void rmsprop(std::size_t n, Real lr, Real alpha, Real eps, Real momentum, Real decay, const Real* g, Real* v,
             Real* m, Real* p) {
  const auto scaled = [=](std::size_t i) {
    const Real d = g[i] + decay * p[i];
    v[i] = alpha * v[i] + (Real(1) - alpha) * (d * d);
    return d / (square_root(v[i]) + eps);
  };
  if (!m) {
#pragma omp simd
    for (std::size_t i = 0; i < n; ++i) p[i] -= lr * scaled(i);
    return;
  }
#pragma omp simd
  for (std::size_t i = 0; i < n; ++i) {
    m[i] = momentum * m[i] + scaled(i);
    p[i] -= lr * m[i];
  }
}

void adagrad(std::size_t n, Real lr, Real eps, Real decay, const Real* g, Real* v, Real* p) {
#pragma omp simd
  for (std::size_t i = 0; i < n; ++i) {
    const Real d = g[i] + decay * p[i];
    v[i] += d * d;
    p[i] -= lr * d / (square_root(v[i]) + eps);
  }
}

void lion(std::size_t n, Real lr, Real beta1, Real beta2, Real decay, const Real* g, Real* m, Real* p) {
  const Real shrink = Real(1) - lr * decay;
#pragma omp simd
  for (std::size_t i = 0; i < n; ++i) {
    const Real mixed = beta1 * m[i] + (Real(1) - beta1) * g[i];
    const Real sign = mixed > 0 ? Real(1) : (mixed < 0 ? Real(-1) : Real(0));
    p[i] = p[i] * shrink - lr * sign;
    m[i] = beta2 * m[i] + (Real(1) - beta2) * g[i];
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
  table.rmsprop = rmsprop;
  table.adagrad = adagrad;
  table.lion = lion;
  table.adam = adam;
}

}  // namespace FOVEA_LEVEL
}  // namespace fovea::inline FOVEA_REAL
