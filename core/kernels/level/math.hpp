#pragma once

#include "core/kernels/kernels.hpp"

// Elementary functions as straight-line code that the compiler turns into vector code in any loop:
// no branches, no tables, no calls, but for the C library's erf in gelu. All of them keep NaN: a clamp is
// written `x > limit ? limit : x`.
namespace fovea::inline FOVEA_REAL {
namespace FOVEA_LEVEL {
namespace {

/// What the functions need to know of a floating-point format.
template <class T>
struct Format;

template <>
struct Format<float> {
  using Bits = std::uint32_t;
  static constexpr int fraction = 23;
  static constexpr Bits bias = 127;
  static constexpr float round = 0x1.8p23f;  // adding it leaves an integer in the low bits
  static constexpr float infinity = __builtin_inff(), nan = __builtin_nanf("");
  static constexpr float smallest = 0x1p-126f;  // below it, numbers are denormal

  static constexpr float exp_low = -104.0f, exp_high = 89.0f;  // exp is 0 below, infinite above
  static constexpr float ln2_high = 0x1.62e4p-1f, ln2_low = 0x1.7f7d1cp-20f;
  static constexpr float tanh_high = 10.0f;  // tanh rounds to 1 above

  static constexpr Bits log_centre = 0x3f3504f3;  // sqrt(1/2)
  static constexpr float log_ln2_high = 6.9313812256e-01f, log_ln2_low = 9.0580006145e-06f;
};

template <>
struct Format<double> {
  using Bits = std::uint64_t;
  static constexpr int fraction = 52;
  static constexpr Bits bias = 1023;
  static constexpr double round = 0x1.8p52;
  static constexpr double infinity = __builtin_inf(), nan = __builtin_nan("");
  static constexpr double smallest = 0x1p-1022;

  static constexpr double exp_low = -746.0, exp_high = 710.0;
  static constexpr double ln2_high = 6.93147180369123816490e-01, ln2_low = 1.90821492927058770002e-10;
  static constexpr double tanh_high = 20.0;

