#include "training/attention_options.hpp"

#include <algorithm>

namespace fovea {

const std::vector<std::string>& attention_or_head_names() {
  static const std::vector<std::string> names = [] {
    std::vector<std::string> all = attention_names();
    for (const std::string& name : head_score_names())
      if (std::ranges::find(all, name) == all.end()) all.push_back(name);
    return all;
  }();
  return names;
}

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
  Option& transform =
      options.add("value-transform", settings.value_transform, "multiply values by a matrix of their own");
  Option& start =
      options.add("additive-start", settings.additive_start, "how the projections of an additive score start")
          .choices({"orthogonal", "xavier"});
  if (!other.empty()) {
    for (Option* one : {&normalizer, &hops, &transform, &start}) one->only_with(other, values);
  }
  return score;
}

void describe_heads(HeadSettings& settings, Options& options) {
  const auto add = [&](const char* name, std::uint64_t& value, const char* about, double most = 1 << 30) {
    options.add(name, value, about).between(0, most).only_with("model", {"transformer"});
  };
  options
      .add("head-scores", settings.score,
           "a score for each head, as scaled_dot,linear, or one for all; empty: that of --attention")
      .only_with("model", {"transformer"});
  Pattern& pattern = settings.pattern;
  add("window", pattern.window,
      "a sequence looks within itself at so many positions in all, around each; 0: at all");
  add("stride", pattern.stride, "and at those whose distance this divides; 0: none");
  add("block", pattern.block, "and at its own block of so many positions; 0: none");
  add("global", pattern.global, "and so many first positions see all and are seen by all");
  add("pattern-heads", pattern.heads,
      "heads that look so, the first so many; the others look everywhere; 0: all heads");
  add("key-value-heads", settings.key_value_heads,
      "heads of keys and values, each shared by as many heads of queries; 0: one for each");
  add("rank", settings.rank,
      "an encoder's keys and values are projected along time to so many slots; 0: they are not", 65536);
  add("features", settings.features, "of random_features, for each head; 0: as its width", 65536);
  options
      .add("buckets", settings.buckets,
           "look at those that a hash puts into the same of so many buckets, an even number or 1; 0: at all")
      .between(0, 8192)
      .only_with("model", {"transformer"});
  options.add("hashes", settings.rounds, "… by one of so many hashes")
      .between(1, 16)
      .only_with("model", {"transformer"});
}

}  // namespace fovea
