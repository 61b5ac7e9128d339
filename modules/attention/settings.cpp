#include "modules/attention/settings.hpp"

namespace fovea {

std::string AttentionSettings::title() const {
  std::string text = score;
  if (normalizer != "softmax") text += ", " + normalizer;
  if (hops != 1) text += ", " + std::to_string(hops) + " hops";
  return text;
}

const std::vector<std::string>& attention_names() {
  static const std::vector<std::string> names{"additive", "dot",    "scaled_dot",
                                              "general",  "cosine", "additive_norm"};
  return names;
}

}  // namespace fovea
