#pragma once

#include "core/kernels/kernels.hpp"

#if defined(__SSE__)
#include <immintrin.h>
#endif

// Numbers side by side in one register, for loops that hold their results in registers and so cannot be left
// to the compiler's own vectoriser. The operators + - * / work on whole registers.
namespace fovea::inline FOVEA_REAL {
namespace FOVEA_LEVEL {
namespace {

#if defined(__AVX512F__)
constexpr std::size_t vector_bytes = 64, registers = 32;
#elif defined(__AVX__)
constexpr std::size_t vector_bytes = 32, registers = 16;
#else
constexpr std::size_t vector_bytes = 16, registers = 16;
#endif

typedef Real Vector __attribute__((vector_size(vector_bytes)));
typedef Real InMemory __attribute__((vector_size(vector_bytes), aligned(sizeof(Real)), may_alias));
constexpr std::size_t width = vector_bytes / sizeof(Real);  // numbers in a register

inline Vector load(const Real* x) { return *reinterpret_cast<const InMemory*>(x); }
inline void store(Real* y, Vector x) { *reinterpret_cast<InMemory*>(y) = x; }
inline Vector all(Real x) { return x - Vector{}; }

/// The smaller of x and `limit`; NaN where x is.
inline Vector at_most(Vector x, Vector limit) { return x > limit ? limit : x; }

/// 1 / x to about one rounding, for normal x whose reciprocal is normal.
inline Vector reciprocal(Vector x) {
#if defined(__AVX512F__) && defined(__FMA__)
  if constexpr (sizeof(Real) == 4) {
    const auto estimate = (Vector)_mm512_rcp14_ps((__m512)x);
    return estimate + estimate * (Real(1) - x * estimate);
  }
#elif defined(__AVX__) && defined(__FMA__)
  if constexpr (sizeof(Real) == 4) {
    const auto estimate = (Vector)_mm256_rcp_ps((__m256)x);
    return estimate + estimate * (Real(1) - x * estimate);  // one step of Newton's: 12 bits become 23
  }
#endif
  return Real(1) / x;
}

}  // namespace
}  // namespace FOVEA_LEVEL
}  // namespace fovea::inline FOVEA_REAL
