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

/// The first `n` numbers of a register; in place of the others `rest`.
inline Vector load_some(const Real* x, std::size_t n, Real rest) {
  if (n >= width) return load(x);
  Real lanes[width];
  store(lanes, all(rest));
  for (std::size_t i = 0; i < n; ++i) lanes[i] = x[i];
  return load(lanes);
}
inline void store_some(Real* y, std::size_t n, Vector x) {
  if (n >= width) return store(y, x);
  for (std::size_t i = 0; i < n; ++i) y[i] = x[i];
}

/// `join` of all numbers of a register: of its halves, and again.
template <std::size_t bytes = vector_bytes, class Part, class Join>
inline Real joined(Part x, const Join& join) {
  if constexpr (bytes == 16 && sizeof(Real) == 4) {
    return join(join(x[0], x[2]), join(x[1], x[3]));  // number by number: half of so little is no register
  } else if constexpr (bytes == 16) {
    return join(x[0], x[1]);
  } else {
    typedef Real Half __attribute__((vector_size(bytes / 2)));
    Half half[2];
    __builtin_memcpy(half, &x, bytes);
    return joined<bytes / 2>(join(half[0], half[1]), join);
  }
}
inline Real sum_of(Vector x) {
  return joined(x, [](auto a, auto b) { return a + b; });
}
/// The larger numbers; those of b where a is NaN.
inline Real largest_of(Vector x) {
  return joined(x, [](auto a, auto b) { return a > b ? a : b; });
}

/// How the registers of a row are read: whole, and at its end so many numbers with `rest` behind them.
struct Whole {
  Vector operator()(const Real* x, Real) const { return load(x); }
};
struct Some {
  std::size_t n;
  Vector operator()(const Real* x, Real rest) const { return load_some(x, n, rest); }
};

/// Adds sums over a row of n numbers to `total`. `add(i, read, part)` adds to part[s] the terms of a register
/// of numbers, those from i on, which it reads by `read`; what is behind the end must come to 0. Some hundred
/// terms are summed in Real before they join the total, on several ways, so that none waits for the last.
template <std::size_t sums, class Add>
[[gnu::always_inline]] inline void add_sums(std::size_t n, double (&total)[sums], const Add& add) {
  constexpr std::size_t block = 256, ways = 4;
  for (std::size_t first = 0; first < n; first += block) {
    const std::size_t end = n - first < block ? n : first + block;
    Vector part[ways][sums] = {};
    std::size_t i = first;
    for (; i + ways * width <= end; i += ways * width) {
      for (std::size_t w = 0; w < ways; ++w) add(i + w * width, Whole{}, part[w]);
    }
    for (; i + width <= end; i += width) add(i, Whole{}, part[0]);
    if (i < end) add(i, Some{end - i}, part[1]);
    for (std::size_t s = 0; s < sums; ++s) {
      total[s] += sum_of((part[0][s] + part[1][s]) + (part[2][s] + part[3][s]));
    }
  }
}

/// The smaller of x and `limit`; NaN where x is.
inline Vector at_most(Vector x, Vector limit) { return x > limit ? limit : x; }

/// The larger of x and `limit`; NaN where x is. (GCC 12 makes two instructions of `x < limit ? limit : x`.)
inline Vector at_least(Vector x, Vector limit) {
#if defined(__AVX512F__)
  if constexpr (sizeof(Real) == 4) return (Vector)_mm512_max_ps((__m512)limit, (__m512)x);
  return (Vector)_mm512_max_pd((__m512d)limit, (__m512d)x);
#elif defined(__AVX__)
  if constexpr (sizeof(Real) == 4) return (Vector)_mm256_max_ps((__m256)limit, (__m256)x);
  return (Vector)_mm256_max_pd((__m256d)limit, (__m256d)x);
#elif defined(__SSE2__)
  if constexpr (sizeof(Real) == 4) return (Vector)_mm_max_ps((__m128)limit, (__m128)x);
  return (Vector)_mm_max_pd((__m128d)limit, (__m128d)x);
#else
  return x < limit ? limit : x;
#endif
}

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
