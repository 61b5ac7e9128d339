#include "modules/attention/settings.hpp"

namespace fovea {

std::string AttentionSettings::title() const {
  std::string text = score == "hybrid" ? score + " " + hybrid : score;
  if (normalizer != "softmax") text += ", " + normalizer;
  if (hops != 1) text += ", " + std::to_string(hops) + " hops";
  if (value_transform) text += ", value transform";
  if (additive_start != "orthogonal") text += ", " + additive_start + " start";
  return text;
}

const std::vector<std::string>& score_names() {
  static const std::vector<std::string> names{"additive", "dot",    "scaled_dot",
                                              "general",  "cosine", "additive_norm"};
  return names;
}

const std::vector<std::string>& attention_names() {
  static const std::vector<std::string> names = [] {
    std::vector<std::string> all = score_names();
    all.emplace_back("hybrid");
    return all;
  }();
  return names;
}

const std::vector<std::string>& hybrid_names() {
  static const std::vector<std::string> names{"mean", "by-dims", "gate"};
  return names;
}

}  // namespace fovea
