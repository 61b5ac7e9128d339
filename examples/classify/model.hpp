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
  std::string model = "lstm";
  AttentionSettings attention = {};
  std::size_t vocabulary = 0, grams = 0, classes = 0;  // grams: known n-grams, 0 for a model of tokens alone
  std::size_t orders = 0;                              // of the evidence, 0 for a model without
  std::size_t width = 128, layers = 1;
  double dropout = 0;
};

/// Texts side by side, with the n-grams that are known around each of their tokens.
struct Texts {
  Padded tokens;                     // [B, T]
  Ids grams;                         // of all tokens, one after the other
  std::vector<std::size_t> offsets;  // where each token's begin, and the end of the last: [B · T + 1]
  Variable evidence;                 // [B, T · orders, classes], for a model that takes it: see evidence.hpp
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
/// With evidence e (NaiveBayes::evidence) the tokens also vote, each as much as it is looked at:
///
///     logits += T Σ_t w_t Σ_n s_n e_{t, n}
///
/// with T the text's length and a learned scale s_n for n-grams of each length. With equal weights, s = 1,
/// W = 0 and the classes' log shares in b that is naive Bayes. It counts each letter once for every n-gram
/// that holds it, which is too sure of itself; so s starts small. (Wang and Manning, 2012, start a linear
/// model from such ratios.)
///
/// The score is any. With `dot` and `scaled_dot` q is as wide as h. Tokens beyond a text's length have no
/// influence; a text without a token gives logits b.
struct Classifier {
  Embedding tokens;
  std::optional<EmbeddingBag> grams;
  std::optional<Recurrent> encoder;
  Param query;  // [1, width of h]
  ScoredAttention attention;
  Linear out;
  Param scales;  // [orders]; undefined without evidence
  FIELDS(tokens, grams, encoder, query, attention, out, scales)

  Classifier() = default;
  Classifier(const ClassifierSettings& settings, Rng& rng);

  Classified operator()(const Texts& texts, Pass& pass, const Want& want = {}) const;

 private:
  Variable votes(const Variable& weights, const Texts& texts) const;
  Dropout dropout_;
};

}  // namespace fovea::inline FOVEA_REAL::classify
