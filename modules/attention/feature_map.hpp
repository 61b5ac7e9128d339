#pragma once

#include <variant>

#include "autograd/linear_attention.hpp"
#include "modules/fields.hpp"

namespace fovea::inline FOVEA_REAL {

// What linear attention takes instead of queries and keys: positive features whose product is the weight of a
// key before it is divided by the sum of all.

/// [..., heads · F], and the logarithm of a factor that was taken out of each head's features, [..., heads];
/// undefined where there was none.
struct Features {
  Variable values, log_scale = {};
};

/// elu(x) + 1, as many features as numbers (Katharopoulos et al., 2020).
struct EluFeatures {
  FIELDS()
  Features operator()(const Variable& x, std::size_t heads) const;
};

/// Positive random features (see random_features), with which linear attention comes near scaled-dot
/// attention, the nearer the more there are. Their directions are a buffer: drawn once, saved, not trained.
/// All heads have the same, as in the authors' code. They are orthogonal in blocks of D, their lengths those
/// of normal vectors, so each alone is a normal vector; that they cannot lie side by side makes the
/// estimate's variance smaller.
///
/// No constant is taken out of all keys alike to keep exponents in range, as the authors do: it would depend
/// on the last one, and on padding. Each row's largest exponent goes into its log scale.
///
/// A weight's estimate has a relative variance of up to e^|x' + y'|² / F, so queries and keys should be
/// short: |x'| = |x| / D^(1/4) up to 1 or 2. Of very long vectors one feature each is left, rarely the same,
/// and a row may come to 0.
struct RandomFeatures {
  Buffer directions;  // [F, D]
  FIELDS(directions)

  RandomFeatures() = default;
  /// For heads of `width` D; ConfigError where there would be no features or no width.
  RandomFeatures(std::size_t features, std::size_t width, Rng& rng);

  std::size_t count() const { return directions.value.shape()[0]; }
  /// x: [..., heads · D]
  Features operator()(const Variable& x, std::size_t heads) const;
};

using FeatureMap = std::variant<EluFeatures, RandomFeatures>;

/// linear_attention of the features of queries [B, Tq, heads · D] and keys [B, Tk, heads · D].
Variable linear_attention(const FeatureMap& map, const Variable& query, const Variable& keys,
                          const Variable& values, const Mask& mask, std::size_t heads);

}  // namespace fovea::inline FOVEA_REAL
