#include "training/attention_options.hpp"

namespace fovea {

Option& describe_attention(AttentionSettings& settings, Options& options, const std::string& scored,
                           const std::string& other, const std::vector<std::string>& values) {
  Option& score = options.add("attention", settings.score, scored).choices(attention_names());
  Option& normalizer =
      options.add("normalizer", settings.normalizer,
                  "how scores become weights: softmax; sparsemax, which makes most of them 0; or top-k:N, a "
                  "softmax of the N best");
  if (!other.empty()) normalizer.only_with(other, values);
  return score;
}

}  // namespace fovea
