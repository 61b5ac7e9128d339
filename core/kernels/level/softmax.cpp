#include "core/kernels/level/group.hpp"
#include "core/kernels/level/parts.hpp"

namespace fovea::inline FOVEA_REAL {
namespace FOVEA_LEVEL {
namespace {

constexpr std::size_t block = 256;  // terms summed in Real before they join a total in double

/// Calls `take(first, n, e)` for the registers of exp(x - m), for x <= m; returns the sum.
template <class Take>
double total_exponentials(std::size_t n, const Real* x, Real m, const Take& take) {
  double total = 0;
  for (std::size_t first = 0; first < n; first += block) {
    Vector part{};
    row_exponentials(n - first < block ? n - first : block, x + first, m,
                     [&](std::size_t i, std::size_t some, Vector, Vector e) {
                       take(first + i, some, e);
                       part += e;
                     });
    total += sum_of(part);
  }
  return total;
}

/// y = exp(x - m), for x <= m; returns the sum.
double exp_minus(std::size_t n, const Real* x, Real m, Real* y) {
  return total_exponentials(n, x, m,
                            [y](std::size_t i, std::size_t some, Vector e) { store_some(y + i, some, e); });
}

/// Σ exp(x - m), for x <= m.
double sum_exp_minus(std::size_t n, const Real* x, Real m) {
  return total_exponentials(n, x, m, [](std::size_t, std::size_t, Vector) {});
}

void multiply(std::size_t n, Real factor, Real* y) {
#pragma omp simd
  for (std::size_t i = 0; i < n; ++i) y[i] *= factor;
}

// Rows go through each step together: what ends one, such as a division, overlaps with the next one's.
constexpr std::size_t together = 4;

void softmax(std::size_t R, std::size_t n, const Real* x, Real* y) {
  for (std::size_t first = 0; first < R; first += together) {
    const std::size_t end = R - first < together ? R : first + together;
    Real m[together];
    double total[together];
    for (std::size_t r = first; r < end; ++r) {
      const Real found = largest(n, x + r * n);
      m[r - first] = found == -Its::infinity ? 0 : found;  // only -inf and NaN: -inf - (-inf) would be NaN
    }
    for (std::size_t r = first; r < end; ++r)
      total[r - first] = exp_minus(n, x + r * n, m[r - first], y + r * n);
    for (std::size_t r = first; r < end; ++r) {
      if (total[r - first] == 0) continue;  // only -inf: the row is all zeros already
      multiply(n, static_cast<Real>(1 / total[r - first]), y + r * n);
    }
  }
}

void masked_softmax(std::size_t R, std::size_t n, const Real* x, const unsigned char* keep,
                    std::size_t keep_step, Real* y) {
  for (std::size_t r = 0; r < R; ++r, x += n, y += n, keep += keep_step) {
    // What is masked becomes -inf, whatever it was, and exp makes a clean 0 of that.
#pragma omp simd
    for (std::size_t i = 0; i < n; ++i) y[i] = keep[i] ? x[i] : -Its::infinity;
    Real m = largest(n, y);
    if (m == -Its::infinity) m = 0;  // nothing kept, or only -inf and NaN: -inf - (-inf) would be NaN
    const double total = exp_minus(n, y, m, y);
    if (total == 0) continue;  // the row is all zeros already
    const Real factor = static_cast<Real>(1 / total);
#pragma omp simd
    for (std::size_t i = 0; i < n; ++i)
      y[i] = keep[i] ? y[i] * factor : Real(0);  // also when `factor` is NaN
  }
}

bool all_zero(std::size_t n, const Real* x) {
  for (std::size_t i = 0; i < n; ++i) {
    if (x[i] != 0) return false;
  }
  return true;
}

void clear(std::size_t n, Real* x) {
  for (std::size_t i = 0; i < n; ++i) x[i] = 0;
}

/// Σ y dy. A y of 0 leaves a term out.
double weighted(std::size_t n, const Real* y, const Real* dy) {
  double total[1] = {};
  add_sums(n, total, [y, dy](std::size_t i, auto read, Vector* part) {
    const Vector p = read(y + i, 0), d = read(dy + i, 0);
    part[0] += p * (p == 0 ? Vector{} : d);
  });
  return total[0];
}

void softmax_row_grad(std::size_t n, const Real* y, double total, const Real* dy, Real* dx) {
  // A row of NaN that the loss does not look at, such as a padded query's, must not spoil the rest.
  if (total != total && all_zero(n, dy)) return clear(n, dx);
  const Real inner = static_cast<Real>(total);
#pragma omp simd
  for (std::size_t i = 0; i < n; ++i) {
    const Real d = y[i] * (dy[i] - inner);
    dx[i] = y[i] == 0 ? Real(0) : d;
  }
}

void softmax_grad(std::size_t R, std::size_t n, const Real* y, const Real* dy, Real* dx) {
  for (std::size_t first = 0; first < R; first += together) {
    const std::size_t end = R - first < together ? R : first + together;
    double total[together];
    for (std::size_t r = first; r < end; ++r) total[r - first] = weighted(n, y + r * n, dy + r * n);
    for (std::size_t r = first; r < end; ++r)
      softmax_row_grad(n, y + r * n, total[r - first], dy + r * n, dx + r * n);
  }
}

void log_softmax(std::size_t R, std::size_t n, const Real* x, Real* y) {
  for (std::size_t r = 0; r < R; ++r, x += n, y += n) {
    const Real m = largest(n, x);
    const Real log_total = static_cast<Real>(__builtin_log(sum_exp_minus(n, x, m)));
#pragma omp simd
    for (std::size_t i = 0; i < n; ++i) y[i] = (x[i] - m) - log_total;
  }
}

void log_softmax_grad(std::size_t R, std::size_t n, const Real* y, const Real* dy, Real* dx) {
  for (std::size_t r = 0; r < R; ++r, y += n, dy += n, dx += n) {
    double total = 0;
#pragma omp simd reduction(+ : total)
    for (std::size_t i = 0; i < n; ++i) total += dy[i];
    const Real inner = static_cast<Real>(total);
#pragma omp simd
    for (std::size_t i = 0; i < n; ++i) {
      const Real d = dy[i] - exp_of_negative(y[i]) * inner;
      dx[i] = inner == 0 ? dy[i] : d;  // so that a row of NaN with dy = 0 gives 0
    }
  }
}

void cross_entropy(std::size_t R, std::size_t n, const Real* x, const std::size_t* target, Real* loss,
                   Real* lse) {
  for (std::size_t r = 0; r < R; ++r, x += n) {
    if (target[r] >= n) {
      loss[r] = lse[r] = 0;
      continue;
    }
    const Real m = largest(n, x);
    const double log_total = __builtin_log(sum_exp_minus(n, x, m));
    loss[r] = static_cast<Real>((static_cast<double>(m) - x[target[r]]) + log_total);
    lse[r] = static_cast<Real>(m + log_total);
  }
}

void cross_entropy_grad(std::size_t R, std::size_t n, const Real* x, const std::size_t* target,
                        const Real* lse, const Real* dloss, Real* dx) {
  for (std::size_t r = 0; r < R; ++r, x += n, dx += n) {
    if (target[r] >= n || dloss[r] == 0) {
      clear(n, dx);
      continue;
    }
    // lse was rounded, which for large x shifts every weight alike; dividing by the total undoes that.
    const double total = exp_minus(n, x, lse[r], dx);
    multiply(n, static_cast<Real>(dloss[r] / total), dx);
    dx[target[r]] -= dloss[r];
  }
}

}  // namespace

void set_softmax(Kernels& table) {
  table.softmax = softmax;
  table.masked_softmax = masked_softmax;
  table.softmax_grad = softmax_grad;
  table.log_softmax = log_softmax;
  table.log_softmax_grad = log_softmax_grad;
  table.cross_entropy = cross_entropy;
  table.cross_entropy_grad = cross_entropy_grad;
}

}  // namespace FOVEA_LEVEL
}  // namespace fovea::inline FOVEA_REAL
