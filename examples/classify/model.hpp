#pragma once

#include <optional>
#include <string>

#include "modules/attention/attention.hpp"
#include "modules/dropout.hpp"
#include "modules/embedding.hpp"
#include "modules/recurrent.hpp"
#include "modules/seq2seq/padded.hpp"

namespace fovea::inline FOVEA_REAL::classify {

struct ClassifierSettings {
  std::string model = "lstm", attention = "additive";
  std::size_t vocabulary = 0, grams = 0, classes = 0;  // grams: known n-grams, 0 for a model of tokens alone
  std::size_t width = 96, layers = 1;
  double dropout = 0;
};

/// Texts side by side, with the n-grams that are known around each of their tokens.
struct Texts {
  Padded tokens;                     // [B, T]
  Ids grams;                         // of all tokens, one after the other
  std::vector<std::size_t> offsets;  // where each token's begin, and the end of the last: [B · T + 1]
};

/// Logits [B, classes], and what the attention looked at: weights [B, T], entropy [B], as asked for.
struct Classified {
  Variable logits, weights, entropy;
};

/// Attention pooling (Yang et al., 2016; Lin et al., 2017): one learned query q asks all tokens of a text,
///
///     x_t = E[token] + Σ G[n-gram around it]      h = x, or of a bidirectional LSTM or GRU over it
///     w = softmax_t(score(q, h_t)), t < length    logits = W Σ_t w_t h_t + b
///
/// with any score. With `dot` and `scaled_dot` q is as wide as h. Tokens beyond a text's length have no
/// influence; a text without a token gives logits b.
struct Classifier {
  Embedding tokens;
  std::optional<EmbeddingBag> grams;
  std::optional<Recurrent> encoder;
  Param query;  // [1, width of h]
  ScoredAttention attention;
  Linear out;
  FIELDS(tokens, grams, encoder, query, attention, out)

  Classifier() = default;
  Classifier(const ClassifierSettings& settings, Rng& rng);

  Classified operator()(const Texts& texts, Pass& pass, const Want& want = {}) const;

 private:
  Dropout dropout_;
};

}  // namespace fovea::inline FOVEA_REAL::classify
