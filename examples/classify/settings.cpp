#include "examples/classify/settings.hpp"

#include "training/attention_options.hpp"

namespace fovea::inline FOVEA_REAL::classify {

void Config::describe(Options& options) {
  options.add("data", data, "lines `label TAB text` to learn from; empty: places and their countries");
  options.add(
      "dev", dev,
      "lines to choose the model by; empty: one in 10 texts of --data, and without --test as many to test");
  options.add("test", test, "lines to test with; `evaluate` needs no others then").also_later();
  options.add("tokens", tokens, "what a text is cut into: letters, words, or what stands between spaces")
      .choices({"letters", "words", "spaced"});
  options.add("case", letter_case, "lower: make texts lower case; keep: as they stand")
      .choices({"lower", "keep"});
  options.add("min-count", min_count, "tokens that occur fewer times are unknown").between(1, 1e9);
  options.add("max-vocab", max_vocab, "most tokens of the vocabulary; 0: any number").between(0, 1e9);
  options.add("model", model, "what is attended to: the tokens' embeddings, or what is read from both ends")
      .choices({"embedding", "lstm", "gru"});
  describe_attention(attention, options, "how the learned query is scored against each token");
  options
      .add("evidence", evidence,
           "naive-bayes: n-grams around a token also vote, by how often each label has them; none: they do "
           "not")
      .choices({"naive-bayes", "none"});
  options.add("width", width, "of embeddings, and of states in each direction").between(1, 65536);
  options.add("layers", layers, "that read the text").between(1, 100).only_with("model", {"lstm", "gru"});
  options.add("grams", grams, "a token's embedding knows of n-grams around it, up to this n; 1: of none")
      .between(1, 8);
  options
      .add("token-dropout", token_dropout,
           "part of the tokens that are read as unknown while training, with the n-grams they are in")
      .between(0, 0.99);
  options.add("dropout", dropout, "of what goes from part to part").between(0, 0.99);
  options.add("label-smoothing", label_smoothing, "of the label, spread over all classes").between(0, 0.99);
  options.add("n-best", n_best, "labels to print for each line").between(1, 1000).may_change().also_later();
  options.add("explain", explain, "print what was looked at, and the likeliest labels")
      .may_change()
      .also_later();
}

ClassifierSettings Config::model_settings(std::size_t vocabulary, std::size_t gram_rows, std::size_t classes,
                                          std::size_t orders) const {
  return {.model = model,
          .attention = attention,
          .vocabulary = vocabulary,
          .grams = gram_rows,
          .classes = classes,
          .orders = orders,
          .width = width,
          .layers = layers,
          .dropout = dropout};
}

}  // namespace fovea::inline FOVEA_REAL::classify
