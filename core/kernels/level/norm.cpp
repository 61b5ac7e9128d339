#include "core/kernels/level/math.hpp"
#include "core/kernels/level/parts.hpp"
#include "core/kernels/level/vector.hpp"

namespace fovea::inline FOVEA_REAL {
namespace FOVEA_LEVEL {
namespace {

// Rows go through each step together: what ends one, such as a division, overlaps with the next one's.
constexpr std::size_t together = 4;

struct Moments {
  double mean, variance;
};

/// Of a row with squares that are too large or too small for Real, or with NaN.
Moments wide_moments(std::size_t n, const Real* x) {
  double sum = 0, squares = 0;
#pragma omp simd reduction(+ : sum)
  for (std::size_t i = 0; i < n; ++i) sum += x[i];
  const double centre = sum / static_cast<double>(n);
#pragma omp simd reduction(+ : squares)
  for (std::size_t i = 0; i < n; ++i) {
    const double d = x[i] - centre;
    squares += d * d;
  }
  return {centre, squares / static_cast<double>(n)};
}

/// The mean, to about the precision of Real.
Real near_mean(std::size_t n, const Real* x) {
  double sum[1] = {};
  add_sums(n, sum, [x](std::size_t i, auto read, Vector* part) { part[0] += read(x + i, 0); });
  return static_cast<Real>(sum[0] / static_cast<double>(n));
}

/// From differences to a number near the mean what that lacks, and the variance: E[x²] - E[x]² would cancel.
Moments moments_of(std::size_t n, const Real* x, Real near) {
  double sums[2] = {};
  add_sums(n, sums, [x, near](std::size_t i, auto read, Vector* part) {
    const Vector d = read(x + i, near) - near;
    part[0] += d;
    part[1] += d * d;
  });
  // Squares summed in Real within these were neither cut off above nor rounded as denormal numbers are.
  constexpr double least = double(Its::smallest) * 0x1p26, most = 1 / double(Its::smallest);
  if (!(sums[1] >= least && sums[1] <= most)) return wide_moments(n, x);
  // Where the row hardly differs, so that this cancels, d is a small multiple of the last bit and all is
  // exact.
  const double beside = sums[0] / static_cast<double>(n);
  return {near + beside, sums[1] / static_cast<double>(n) - beside * beside};
}

void layer_norm(std::size_t R, std::size_t n, const Real* x, const Real* gain, const Real* bias, Real eps,
                Real* y, Real* mean, Real* rstd) {
  for (std::size_t first = 0; first < R; first += together) {
    const std::size_t end = R - first < together ? R : first + together;
    for (std::size_t r = first; r < end; ++r) mean[r] = near_mean(n, x + r * n);
    for (std::size_t r = first; r < end; ++r) {
      const Moments row = moments_of(n, x + r * n, mean[r]);
      mean[r] = static_cast<Real>(row.mean);
      rstd[r] = static_cast<Real>(1 / __builtin_sqrt(row.variance + eps));
    }
    for (std::size_t r = first; r < end; ++r) {
      const Real m = mean[r], s = rstd[r], *from = x + r * n;
      Real* to = y + r * n;
#pragma omp simd
      for (std::size_t i = 0; i < n; ++i) to[i] = (from[i] - m) * s * gain[i] + bias[i];
    }
  }
}

/// Σ g and Σ g h of a row, with h = (x - mean) rstd and g = dy · gain. Here and below products with a zero dy
/// are left out, so that a row of NaN which no loss looks at gives zeros.
struct GradSums {
  double g, gh;
};
GradSums grad_sums(std::size_t n, const Real* x, const Real* gain, Real m, Real s, const Real* dy) {
  double sums[2] = {};
  add_sums(n, sums, [=](std::size_t i, auto read, Vector* part) {
    const Vector d = read(dy + i, 0), product = d * read(gain + i, 0);
    const Vector g = d == 0 ? Vector{} : product, h = (read(x + i, 0) - m) * s;
    part[0] += g;
    part[1] += g * (g == 0 ? Vector{} : h);
  });
  return {sums[0], sums[1]};
}

/// dx = rstd (g - mean(g) - h mean(g h)).
void layer_norm_row_grad(std::size_t n, const Real* x, const Real* gain, Real m, Real s, const Real* dy,
                         const GradSums& sums, Real* dx) {
  const Real shift = static_cast<Real>(sums.g / static_cast<double>(n));
  const Real slope = static_cast<Real>(sums.gh / static_cast<double>(n));
#pragma omp simd
  for (std::size_t i = 0; i < n; ++i) {
    const Real product = dy[i] * gain[i], g = dy[i] == 0 ? Real(0) : product;
    const Real along = ((x[i] - m) * s) * slope;
    const Real d = g - shift - (slope == 0 ? Real(0) : along);
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

template <std::size_t rows>
void layer_norm_rows_grad(std::size_t n, const Real* x, const Real* gain, const Real* mean, const Real* rstd,
                          const Real* dy, Real* dx, double* dgain, double* dbias) {
  GradSums sums[rows];
  for (std::size_t r = 0; r < rows; ++r)
    sums[r] = grad_sums(n, x + r * n, gain, mean[r], rstd[r], dy + r * n);
  layer_norm_param_grads<rows>(n, x, mean, rstd, dy, dgain, dbias);
  for (std::size_t r = 0; r < rows; ++r)
    layer_norm_row_grad(n, x + r * n, gain, mean[r], rstd[r], dy + r * n, sums[r], dx + r * n);
}

void layer_norm_grad(std::size_t R, std::size_t n, const Real* x, const Real* gain, const Real* mean,
                     const Real* rstd, const Real* dy, Real* dx, double* dgain, double* dbias) {
  std::size_t r = 0;
  for (; r + together <= R; r += together)
    layer_norm_rows_grad<together>(n, x + r * n, gain, mean + r, rstd + r, dy + r * n, dx + r * n, dgain,
                                   dbias);
  for (; r < R; ++r)
    layer_norm_rows_grad<1>(n, x + r * n, gain, mean + r, rstd + r, dy + r * n, dx + r * n, dgain, dbias);
}

void l2_normalize(std::size_t R, std::size_t n, const Real* x, Real eps, Real* y, Real* norm) {
  for (std::size_t r = 0; r < R; ++r, x += n, y += n) {
    double squares = 0;
#pragma omp simd reduction(+ : squares)
    for (std::size_t i = 0; i < n; ++i) squares += static_cast<double>(x[i]) * x[i];
    const Real length = norm[r] = static_cast<Real>(__builtin_sqrt(squares));
    const Real divisor = length < eps ? eps : length == 0 ? Real(1) : length;  // eps may be 0
#pragma omp simd
    for (std::size_t i = 0; i < n; ++i) y[i] = x[i] / divisor;
  }
}

// Above eps: dx = (dy - y Σ y dy) / norm. At most eps the divisor is constant: dx = dy / eps. Without an eps
// a zero row has no direction to turn to: dx = 0.
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
      dx[i] = d == 0 || divisor == 0 ? Real(0) : scaled;
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
