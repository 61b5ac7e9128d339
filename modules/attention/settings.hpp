#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace fovea {

/// Which attention a model has that asks with one query at a time (make_attention, in attention.hpp), by the
/// names that flags and files use. training/attention_options.hpp describes them.
struct AttentionSettings {
  std::string score = "additive";             // one of attention_names()
  std::string hybrid = "mean";                // one of hybrid_names(), where the score is hybrid
  std::string normalizer = "softmax";         // see normalizer_named
  std::uint64_t hops = 1;                     // times it looks
  bool value_transform = false;               // values are multiplied by a matrix of their own
  std::string additive_start = "orthogonal";  // of an additive score's projections; or xavier

  /// What there is beside the task's own, for people: `general`.
  std::string title() const;
};

/// The scores, by the names of make_score.
const std::vector<std::string>& score_names();
/// Those, and `hybrid`.
const std::vector<std::string>& attention_names();
/// By the names of hybrid_kind.
const std::vector<std::string>& hybrid_names();

}  // namespace fovea
