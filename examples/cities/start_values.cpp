#include "examples/cities/start_values.hpp"

#include <array>
#include <cmath>

#include "core/draw.hpp"
#include "modules/init.hpp"

namespace fovea::inline FOVEA_REAL::cities {
namespace {

constexpr std::array<double, 4> wave_scales{0.7, 2, 8, 30};  // degrees
constexpr Real extra_deviation = Real(0.05);

// A weight [rows, columns] that is put together block by block.
class Blocks {
 public:
  Blocks(std::size_t rows, std::size_t columns) : weight_(zeros({rows, columns})) {}

  Real& at(std::size_t row, std::size_t column) { return weight_.data()[row * weight_.shape()[1] + column]; }
  void put(std::size_t row, std::size_t column, const Tensor& block) {
    for (std::size_t i = 0; i < block.shape()[0]; ++i) {
      for (std::size_t j = 0; j < block.shape()[1]; ++j) {
        at(row + i, column + j) = block.data()[i * block.shape()[1] + j];
      }
    }
  }
  Tensor take() { return std::move(weight_); }

 private:
  Tensor weight_;
};

Real root(double x) { return static_cast<Real>(std::sqrt(x)); }

// Rows of length `length` in random directions.
Tensor random_directions(Rng& rng, std::size_t rows, std::size_t width, double length) {
  Tensor result = normal(rng, {rows, width}, 0, 1);
  for (std::size_t i = 0; i < rows; ++i) {
    double squares = 0;
    for (std::size_t j = 0; j < width; ++j)
      squares += std::pow(static_cast<double>(result.data()[i * width + j]), 2);
    for (std::size_t j = 0; j < width; ++j)
      result.data()[i * width + j] *= static_cast<Real>(length / std::sqrt(squares));
  }
  return result;
}

}  // namespace

Real table_deviation(const std::string& attention) {
  const Real faster = attention == "scaled_dot" ? 10
                      : attention == "dot"      ? 16
                      : attention == "additive" ? 5
                                                : 8;
  return Real(0.125) / faster;
}

Tensor wave_frequencies(std::size_t per_scale, Rng& rng) {
  Tensor w = normal(rng, {wave_scales.size() * per_scale, 3}, 0, 1);
  for (std::size_t i = 0; i < w.size(); ++i) {
    w.data()[i] /= static_cast<Real>(radians(wave_scales[i / (3 * per_scale)]));
  }
  return w;
}

Matcher projected_dot(const Score& score, const Sizes& sizes, Rng& rng) {
  // Shares of the three similarities, and the factor before their sum. A scaled dot is divided by √common
  // later.
  const double name_share = 1.5, place_share = 0.5, country_share = 0.5;
  const bool scaled = std::holds_alternative<ScaledDotScore>(score);
  const Real gain = root(scaled ? 8 * std::sqrt(static_cast<double>(sizes.common)) : 6);
  const Layout layout(sizes);
  const std::size_t waves = layout.point - layout.waves,
                    for_waves = sizes.common - sizes.name - sizes.country;
  const double kept = static_cast<double>(for_waves) / static_cast<double>(waves);
  const Tensor names = orthogonal(rng, {sizes.name, sizes.name}, gain * root(name_share));
  const Tensor places = orthogonal(rng, {for_waves, waves}, gain * root(place_share / kept));
  const auto linear_of = [&](std::size_t width) {
    Blocks weight(sizes.common, width);
    weight.put(0, 0, names);
    weight.put(sizes.name, layout.waves, places);
    for (std::size_t i = 0; i < sizes.country; ++i) {
      weight.at(sizes.name + for_waves + i, layout.country + i) = gain * root(country_share);
    }
    weight.put(0, layout.extras, normal(rng, {sizes.common, width - layout.extras}, 0, extra_deviation));
    return Linear(weight.take(), Bias::yes);
  };
  Linear query = linear_of(layout.query_width());
  Linear key = linear_of(layout.key_width());
  return {std::move(query), std::move(key), score};
}

Matcher paired_additive(AdditiveScore score, const Sizes& sizes, Rng& rng) {
  constexpr std::array<double, 3> bump_widths{1, 4, 16};  // degrees
  constexpr Real gate = 4;
  const Layout layout(sizes);
  const std::size_t pairs = sizes.hidden() / 2, points = sizes.name_pairs,
                    countries = points + sizes.point_pairs;
  Blocks along(pairs, layout.key_width());  // w of each pair
  along.put(0, 0, orthogonal(rng, {sizes.name_pairs, sizes.name}, root(static_cast<double>(sizes.name) / 2)));
  for (std::size_t p = 0; p < sizes.point_pairs; ++p) {
    along.put(points + p, layout.point, random_directions(rng, 1, 3, 1 / radians(bump_widths[p % 3])));
  }
  along.put(countries, layout.country,
            random_directions(rng, sizes.country_pairs, sizes.country,
                              std::sqrt(static_cast<double>(sizes.country) / 2)));
  Blocks query(2 * pairs, layout.query_width()), key(2 * pairs, layout.key_width());
  Tensor bias = zeros({2 * pairs}), v = zeros({2 * pairs});
  key.put(0, layout.extras, normal(rng, {2 * pairs, key_extras}, 0, extra_deviation));
  for (std::size_t unit = 0; unit < 2 * pairs; ++unit) {
    const std::size_t p = unit % pairs;
    const Real side = unit < pairs ? 1 : -1;
    for (std::size_t j = 0; j < layout.extras; ++j) {
      query.at(unit, j) = along.at(p, j);
      key.at(unit, j) = -along.at(p, j);
    }
    // Without coordinates (a country) both units of a pair saturate, so that the pair says nothing.
    const bool gated = p >= points;
    if (gated) query.at(unit, layout.extras + (p < countries ? 0 : 1)) = -gate;
    bias.data()[unit] = side + (gated ? gate : 0);
    v.data()[unit] = side * (gated && p < countries ? Real(1.5) : Real(1));
  }
  score.query.weight.set(query.take());
  score.key.weight.set(key.take());
  score.key.bias.set(std::move(bias));
  score.v.set(std::move(v));
  return {{}, {}, std::move(score)};
}

}  // namespace fovea::inline FOVEA_REAL::cities
