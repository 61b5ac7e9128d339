#include "training/attention_systems.hpp"

namespace fovea {

std::string AttentionSystem::flags() const {
  if (!value.empty()) return "--" + option + " " + value;
  return option == "value-transform" ? "--" + option : "--" + option + " N";
}

const std::vector<AttentionSystem>& attention_systems() {
  static const std::vector<AttentionSystem> systems{
      {"attention", "additive", "v · tanh(W_q q + W_k k): exact, without a tanh for each pair"},
      {"attention", "dot", "q · k"},
      {"attention", "scaled_dot", "q · k / √D"},
      {"attention", "general", "q · W k"},
      {"attention", "cosine", "τ cos(q, k), with a learned τ"},
      {"attention", "additive_norm", "additive, with a layer norm on each projection"},
      {"attention", "hybrid", "scaled dot and additive together …"},
      {"hybrid", "mean", "… averaged"},
      {"hybrid", "by-dims", "… the one of them that fits the widths"},
      {"hybrid", "gate", "… mixed by a learned gate"},
      {"attention", "linear", "a Transformer's heads in O(T): (elu(q) + 1) · (elu(k) + 1), causal or not"},
      {"attention", "random_features",
       "a Transformer's heads in O(T): random features whose product is that of softmax"},
      {"normalizer", "sparsemax", "weights of which most are exactly 0"},
      {"normalizer", "top-k:8", "softmax of the N best scores"},
      {"hops", "", "looks N times, each with what the one before has found"},
      {"value-transform", "", "values are multiplied by a matrix of their own"},
      {"additive-start", "xavier", "an additive score's projections start as Xavier, not orthogonal"},
      {"heads", "", "a Transformer's: N attentions side by side; also all below"},
      {"head-scores", "linear,dot", "a score of its own for each head"},
      {"key-value-heads", "", "grouped heads: N of keys and values for all heads of queries"},
      {"positions", "rotary", "queries and keys are turned by their positions"},
      {"window", "", "local: a position looks at N around it"},
      {"global", "", "and N first ones see all and are seen by all"},
      {"stride", "", "sparse: at each N-th"},
      {"block", "", "sparse: at its own block of N"},
      {"buckets", "", "hashed: at those that fall into the same of N buckets"},
      {"rank", "", "low rank: at N slots that keys and values are projected to along time"},
      {"pattern-heads", "", "local and global heads: the first N follow the pattern, the others see all"},
  };
  return systems;
}

}  // namespace fovea
