#include <bit>
#include <utility>

#include "core/kernels/level/parts.hpp"
#include "core/kernels/level/vector.hpp"

namespace fovea::inline FOVEA_REAL {
namespace FOVEA_LEVEL {
namespace {

using Word = std::uint32_t;

constexpr Word low(std::uint64_t x) { return static_cast<Word>(x); }
constexpr Word high(std::uint64_t x) { return static_cast<Word>(x >> 32); }

// A word in the lower half of each lane; what stands in the upper half does not count. So a product of two
// words has its place, and a round needs no packing.
typedef std::uint64_t Lanes __attribute__((vector_size(vector_bytes)));
constexpr std::size_t in_vector = vector_bytes / sizeof(std::uint64_t);
constexpr std::size_t vectors =
    8 / in_vector > 2 ? 8 / in_vector : 2;  // side by side: a round waits for the one before
constexpr std::size_t lanes = vectors * in_vector;

Lanes all_lanes(std::uint64_t x) { return x - Lanes{}; }

Lanes product(Lanes a, Lanes b) {
#if defined(__AVX512F__)
  return (Lanes)_mm512_maskz_mul_epu32(0xFF, (__m512i)a,
                                       (__m512i)b);  // without a mask GCC 12 warns of itself
#elif defined(__AVX2__)
  return (Lanes)_mm256_mul_epu32((__m256i)a, (__m256i)b);
#elif defined(__SSE2__) && !defined(__AVX__)
  return (Lanes)_mm_mul_epu32((__m128i)a, (__m128i)b);
#else
  return (a & 0xFFFFFFFF) * (b & 0xFFFFFFFF);
#endif
}

/// The words of x and y in this order in memory.
Lanes side_by_side(Lanes x, Lanes y) {
  constexpr bool little = std::endian::native == std::endian::little;
  return little ? (x & 0xFFFFFFFF) | (y << 32) : (x << 32) | (y & 0xFFFFFFFF);
}

constexpr std::make_index_sequence<in_vector> all_of_vector;

/// x, y, x, y, … from lane `first` on.
template <std::size_t first, std::size_t... i>
Lanes in_turns(Lanes x, Lanes y, std::index_sequence<i...>) {
  return __builtin_shufflevector(x, y, (first + i / 2 + (i % 2) * in_vector)...);
}

/// `lanes` blocks side by side, one a lane.
void philox_group(std::uint64_t seed, std::uint64_t stream, std::uint64_t first, Word* out) {
  const Lanes p_factor = all_lanes(0xD2511F53), q_factor = all_lanes(0xCD9E8D57);
  Lanes a[vectors], b[vectors], c[vectors], d[vectors];
  Lanes number;
  for (std::size_t i = 0; i < in_vector; ++i) number[i] = i;
  for (std::size_t v = 0; v < vectors; ++v) {
    a[v] = first + v * in_vector + number;
    b[v] = a[v] >> 32;
    c[v] = all_lanes(stream);
    d[v] = all_lanes(stream >> 32);
  }
  Word key0 = low(seed), key1 = high(seed);
  for (int round = 0; round < 10; ++round) {
    const Lanes k0 = all_lanes(key0), k1 = all_lanes(key1);
    for (std::size_t v = 0; v < vectors; ++v) {
      const Lanes p = product(p_factor, a[v]), q = product(q_factor, c[v]);
      a[v] = (q >> 32) ^ b[v] ^ k0;
      b[v] = q;
      c[v] = (p >> 32) ^ d[v] ^ k1;
      d[v] = p;
    }
    key0 += 0x9E3779B9;
    key1 += 0xBB67AE85;
  }
  for (std::size_t v = 0; v < vectors; ++v, out += 4 * in_vector) {
    const Lanes ab = side_by_side(a[v], b[v]), cd = side_by_side(c[v], d[v]);
    const Lanes blocks[2] = {in_turns<0>(ab, cd, all_of_vector),
                             in_turns<in_vector / 2>(ab, cd, all_of_vector)};
    __builtin_memcpy(out, blocks, sizeof(blocks));
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

void keep_words(std::size_t n, const Word* word, Word last, Real* out) {
  for (std::size_t i = 0; i < n; ++i) out[i] = word[i] <= last ? Real(1) : Real(0);
}

void dropout(std::size_t n, const Word* word, Word last, Real factor, const Real* x, Real* y,
             unsigned char* keep) {
  for (std::size_t i = 0; i < n; ++i) {
    const bool kept = word[i] <= last;
    y[i] = kept ? factor * x[i] : Real(0);
    keep[i] = kept;
  }
}

void scale_kept(std::size_t n, const unsigned char* keep, Real factor, const Real* x, Real* y) {
  for (std::size_t i = 0; i < n; ++i) y[i] = keep[i] ? factor * x[i] : Real(0);
}

}  // namespace

void set_random(Kernels& table) {
  table.philox = philox;
  table.keep_words = keep_words;
  table.dropout = dropout;
  table.scale_kept = scale_kept;
}

}  // namespace FOVEA_LEVEL
}  // namespace fovea::inline FOVEA_REAL
