#include "core/kernels/level/parts.hpp"

namespace fovea::inline FOVEA_REAL {
namespace FOVEA_LEVEL {
namespace {

using Word = std::uint32_t;
constexpr std::size_t lanes = 16;

constexpr Word low(std::uint64_t x) { return static_cast<Word>(x); }
constexpr Word high(std::uint64_t x) { return static_cast<Word>(x >> 32); }

/// `lanes` blocks side by side, one a lane.
void philox_group(std::uint64_t seed, std::uint64_t stream, std::uint64_t first, Word* out) {
  Word a[lanes], b[lanes], c[lanes], d[lanes];
  for (std::size_t i = 0; i < lanes; ++i) {
    a[i] = low(first + i);
    b[i] = high(first + i);
    c[i] = low(stream);
    d[i] = high(stream);
  }
  Word key0 = low(seed), key1 = high(seed);
  for (int round = 0; round < 10; ++round) {
#pragma omp simd
    for (std::size_t i = 0; i < lanes; ++i) {
      const std::uint64_t p = std::uint64_t{0xD2511F53} * a[i], q = std::uint64_t{0xCD9E8D57} * c[i];
      a[i] = high(q) ^ b[i] ^ key0;
      b[i] = low(q);
      c[i] = high(p) ^ d[i] ^ key1;
      d[i] = low(p);
    }
    key0 += 0x9E3779B9;
    key1 += 0xBB67AE85;
  }
  for (std::size_t i = 0; i < lanes; ++i) {
    out[4 * i] = a[i];
    out[4 * i + 1] = b[i];
    out[4 * i + 2] = c[i];
    out[4 * i + 3] = d[i];
  }
}

void philox(std::size_t blocks, std::uint64_t seed, std::uint64_t stream, std::uint64_t first, Word* out) {
  std::size_t i = 0;
  for (; i + lanes <= blocks; i += lanes) philox_group(seed, stream, first + i, out + 4 * i);
  if (i == blocks) return;
  Word rest[4 * lanes];
  philox_group(seed, stream, first + i, rest);
  for (std::size_t j = 0; j < 4 * (blocks - i); ++j) out[4 * i + j] = rest[j];
}

}  // namespace

void set_random(Kernels& table) { table.philox = philox; }

}  // namespace FOVEA_LEVEL
}  // namespace fovea::inline FOVEA_REAL
