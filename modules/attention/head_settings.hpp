#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "modules/attention/pattern.hpp"

namespace fovea {

/// How a head scores.
enum class HeadScore {
  dot,              ///< q · k
  scaled_dot,       ///< q · k / √D, D = width / heads
  additive,         ///< v · tanh(W_q x + W_k y): each head has its own W_q, W_k and v
  linear,           ///< weights φ(q) · φ(k) / Σ, φ(x) = elu(x) + 1: see feature_map.hpp
  random_features,  ///< the same with random features φ whose product estimates exp(q · k / √D)
};

/// By the names that flags and files use.
const std::vector<std::string>& head_score_names();
const std::string& name_of(HeadScore score);
/// ConfigError for a name that there is not.
HeadScore head_score(const std::string& name);
/// One name for all heads, or one for each, separated by commas; ConfigError for another number of them.
std::vector<HeadScore> head_scores(const std::string& names, std::size_t heads);

/// Whether heads with this score have weights. The others never compute them: time and memory grow with the
/// length alone.
constexpr bool has_weights(HeadScore score) {
  return score != HeadScore::linear && score != HeadScore::random_features;
}

/// What the heads are with which a sequence looks within itself. training/attention_options.hpp describes
/// it.
struct HeadSettings {
  std::string score = "scaled_dot";   // see head_scores
  Pattern pattern = {};               // of which positions they look at which
  std::uint64_t key_value_heads = 0;  // keys and values are made for so many, which divide the heads, and
                                      // each is used by as many neighbours; 0: for all
  bool rotary = false;          // queries and keys are turned by their positions: see autograd/rotation.hpp
  std::uint64_t rank = 0;       // keys and values are projected to so many slots; 0: they are not
  std::uint64_t longest = 512;  // … of sequences of at most this length
  std::uint64_t features = 0;   // of random_features, for each head; 0: as its width
  std::uint64_t buckets = 0;    // positions look at those that a hash puts into the same of so many, and at
                                // what the pattern allows; 0: at that alone
  std::uint64_t rounds = 1;     // … in one of so many ways to divide them
};

/// Whether something is said of single heads, or of their number.
bool counts_heads(const HeadSettings& settings);

/// ConfigError where parts do not go together, or have no effect.
void check_heads(const HeadSettings& settings, std::size_t width, std::size_t heads);

/// With this score where they have none of their own.
HeadSettings scored_by(HeadSettings settings, const std::string& score);

/// Of the same heads where they look at another sequence: that is short, has weights, and no places in
/// common with the queries. So heads without weights score by scaled dot there, and the rest is plain.
HeadSettings across(const HeadSettings& settings, std::size_t heads);

}  // namespace fovea
