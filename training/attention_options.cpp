#include "training/attention_options.hpp"

namespace fovea {

Option& describe_attention(AttentionSettings& settings, Options& options, const std::string& scored,
                           const std::string& other, const std::vector<std::string>& values) {
  Option& score = options.add("attention", settings.score, scored).choices(attention_names());
  options
      .add("hybrid", settings.hybrid,
           "kind of hybrid: scaled dot and additive averaged, the one of them that fits the widths, or mixed "
           "by a "
           "learned gate")
      .choices(hybrid_names())
      .only_with("attention", {"hybrid"});
  Option& normalizer =
      options.add("normalizer", settings.normalizer,
                  "how scores become weights: softmax; sparsemax, which makes most of them 0; or top-k:N, a "
                  "softmax of the N best");
  Option& hops =
      options.add("hops", settings.hops, "times that it looks; each looks with what the one before has found")
          .between(1, 100);
  if (!other.empty()) {
    for (Option* one : {&normalizer, &hops}) one->only_with(other, values);
  }
  return score;
}

}  // namespace fovea
