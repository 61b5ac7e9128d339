#include "core/kernels/level/math.hpp"
#include "core/kernels/level/parts.hpp"

namespace fovea::inline FOVEA_REAL {
namespace FOVEA_LEVEL {
namespace {

void entropy(std::size_t R, std::size_t n, const Real* p, Real* h) {
  for (std::size_t r = 0; r < R; ++r, p += n) {
    double total = 0;
#pragma omp simd reduction(- : total)
    for (std::size_t i = 0; i < n; ++i) {
      const Real term = p[i] * log_of(p[i]);
      total -= p[i] == 0 ? Real(0) : term;
    }
    h[r] = static_cast<Real>(total);
  }
}

void entropy_grad(std::size_t R, std::size_t n, const Real* p, const Real* dh, Real* dp) {
  for (std::size_t r = 0; r < R; ++r, p += n, dp += n) {
    const Real d = dh[r];
#pragma omp simd
    for (std::size_t i = 0; i < n; ++i) {
      const Real full = -d * (log_of(p[i]) + Real(1));
      dp[i] = p[i] == 0 || d == 0 ? Real(0) : full;
    }
  }
}

}  // namespace

void set_entropy(Kernels& table) {
  table.entropy = entropy;
  table.entropy_grad = entropy_grad;
}

}  // namespace FOVEA_LEVEL
}  // namespace fovea::inline FOVEA_REAL
