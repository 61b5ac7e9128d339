#include "modules/mlp.hpp"

namespace fovea::inline FOVEA_REAL {

Activation activation_named(const std::string& name) {
  if (name == "relu") return Activation::relu;
  if (name == "tanh") return Activation::tanh;
  if (name == "gelu") return Activation::gelu;
  if (name == "sigmoid") return Activation::sigmoid;
  throw ConfigError("[activation] there is no \"" + name + "\"; known are relu, tanh, gelu, sigmoid");
}

Variable activate(Activation activation, const Variable& x) {
  switch (activation) {
    case Activation::relu:
      return relu(x);
    case Activation::gelu:
      return gelu(x);
    case Activation::sigmoid:
      return sigmoid(x);
    default:
      return tanh(x);
  }
}

Mlp::Mlp(const std::vector<std::size_t>& widths, Activation in_activation, Rng& rng)
    : activation(in_activation) {
  check<ConfigError>(widths.size() >= 2, "mlp", widths.size(),
                     " widths; expected at least an input's and an output's");
  for (std::size_t i = 0; i + 1 < widths.size(); ++i) layers.emplace_back(widths[i], widths[i + 1], rng);
}

Variable Mlp::operator()(Variable x) const {
  for (std::size_t i = 0; i < layers.size(); ++i) {
    if (i > 0) x = activate(activation, x);
    x = layers[i](x);
  }
  return x;
}

}  // namespace fovea::inline FOVEA_REAL
