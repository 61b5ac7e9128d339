#pragma once

#include "modules/embedding.hpp"
#include "modules/seq2seq/decoding.hpp"
#include "modules/seq2seq/settings.hpp"
#include "modules/transformer.hpp"

namespace fovea::inline FOVEA_REAL {

/// A Transformer encoder-decoder (Vaswani et al., 2017) whose layers read normalised inputs, with sinusoidal
/// positions or rotary ones. Embeddings are multiplied by √width, as there.
class TransformerSeq2Seq {
 public:
  Embedding source, target;
  TransformerEncoder encoder;
  TransformerDecoder decoder;
  std::optional<Linear> out;  // to the vocabulary; the target's table when tied
  Param out_bias;             // when tied
  FIELDS(source, target, encoder, decoder, out, out_bias)

  TransformerSeq2Seq() = default;
  TransformerSeq2Seq(const Seq2SeqSettings& settings, Rng& rng);

  /// Logits [B, T, V] of the tokens that follow `inputs`, which begin with the token that begins sequences.
  /// With `own` above 0 the model first goes through `inputs`, then once more, each input but the first being
  /// replaced with this probability by what it guessed (Mihaylova, Martins, 2019).
  Variable forward(const Padded& sources, const Padded& inputs, Pass& pass, double own = 0) const;
  /// Begins a sequence for each source. The model and `pass` must live as long.
  std::unique_ptr<Decoding> decode(const Padded& sources, Pass& pass) const;

 private:
  friend class TransformerDecoding;
  Variable embed(const Embedding& table, const Ids& ids, std::size_t first, Pass& pass) const;
  Variable encode(const Padded& sources, Pass& pass) const;
  Variable logits(const Variable& x) const;
  Variable taught(const Variable& memory, const Padded& sources, const Padded& inputs, Pass& pass) const;

  Dropout dropout_;
  bool adds_positions_ = true;  // else queries and keys are turned by them, or nothing tells of them
};

}  // namespace fovea::inline FOVEA_REAL
