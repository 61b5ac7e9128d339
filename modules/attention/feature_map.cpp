#include "modules/attention/feature_map.hpp"

#include <cmath>

#include "core/draw.hpp"
#include "modules/init.hpp"

namespace fovea::inline FOVEA_REAL {

Features EluFeatures::operator()(const Variable& x, std::size_t) const { return {elu_plus_one(x)}; }

RandomFeatures::RandomFeatures(std::size_t features, std::size_t width, Rng& rng) {
  check<ConfigError>(features > 0 && width > 0, "random features", features, " features for heads of width ",
                     width, "; expected at least 1 of each");
  Tensor rows = uninitialized({features, width});
  for (std::size_t begin = 0; begin < features; begin += width) {
    const Tensor block = orthogonal(rng, {std::min(width, features - begin), width});
    std::copy_n(block.data(), block.size(), rows.data() + begin * width);
  }
  const Tensor lengths = normal(rng, {features, width}, 0, 1);
  for (std::size_t f = 0; f < features; ++f) {
    double squares = 0;
    for (std::size_t d = 0; d < width; ++d) {
      const double x = static_cast<double>(lengths.data()[f * width + d]);
      squares += x * x;
    }
    for (std::size_t d = 0; d < width; ++d)
      rows.data()[f * width + d] *= static_cast<Real>(std::sqrt(squares));
  }
  directions.value = std::move(rows);
}

Features RandomFeatures::operator()(const Variable& x, std::size_t heads) const {
  const std::vector<Variable> made = random_features(x, share(Tensor(directions.value)), heads);
  return {made[0], made[1]};
}

Variable linear_attention(const FeatureMap& map, const Variable& query, const Variable& keys,
                          const Variable& values, const Mask& mask, std::size_t heads) {
  const auto of = [&](const Variable& x) {
    return std::visit([&](const auto& features) { return features(x, heads); }, map);
  };
  // A factor of a query's features is in both sums, and cancels.
  const Features asked = of(query), found = of(keys);
  return linear_attention(asked.values, found.values, values, mask, heads, found.log_scale);
}

}  // namespace fovea::inline FOVEA_REAL
