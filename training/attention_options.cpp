#include "training/attention_options.hpp"

namespace fovea {

Option& describe_attention(AttentionSettings& settings, Options& options, const std::string& scored,
                           const std::string&, const std::vector<std::string>&) {
  return options.add("attention", settings.score, scored).choices(attention_names());
}

}  // namespace fovea
