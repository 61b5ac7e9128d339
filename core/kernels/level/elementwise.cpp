#include "core/kernels/level/math.hpp"
#include "core/kernels/level/parts.hpp"

namespace fovea::inline FOVEA_REAL {
namespace FOVEA_LEVEL {
namespace {

template <Real (*function)(Real)>
void unary(std::size_t n, const Real* x, Real* y) {
#pragma omp simd
  for (std::size_t i = 0; i < n; ++i) y[i] = function(x[i]);
}

Real sqrt_of(Real x) { return square_root(x); }
Real relu_of(Real x) { return x <= 0 ? Real(0) : x; }
Real abs_of(Real x) { return absolute(x); }
Real gelu_of(Real x) { return x * normal_below(x); }

Real softplus_of(Real x) {
  // log1p(e) as log(u) e / (u - 1) with u = 1 + e rounded: exact where e is small (Kahan).
  const Real e = exp_of(-absolute(x)), u = Real(1) + e;
  const Real tail = u == Real(1) ? e : log_of(u) * (e / (u - Real(1)));
  return (x <= 0 ? Real(0) : x) + tail;
}

Real add_of(Real a, Real b) { return a + b; }
Real sub_of(Real a, Real b) { return a - b; }
Real mul_of(Real a, Real b) { return a * b; }
Real div_of(Real a, Real b) { return a / b; }
Real mul_or_zero_of(Real a, Real b) { return a == 0 ? Real(0) : a * b; }
Real div_or_zero_of(Real a, Real b) { return a == 0 ? Real(0) : a / b; }

// One loop for each pair of steps: with a step known only at run time none of them would be vector code.
template <Real (*function)(Real, Real)>
void binary(std::size_t n, const Real* a, std::size_t sa, const Real* b, std::size_t sb, Real* out) {
  if (n == 0) return;
  if (sa && sb) {
#pragma omp simd
    for (std::size_t i = 0; i < n; ++i) out[i] = function(a[i], b[i]);
  } else if (sa) {
    const Real right = *b;
#pragma omp simd
    for (std::size_t i = 0; i < n; ++i) out[i] = function(a[i], right);
  } else if (sb) {
    const Real left = *a;
#pragma omp simd
    for (std::size_t i = 0; i < n; ++i) out[i] = function(left, b[i]);
  } else {
    const Real value = function(*a, *b);
    for (std::size_t i = 0; i < n; ++i) out[i] = value;
  }
}

void scale(std::size_t n, Real factor, const Real* x, Real* y) {
#pragma omp simd
  for (std::size_t i = 0; i < n; ++i) y[i] = factor * x[i];
}

void add_scaled(std::size_t n, Real factor, const Real* x, Real* y) {
#pragma omp simd
  for (std::size_t i = 0; i < n; ++i) y[i] += factor * x[i];
}

void add_into(std::size_t n, const Real* x, Real* y) {
#pragma omp simd
  for (std::size_t i = 0; i < n; ++i) y[i] += x[i];
}

}  // namespace

void set_elementwise(Kernels& table) {
  table.exp = unary<exp_of>;
  table.log = unary<log_of>;
  table.sqrt = unary<sqrt_of>;
  table.tanh = unary<tanh_of>;
  table.sigmoid = unary<sigmoid_of>;
  table.relu = unary<relu_of>;
  table.abs = unary<abs_of>;
  table.softplus = unary<softplus_of>;
  table.gelu = unary<gelu_of>;
  table.add = binary<add_of>;
  table.sub = binary<sub_of>;
  table.mul = binary<mul_of>;
  table.div = binary<div_of>;
  table.mul_or_zero = binary<mul_or_zero_of>;
  table.div_or_zero = binary<div_or_zero_of>;
  table.scale = scale;
  table.add_scaled = add_scaled;
  table.add_into = add_into;
}

}  // namespace FOVEA_LEVEL
}  // namespace fovea::inline FOVEA_REAL
