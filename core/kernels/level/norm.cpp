#include "core/kernels/level/math.hpp"
#include "core/kernels/level/parts.hpp"

namespace fovea::inline FOVEA_REAL {
namespace FOVEA_LEVEL {
namespace {

void layer_norm(std::size_t R, std::size_t n, const Real* x, const Real* gain, const Real* bias, Real eps,
                Real* y, Real* mean, Real* rstd) {
  for (std::size_t r = 0; r < R; ++r, x += n, y += n) {
    double sum = 0;
#pragma omp simd reduction(+ : sum)
    for (std::size_t i = 0; i < n; ++i) sum += x[i];
    const double centre = sum / static_cast<double>(n);
    double squares = 0;  // a second pass: E[x²] - E[x]² would cancel
#pragma omp simd reduction(+ : squares)
    for (std::size_t i = 0; i < n; ++i) {
      const double d = x[i] - centre;
      squares += d * d;
    }
    const Real m = mean[r] = static_cast<Real>(centre);
    const Real s = rstd[r] = static_cast<Real>(1 / __builtin_sqrt(squares / static_cast<double>(n) + eps));
#pragma omp simd
    for (std::size_t i = 0; i < n; ++i) y[i] = (x[i] - m) * s * gain[i] + bias[i];
  }
}

/// dx = rstd (g - mean(g) - h mean(g h)) with h = (x - mean) rstd and g = dy · gain. Products with a zero dy
/// are left out, so that a row of NaN which no loss looks at gives zeros.
void layer_norm_row_grad(std::size_t n, const Real* x, const Real* gain, Real m, Real s, const Real* dy,
                         Real* dx) {
  constexpr std::size_t block = 256;  // terms summed in Real before they join a total in double
  double sum = 0, sum_h = 0;
  for (std::size_t first = 0; first < n; first += block) {
    const std::size_t end = n - first < block ? n : first + block;
    Real part = 0, part_h = 0;
#pragma omp simd reduction(+ : part, part_h)
    for (std::size_t i = first; i < end; ++i) {
      const Real product = dy[i] * gain[i], g = dy[i] == 0 ? Real(0) : product;
      const Real h = g * ((x[i] - m) * s);
      dx[i] = g;
      part += g;
      part_h += g == 0 ? Real(0) : h;
    }
    sum += part;
    sum_h += part_h;
  }
  const Real shift = static_cast<Real>(sum / static_cast<double>(n));
  const Real slope = static_cast<Real>(sum_h / static_cast<double>(n));
#pragma omp simd
  for (std::size_t i = 0; i < n; ++i) {
    const Real along = ((x[i] - m) * s) * slope;
    const Real d = dx[i] - shift - (slope == 0 ? Real(0) : along);
    const Real scaled = s * d;
    dx[i] = d == 0 ? Real(0) : scaled;
  }
}

/// Adds what `rows` rows give to the gradients of gain and bias.
template <std::size_t rows>
void layer_norm_param_grads(std::size_t n, const Real* x, const Real* mean, const Real* rstd, const Real* dy,
                            double* dgain, double* dbias) {
#pragma omp simd
  for (std::size_t i = 0; i < n; ++i) {
    Real to_gain = 0, to_bias = 0;
    for (std::size_t r = 0; r < rows; ++r) {
      const Real d = dy[r * n + i], product = d * ((x[r * n + i] - mean[r]) * rstd[r]);
      to_gain += d == 0 ? Real(0) : product;
      to_bias += d;
    }
    dgain[i] += to_gain;
    dbias[i] += to_bias;
  }
}

void layer_norm_grad(std::size_t R, std::size_t n, const Real* x, const Real* gain, const Real* mean,
                     const Real* rstd, const Real* dy, Real* dx, double* dgain, double* dbias) {
  constexpr std::size_t together = 4;  // rows whose parts are added up before they become double
  std::size_t r = 0;
  for (; r + together <= R; r += together) {
    for (std::size_t q = r; q < r + together; ++q)
      layer_norm_row_grad(n, x + q * n, gain, mean[q], rstd[q], dy + q * n, dx + q * n);
    layer_norm_param_grads<together>(n, x + r * n, mean + r, rstd + r, dy + r * n, dgain, dbias);
  }
  for (; r < R; ++r) {
    layer_norm_row_grad(n, x + r * n, gain, mean[r], rstd[r], dy + r * n, dx + r * n);
    layer_norm_param_grads<1>(n, x + r * n, mean + r, rstd + r, dy + r * n, dgain, dbias);
  }
}

void l2_normalize(std::size_t R, std::size_t n, const Real* x, Real eps, Real* y, Real* norm) {
  for (std::size_t r = 0; r < R; ++r, x += n, y += n) {
    double squares = 0;
#pragma omp simd reduction(+ : squares)
    for (std::size_t i = 0; i < n; ++i) squares += static_cast<double>(x[i]) * x[i];
    const Real length = norm[r] = static_cast<Real>(__builtin_sqrt(squares));
    const Real divisor = length < eps ? eps : length;
#pragma omp simd
    for (std::size_t i = 0; i < n; ++i) y[i] = x[i] / divisor;
  }
}

// Above eps: dx = (dy - y Σ y dy) / norm. At most eps the divisor is constant: dx = dy / eps.
void l2_normalize_grad(std::size_t R, std::size_t n, const Real* y, const Real* norm, Real eps,
                       const Real* dy, Real* dx) {
  for (std::size_t r = 0; r < R; ++r, y += n, dy += n, dx += n) {
    double total = 0;
    if (!(norm[r] <= eps)) {
#pragma omp simd reduction(+ : total)
      for (std::size_t i = 0; i < n; ++i) {
        const double term = static_cast<double>(y[i]) * dy[i];
        total += dy[i] == 0 ? 0.0 : term;
      }
    }
    const Real inner = static_cast<Real>(total);
    const Real divisor = norm[r] <= eps ? eps : norm[r];
#pragma omp simd
    for (std::size_t i = 0; i < n; ++i) {
      const Real along = y[i] * inner;
      const Real d = dy[i] - (inner == 0 ? Real(0) : along);
      const Real scaled = d / divisor;
      dx[i] = d == 0 ? Real(0) : scaled;
    }
  }
}

}  // namespace

void set_norms(Kernels& table) {
  table.layer_norm = layer_norm;
  table.layer_norm_grad = layer_norm_grad;
  table.l2_normalize = l2_normalize;
  table.l2_normalize_grad = l2_normalize_grad;
}

}  // namespace FOVEA_LEVEL
}  // namespace fovea::inline FOVEA_REAL
