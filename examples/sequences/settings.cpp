#include "examples/sequences/settings.hpp"

#include <algorithm>
#include <cmath>

#include "core/check.hpp"
#include "core/number.hpp"
#include "training/attention_options.hpp"

namespace fovea::inline FOVEA_REAL::sequences {

void SequenceConfig::describe(Options& options) {
  options.add("model", model, "encoder and decoder").choices({"lstm", "gru", "transformer"});
  describe_attention(attention, options,
                     "how the decoder's state is scored against the source; transformer: how every head "
                     "scores, by additive, dot, scaled_dot, linear or random_features",
                     "model", {"lstm", "gru"})
      .choices(attention_or_head_names());
  options.add("width", width, "of embeddings and states").between(1, 65536);
  options.add("layers", layers, "of the encoder and of the decoder").between(1, 100);
  options.add("heads", heads, "attentions side by side, which divide the width")
      .between(1, 1024)
      .only_with("model", {"transformer"});
  options.add("inner", inner, "width inside the feed-forward parts")
      .between(1, 1048576)
      .only_with("model", {"transformer"});
  options.add("activation", activation, "inside the feed-forward parts")
      .choices({"relu", "gelu"})
      .only_with("model", {"transformer"});
  describe_heads(self_attention, options);
  options.add("rank-length", self_attention.longest, "longest source that low-rank heads can take")
      .between(1, 1 << 20)
      .only_with("model", {"transformer"});
  options
      .add("positions", positions,
           "how a place in the sequence is told: added to embeddings; queries and keys turned by it; not at "
           "all")
      .choices({"sinusoidal", "rotary", "none"})
      .only_with("model", {"transformer"});
  options.add("dropout", dropout, "of what goes from part to part").between(0, 0.99);
  options.add("tied", tied, "let the last layer's weight be the target's embedding");
  options
      .add("recompute", recompute,
           "compute each layer again in the backward pass: less memory, about a quarter more time")
      .only_with("model", {"transformer"})
      .may_change();
  options.add("label-smoothing", label_smoothing, "of the target, spread over all tokens").between(0, 0.99);
  options
      .add("teacher-forcing", teacher_forcing,
           "how the part of right tokens among the decoder's inputs falls; the others are its own guesses")
      .choices({"constant", "linear", "inverse-sigmoid"});
  options.add("teacher-floor", teacher_floor, "the part of right inputs where it ends; constant: always")
      .between(0, 1);
  options.add("teacher-steps", teacher_steps, "steps until it ends there")
      .between(1, 1e12)
      .only_with("teacher-forcing", {"linear", "inverse-sigmoid"});
  options.add("guide", guide, "none, or diagonal:N: lead attention along the diagonal in the first N steps");
  options.add("beam", beam, "sequences followed at once when a model is measured or asked; 1 is greedy")
      .between(1, 1000)
      .may_change()
      .also_later();
  options.add("n-best", n_best, "answers to print for each line, at most --beam")
      .between(1, 1000)
      .may_change()
      .also_later();
  options.add("length-power", length_power, "answers are ranked by log p / length to this power")
      .between(0, 10)
      .may_change()
      .also_later();
  options.add("alignment", alignment, "print the attention with each answer").may_change().also_later();
}

std::uint64_t SequenceConfig::guided_steps() const {
  if (guide == "none") return 0;
  if (const auto steps = number_behind("diagonal:", guide); steps && *steps > 0) return *steps;
  throw ConfigError("--guide: expected none or diagonal:N with a number of steps N from 1 on, got \"" +
                    guide + "\"");
}

double SequenceConfig::own_inputs(std::uint64_t step) const {
  const double most = 1 - teacher_floor;
  if (teacher_forcing == "constant") return most;
  const double done = std::min(1.0, static_cast<double>(step) / static_cast<double>(teacher_steps));
  if (teacher_forcing == "linear") return most * done;
  // k / (k + exp(i / k)) of Bengio et al. (2015), laid out so that it is 0 first and 1 in the end.
  const auto sigmoid = [](double x) { return 1 / (1 + std::exp(-x)); };
  const double low = sigmoid(-6), high = sigmoid(6);
  return most * (sigmoid(12 * done - 6) - low) / (high - low);
}

void SequenceConfig::shrink() {
  if (!counts_heads(self_attention)) heads = 2;
  width = 2 * heads;
  self_attention.rank = std::min<std::uint64_t>(self_attention.rank, 2);
  inner = 4;
  activation = "gelu";
}

Seq2SeqSettings SequenceConfig::model_settings(std::size_t source_vocabulary,
                                               std::size_t target_vocabulary) const {
  check<ConfigError>(self_attention.rank > 0 || self_attention.longest == HeadSettings().longest,
                     "--rank-length", "means nothing without a --rank; leave it out");
  return {.model = model,
          .attention = attention,
          .source_vocabulary = source_vocabulary,
          .target_vocabulary = target_vocabulary,
          .width = width,
          .layers = layers,
          .heads = heads,
          .inner = inner,
          .activation = activation,
          .self_attention = self_attention,
          .positions = positions,
          .dropout = dropout,
          .tied = tied,
          .recompute = recompute};
}

}  // namespace fovea::inline FOVEA_REAL::sequences
