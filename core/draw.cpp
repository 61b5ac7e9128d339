#include "core/draw.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "core/kernels/choose.hpp"
#include "core/parallel.hpp"

namespace fovea::inline FOVEA_REAL {
namespace {

constexpr std::size_t range = 4096;  // elements that are worth a thread's attention
constexpr std::size_t piece = 512;   // words made at a time

/// A stream as 32-bit words, two to a draw and four to a block of Philox.
struct Words {
  explicit Words(const Rng& rng) : state(rng.state()) {}  // leaves the buffer as it is: short rows are many

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

/// Calls `use(i, count, words)` for stretches of elements, with `per_element` words each, and moves on.
template <std::size_t per_element, class Use>
void with_words(Rng& rng, std::size_t size, const Use& use) {
  parallel_for(size, range, [&](std::size_t begin, std::size_t end) {
    Words words(rng);
    constexpr std::size_t step = piece / per_element;
    for (std::size_t i = begin; i < end; i += step) {
      const std::size_t count = std::min(step, end - i);
      use(i, count, words.get(i * per_element, count * per_element));
    }
  });
  rng.skip((size * per_element + 1) / 2);
}

thread_local bool draws = true;

/// Sets element i to `make(bits of element i)`.
template <class Make>
Tensor draw(Rng& rng, const Shape& shape, const Make& make) {
  if (!draws) {
    Tensor none = zeros(shape);
    rng.skip(none.size());
    return none;
  }
  Tensor result = uninitialized(shape);
  Real* out = result.data();
  with_words<2>(rng, result.size(), [&](std::size_t i, std::size_t count, const std::uint32_t* word) {
    for (std::size_t j = 0; j < count; ++j) {
      out[i + j] = make(word[2 * j] | std::uint64_t{word[2 * j + 1]} << 32);
    }
  });
  return result;
}

}  // namespace

NoDraws::NoDraws() : before_(std::exchange(draws, false)) {}
NoDraws::~NoDraws() { draws = before_; }
bool drawing() { return draws; }

Tensor uniform(Rng& rng, const Shape& shape, Real lo, Real hi) {
  const double low = lo, width = static_cast<double>(hi) - lo;
  return draw(rng, shape,
              [=](std::uint64_t bits) { return static_cast<Real>(low + width * Rng::to_uniform(bits)); });
}

Tensor normal(Rng& rng, const Shape& shape, Real mean, Real deviation) {
  const double m = mean, d = deviation;
  return draw(rng, shape,
              [=](std::uint64_t bits) { return static_cast<Real>(m + d * Rng::to_normal(bits)); });
}

Tensor truncated_normal(Rng& rng, const Shape& shape, Real mean, Real deviation) {
  const double m = mean, d = deviation;
  return draw(rng, shape,
              [=](std::uint64_t bits) { return static_cast<Real>(m + d * Rng::to_truncated_normal(bits)); });
}

namespace {

/// Words up to this one keep their element.
std::uint32_t last_kept(double probability) {
  const auto kept = static_cast<std::uint64_t>(std::clamp(probability, 0x1p-32, 1.0) * 0x1p32);
  return static_cast<std::uint32_t>(kept - 1);
}

Real factor_of(double keep_probability) { return static_cast<Real>(1 / keep_probability); }

}  // namespace

Tensor keep_mask(Rng& rng, const Shape& shape, double keep_probability) {
  const std::uint32_t last = last_kept(keep_probability);
  Tensor result = uninitialized(shape);
  with_words<1>(rng, result.size(), [&](std::size_t i, std::size_t count, const std::uint32_t* word) {
    kernels().keep_words(count, word, last, result.data() + i);
  });
  return result;
}

Tensor drop(Rng& rng, const Tensor& x, double keep_probability, KeptElements& keep) {
  const std::uint32_t last = last_kept(keep_probability);
  Tensor result = uninitialized(x.shape());
  keep.resize(x.size());
  with_words<1>(rng, x.size(), [&](std::size_t i, std::size_t count, const std::uint32_t* word) {
    kernels().dropout(count, word, last, factor_of(keep_probability), x.data() + i, result.data() + i,
                      keep.data() + i);
  });
  return result;
}

Tensor drop_as_before(const Tensor& x, double keep_probability, const KeptElements& keep) {
  Tensor result = uninitialized(x.shape());
  parallel_for(x.size(), range, [&](std::size_t begin, std::size_t end) {
    kernels().scale_kept(end - begin, keep.data() + begin, factor_of(keep_probability), x.data() + begin,
                         result.data() + begin);
  });
  return result;
}

void keep_elements(const Rng& rng, double keep_probability, std::uint64_t first, std::span<Real> out) {
  const std::uint32_t last = last_kept(keep_probability);
  Words words(rng);
  for (std::size_t i = 0; i < out.size(); i += piece) {
    const std::size_t count = std::min(piece, out.size() - i);
    kernels().keep_words(count, words.get(first + i, count), last, out.data() + i);
  }
}

}  // namespace fovea::inline FOVEA_REAL
