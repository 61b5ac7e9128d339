#include "training/attention_options.hpp"

namespace fovea {

Option& describe_attention(AttentionSettings& settings, Options& options, const std::string& scored,
                           const std::string& other, const std::vector<std::string>& values) {
  Option& score = options.add("attention", settings.score, scored).choices(attention_names());
  options
      .add("hybrid", settings.hybrid,
           "kind of hybrid: scaled dot and additive averaged, the one of them that fits the widths, or mixed "
           "by a learned gate")
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

void describe_pattern(Pattern& pattern, Options& options) {
  const auto add = [&](const char* name, std::uint64_t& value, const char* about) {
    options.add(name, value, about).between(0, 1 << 30).only_with("model", {"transformer"});
  };
  add("window", pattern.window,
      "a sequence looks within itself at so many positions in all, around each; 0: at all");
  add("stride", pattern.stride, "and at those whose distance this divides; 0: none");
  add("block", pattern.block, "and at its own block of so many positions; 0: none");
  add("global", pattern.global, "and so many first positions see all and are seen by all");
  add("pattern-heads", pattern.heads,
      "heads that look so, the first so many; the others look everywhere; 0: all heads");
}

}  // namespace fovea
