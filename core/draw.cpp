#include "core/draw.hpp"

#include <algorithm>
#include <array>

#include "core/kernels/choose.hpp"
#include "core/parallel.hpp"

namespace fovea::inline FOVEA_REAL {
namespace {

constexpr std::size_t range = 4096;  // elements that are worth a thread's attention
constexpr std::size_t piece = 512;   // words made at a time

/// A stream as 32-bit words, two to a draw and four to a block of Philox.
struct Words {
  Rng::State state;
  std::array<std::uint32_t, piece + 4> buffer;

  /// Words `first` … `first + count - 1`, counted from the stream's position.
  const std::uint32_t* get(std::uint64_t first, std::size_t count) {
    const std::uint64_t word = 2 * state.counter + first;
    const std::size_t skip = word % 4;
    kernels().philox((skip + count + 3) / 4, state.seed, state.stream, word / 4, buffer.data());
    return buffer.data() + skip;
  }
};

/// Sets element i to `make(words of element i)`, which has `per_element` words.
template <std::size_t per_element, class Make>
Tensor draw(Rng& rng, const Shape& shape, const Make& make) {
  Tensor result = uninitialized(shape);
  Real* out = result.data();
  parallel_for(result.size(), range, [&](std::size_t begin, std::size_t end) {
    Words words{rng.state(), {}};
    constexpr std::size_t step = piece / per_element;
    for (std::size_t i = begin; i < end; i += step) {
      const std::size_t count = std::min(step, end - i);
      const std::uint32_t* word = words.get(i * per_element, count * per_element);
      for (std::size_t j = 0; j < count; ++j) out[i + j] = make(word + j * per_element);
    }
  });
  rng.skip((result.size() * per_element + 1) / 2);
  return result;
}

std::uint64_t bits(const std::uint32_t* word) { return word[0] | std::uint64_t{word[1]} << 32; }

}  // namespace

Tensor uniform(Rng& rng, const Shape& shape, Real lo, Real hi) {
  const double low = lo, width = static_cast<double>(hi) - lo;
  return draw<2>(rng, shape, [=](const std::uint32_t* word) {
    return static_cast<Real>(low + width * Rng::to_uniform(bits(word)));
  });
}

Tensor normal(Rng& rng, const Shape& shape, Real mean, Real deviation) {
  const double m = mean, d = deviation;
  return draw<2>(rng, shape, [=](const std::uint32_t* word) {
    return static_cast<Real>(m + d * Rng::to_normal(bits(word)));
  });
}

Tensor truncated_normal(Rng& rng, const Shape& shape, Real mean, Real deviation) {
  const double m = mean, d = deviation;
  return draw<2>(rng, shape, [=](const std::uint32_t* word) {
    return static_cast<Real>(m + d * Rng::to_truncated_normal(bits(word)));
  });
}

namespace {

/// Words below this keep their element.
std::uint64_t keep_limit(double probability) {
  return static_cast<std::uint64_t>(std::clamp(probability, 0.0, 1.0) * 0x1p32);
}

}  // namespace

Tensor keep_mask(Rng& rng, const Shape& shape, double keep_probability) {
  const std::uint64_t limit = keep_limit(keep_probability);
  return draw<1>(rng, shape, [=](const std::uint32_t* word) { return Real(*word < limit ? 1 : 0); });
}

void keep_elements(const Rng& rng, double keep_probability, std::uint64_t first, std::span<Real> out) {
  const std::uint64_t limit = keep_limit(keep_probability);
  Words words{rng.state(), {}};
  for (std::size_t i = 0; i < out.size(); i += piece) {
    const std::size_t count = std::min(piece, out.size() - i);
    const std::uint32_t* word = words.get(first + i, count);
    for (std::size_t j = 0; j < count; ++j) out[i + j] = Real(word[j] < limit ? 1 : 0);
  }
}

}  // namespace fovea::inline FOVEA_REAL