  static constexpr Bits log_centre = 0x3fe6a09e00000000;
  static constexpr double log_ln2_high = 6.93147180369123816490e-01, log_ln2_low = 1.90821492927058770002e-10;
};

using Its = Format<Real>;
using Bits = Its::Bits;

inline float square_root(float x) { return __builtin_sqrtf(x); }
inline double square_root(double x) { return __builtin_sqrt(x); }

inline float absolute(float x) { return __builtin_fabsf(x); }
inline double absolute(double x) { return __builtin_fabs(x); }

/// (exp(r) - 1 - r) / r² for |r| <= ln(2)/2.
inline float exp_tail(float r) {
  float p = 1.9875691500e-4f;  // minimax (Cephes)
  p = p * r + 1.3981999507e-3f;
  p = p * r + 8.3334519073e-3f;
  p = p * r + 4.1665795894e-2f;
  p = p * r + 1.6666665459e-1f;
  return p * r + 5.0000001201e-1f;
}
template <class T>
inline T exp_tail(T r) {
  T p = r * (1.0 / 6227020800.0) + 1.0 / 479001600.0;  // Taylor: the first term left out is 4e-18
  p = p * r + 1.0 / 39916800.0;
  p = p * r + 1.0 / 3628800.0;
  p = p * r + 1.0 / 362880.0;
  p = p * r + 1.0 / 40320.0;
  p = p * r + 1.0 / 5040.0;
  p = p * r + 1.0 / 720.0;
  p = p * r + 1.0 / 120.0;
  p = p * r + 1.0 / 24.0;
  p = p * r + 1.0 / 6.0;
  return p * r + 0.5;
}

/// x = n ln 2 + r with an integer n and |r| <= ln(2)/2; `m1` is exp(r) - 1.
struct Reduced {
  Real n, m1;
};
inline Reduced reduce(Real x) {
  const Real n = (x * Real(1.44269504088896340736) + Its::round) - Its::round;
  const Real r = (x - n * Its::ln2_high) - n * Its::ln2_low;
  return {n, r + (r * r) * exp_tail(r)};
}

/// The number whose exponent is the integer in the low bits of `lifted`.
inline Real with_exponent(Real lifted) {
  return __builtin_bit_cast(Real, Bits(__builtin_bit_cast(Bits, lifted) << Its::fraction));
}

/// 2^n for an integer n, in the range of normal numbers.
inline Real power_of_two(Real n) { return with_exponent(n + (Its::round + Real(Its::bias))); }

inline Real exp_of(Real x) {
  x = x > Its::exp_high ? Its::exp_high : x;
  x = x < Its::exp_low ? Its::exp_low : x;
  const Reduced part = reduce(x);
  // Two factors: 2^n itself may lie outside the normal numbers when the result does not.
  const Real half = (part.n * Real(0.5) + Its::round) - Its::round;
  return ((Real(1) + part.m1) * power_of_two(half)) * power_of_two(part.n - half);
}

inline Real at_least(Real x, Real limit) { return x < limit ? limit : x; }

/// 2 exp(r) for |r| <= ln(2)/2, to one rounding or so.
template <class T>
inline T twice_exp(T r) {
  T p;
  if constexpr (sizeof(Real) == 4) {
    p = r * Real(0x1.6a23d0p-9) + Real(0x1.123a20p-6);  // minimax for the relative error: 4e-9
    p = p * r + Real(0x1.5558f2p-4);
    p = p * r + Real(0x1.555492p-2);
    p = p * r + Real(0x1.fffffcp-1);
  } else {
    p = exp_tail(r) * Real(2);
  }
  p = p * r + Real(2);
  return p * r + Real(2);
}

/// exp(x) for x <= 0 to softmax's needs, written for a Real and for a Group (group.hpp) at once: what would
/// be denormal is 0. Beside it the argument, clamped: -inf times the 0 that it gives would be NaN.
template <class T>
struct Exponential {
  T argument, value;
};
template <class T>
inline Exponential<T> exponential_of_negative(T x) {
  constexpr Real low = -(Real(Its::bias) - Real(1)) * Real(0.69314718055994530942);
  const T kept = at_least(x, low);
  // One less than the exponent's bias: half the power, which is 0 for the first result that is not normal.
  constexpr Real lift = Its::round + (Real(Its::bias) - Real(1));
  const T lifted = kept * Real(1.44269504088896340736) + lift, n = lifted - lift;
  const T r = (kept - n * Its::ln2_high) - n * Its::ln2_low;
  return {kept, twice_exp(r) * with_exponent(lifted)};
}
inline Real exp_of_negative(Real x) { return exponential_of_negative(x).value; }

/// Through expm1(2|x|), whose relative error stays small near 0.
inline Real tanh_of(Real x) {
  const Real size = absolute(x);
  const Real clamped = size > Its::tanh_high ? Its::tanh_high : size;
  const Reduced part = reduce(clamped + clamped);
  const Real scale = power_of_two(part.n);
  const Real m1 = scale * part.m1 + (scale - Real(1));
  const Real y = m1 / (m1 + Real(2));
  // x itself where that is the rounded result: keeps -0 and denormals.
  const Real tiny = Real(sizeof(Real) == 4 ? 1e-4 : 1e-8);
  return size < tiny ? x : (x < 0 ? -y : y);
}

/// Through exp(-|x|), which cannot overflow.
inline Real sigmoid_of(Real x) {
  const Real e = exp_of(-absolute(x));
  return (x < 0 ? e : Real(1)) / (Real(1) + e);
}

inline float error_function(float x) { return __builtin_erff(x); }
inline double error_function(double x) { return __builtin_erf(x); }

/// Φ(x), the standard normal distribution.
inline Real normal_below(Real x) {
  return Real(0.5) * (Real(1) + error_function(x * Real(0.70710678118654752440)));
}

/// s² is z; the even part of log((1+s)/(1-s)) - 2s, divided by s (FreeBSD's msun).
inline float log_tail(float z) {
  const float w = z * z;
  return w * (0xccce13.0p-25f + w * 0xf89e26.0p-26f) + z * (0xaaaaaa.0p-24f + w * 0x91e9ee.0p-25f);
}
inline double log_tail(double z) {
  const double w = z * z;
  const double even =
      w * (3.999999999940941908e-01 + w * (2.222219843214978396e-01 + w * 1.531383769920937332e-01));
  const double odd = 2.857142874366239149e-01 + w * (1.818357216161805012e-01 + w * 1.479819860511658591e-01);
  return even + z * (6.666666666666735130e-01 + w * odd);
}

inline Real log_of(Real x) {
  const bool denormal = x < Its::smallest;
  const Real lifted = denormal ? x * Real(Bits(1) << Its::fraction) : x;
  // Split lifted into 2^k · (1 + f) with 1 + f between sqrt(1/2) and sqrt(2).
  const Bits one = Its::bias << Its::fraction;
  const Bits shifted = __builtin_bit_cast(Bits, lifted) + (one - Its::log_centre);
  const Bits fraction = (shifted & ((Bits(1) << Its::fraction) - 1)) + Its::log_centre;
  const Bits exponent = (shifted >> Its::fraction) | __builtin_bit_cast(Bits, Real(Bits(1) << Its::fraction));
  const Real k = (__builtin_bit_cast(Real, exponent) - Real(Bits(1) << Its::fraction)) - Real(Its::bias) -
                 (denormal ? Real(Its::fraction) : Real(0));
  const Real f = __builtin_bit_cast(Real, fraction) - Real(1);
  const Real s = f / (Real(2) + f);
  const Real half = Real(0.5) * f * f;
  const Real y = s * (half + log_tail(s * s)) + k * Its::log_ln2_low - half + f + k * Its::log_ln2_high;
  const Real edge = x == 0 ? -Its::infinity : (x < 0 ? Its::nan : x);  // 0, negative, inf and NaN
  return x > 0 && x < Its::infinity ? y : edge;
}

}  // namespace
}  // namespace FOVEA_LEVEL
}  // namespace fovea::inline FOVEA_REAL
