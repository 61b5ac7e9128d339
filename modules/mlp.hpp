#pragma once

#include <string>

#include "modules/linear.hpp"

namespace fovea::inline FOVEA_REAL {

enum class Activation { relu, tanh, gelu, sigmoid };

/// By its name; ConfigError for any other.
Activation activation_named(const std::string& name);

Variable activate(Activation activation, const Variable& x);

/// Linear layers with an activation between them: widths {8, 16, 1} is 8 → 16 → activation → 1.
struct Mlp {
  std::vector<Linear> layers;
  Activation activation = Activation::tanh;
  FIELDS(layers)

  Mlp() = default;
  Mlp(const std::vector<std::size_t>& widths, Activation activation, Rng& rng);

  Variable operator()(Variable x) const;
};

}  // namespace fovea::inline FOVEA_REAL
