#include "core/kernels/level/parts.hpp"

namespace fovea::inline FOVEA_REAL {
namespace FOVEA_LEVEL {
namespace {

// The bits of x rounded: the upper half is the bf16, the lower one is 0. Half of the last place that stays is
// added, less one bit where that place is even, and what carries is kept. The carry runs into the exponent as
// it should: from the largest number to infinity.
inline std::uint32_t rounded(Real x) {
  const float single = static_cast<float>(x);
  std::uint32_t bits;
  __builtin_memcpy(&bits, &single, sizeof bits);
  const std::uint32_t carried = (bits + 0x7FFFu + (bits >> 16 & 1u)) & 0xFFFF0000u;
  // NaN could carry to zero, or lose the bits that tell it from infinity.
  return (bits & 0x7FFFFFFFu) > 0x7F800000u ? 0x7FC00000u : carried;
}

void to_bf16(std::size_t n, const Real* x, std::uint16_t* y) {
#pragma omp simd
  for (std::size_t i = 0; i < n; ++i) y[i] = static_cast<std::uint16_t>(rounded(x[i]) >> 16);
}

void round_to_bf16(std::size_t n, const Real* x, Real* y) {
#pragma omp simd
  for (std::size_t i = 0; i < n; ++i) {
    const std::uint32_t bits = rounded(x[i]);
    float single;
    __builtin_memcpy(&single, &bits, sizeof single);
    y[i] = static_cast<Real>(single);
  }
}

}  // namespace

void set_bf16(Kernels& table) {
  table.to_bf16 = to_bf16;
  table.round_to_bf16 = round_to_bf16;
}

}  // namespace FOVEA_LEVEL
}  // namespace fovea::inline FOVEA_REAL
