#include "core/random.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <string>

#include <Random123/philox.h>
#include <xxhash.h>

namespace fovea {
namespace {

/// The two draws of block `index`.
std::array<std::uint64_t, 2> draws(const Rng::State& state, std::uint64_t index) {
  const auto low = [](std::uint64_t x) { return static_cast<std::uint32_t>(x); };
  const auto high = [](std::uint64_t x) { return static_cast<std::uint32_t>(x >> 32); };
  const auto w = philox({low(index), high(index), low(state.stream), high(state.stream)},
                        {low(state.seed), high(state.seed)});
  return {w[0] | std::uint64_t{w[1]} << 32, w[2] | std::uint64_t{w[3]} << 32};
}

void append(std::string& text, std::uint64_t number) {
  for (int i = 0; i < 8; ++i) text += static_cast<char>(number >> (8 * i));
}

Rng child(const Rng::State& parent, char kind, std::string_view label) {
  std::string key(1, kind);  // so that an index and a label of the same bytes give different streams
  append(key, parent.stream);
  key += label;
  return Rng(parent.seed, XXH3_64bits(key.data(), key.size()));
}

double polynomial(double x, const double (&c)[8]) {
  double y = c[7];
  for (int i = 6; i >= 0; --i) y = y * x + c[i];
  return y;
}

constexpr double truncation = 2.0, below_truncation = 0.022750131948179207;  // Φ(-2)

/// In (0, 1), never either end: 52 bits and a half.
double open_uniform(std::uint64_t bits) { return (static_cast<double>(bits >> 12) + 0.5) * 0x1p-52; }

}  // namespace

std::array<std::uint32_t, 4> philox(const std::array<std::uint32_t, 4>& counter,
                                    const std::array<std::uint32_t, 2>& key) {
  const r123::Philox4x32::ctr_type c{{counter[0], counter[1], counter[2], counter[3]}};
  const r123::Philox4x32::key_type k{{key[0], key[1]}};
  const auto block = r123::Philox4x32{}(c, k);
  return {block[0], block[1], block[2], block[3]};
}

double normal_quantile(double p) {
  static constexpr double a[8] = {
      3.3871328727963666080e0,  1.3314166789178437745e+2, 1.9715909503065514427e+3, 1.3731693765509461125e+4,
      4.5921953931549871457e+4, 6.7265770927008700853e+4, 3.3430575583588128105e+4, 2.5090809287301226727e+3};
  static constexpr double b[8] = {1.0,
                                  4.2313330701600911252e+1,
                                  6.8718700749205790830e+2,
                                  5.3941960214247511077e+3,
                                  2.1213794301586595867e+4,
                                  3.9307895800092710610e+4,
                                  2.8729085735721942674e+4,
                                  5.2264952788528545610e+3};
  static constexpr double c[8] = {1.42343711074968357734e0,  4.63033784615654529590e0,
                                  5.76949722146069140550e0,  3.64784832476320460504e0,
                                  1.27045825245236838258e0,  2.41780725177450611770e-1,
                                  2.27238449892691845833e-2, 7.74545014278341407640e-4};
  static constexpr double d[8] = {1.0,
                                  2.05319162663775882187e0,
                                  1.67638483018380384940e0,
                                  6.89767334985100004550e-1,
                                  1.48103976427480074590e-1,
                                  1.51986665636164571966e-2,
                                  5.47593808499534494600e-4,
                                  1.05075007164441684324e-9};
  static constexpr double e[8] = {6.65790464350110377720e0,  5.46378491116411436990e0,
                                  1.78482653991729133580e0,  2.96560571828504891230e-1,
                                  2.65321895265761230930e-2, 1.24266094738807843860e-3,
                                  2.71155556874348757815e-5, 2.01033439929228813265e-7};
  static constexpr double f[8] = {1.0,
                                  5.99832206555887937690e-1,
                                  1.36929880922735805310e-1,
                                  1.48753612908506148525e-2,
                                  7.86869131145613259100e-4,
                                  1.84631831751005468180e-5,
                                  1.42151175831644588870e-7,
                                  2.04426310338993978564e-15};
  const double q = p - 0.5;
  if (std::abs(q) <= 0.425) {
    const double r = 0.180625 - q * q;
    return q * polynomial(r, a) / polynomial(r, b);
  }
  const double r = std::sqrt(-std::log(q < 0 ? p : 1 - p));
  const double size =
      r <= 5 ? polynomial(r - 1.6, c) / polynomial(r - 1.6, d) : polynomial(r - 5, e) / polynomial(r - 5, f);
  return q < 0 ? -size : size;
}

Rng Rng::split(std::string_view label) const { return child(state_, 'l', label); }

Rng Rng::split(std::uint64_t index) const {
  std::string label;
  append(label, index);
  return child(state_, 'i', label);
}

Rng Rng::from(State state) {
  Rng rng;
  rng.state_ = state;
  return rng;
}

std::uint64_t Rng::bits() {
  const std::uint64_t draw = state_.counter++;
  return draws(state_, draw / 2)[draw % 2];
}

double Rng::uniform() { return to_uniform(bits()); }
double Rng::uniform(double lo, double hi) { return lo + (hi - lo) * uniform(); }
double Rng::normal() { return to_normal(bits()); }
double Rng::truncated_normal() { return to_truncated_normal(bits()); }

double Rng::to_normal(std::uint64_t bits) { return normal_quantile(open_uniform(bits)); }

double Rng::to_truncated_normal(std::uint64_t bits) {
  const double p = below_truncation + (1 - 2 * below_truncation) * open_uniform(bits);
  return std::clamp(normal_quantile(p), -truncation, truncation);
}

std::uint64_t Rng::below(std::uint64_t n) {
  if (n == 0) return 0;
  const std::uint64_t surplus = (0 - n) % n;  // 2^64 mod n: drop that many draws at the bottom
  std::uint64_t x = bits();
  while (x < surplus) x = bits();
  return x % n;
}

std::vector<std::size_t> Rng::permutation(std::size_t n) {
  std::vector<std::size_t> order(n);
  std::iota(order.begin(), order.end(), std::size_t{0});
  for (std::size_t i = n; i > 1; --i) std::swap(order[i - 1], order[below(i)]);
  return order;
}

void Rng::peek(std::uint64_t first, std::span<std::uint64_t> out) const {
  std::uint64_t draw = state_.counter + first;
  for (std::size_t i = 0; i < out.size();) {
    const auto block = draws(state_, draw / 2);
    if (draw % 2 == 0) out[i++] = block[0], ++draw;
    if (i < out.size()) out[i++] = block[1], ++draw;
  }
}

}  // namespace fovea
