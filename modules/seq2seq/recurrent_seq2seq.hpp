#pragma once

#include "modules/attention/attention.hpp"
#include "modules/dropout.hpp"
#include "modules/embedding.hpp"
#include "modules/seq2seq/all_steps.hpp"
#include "modules/seq2seq/decoding.hpp"
#include "modules/seq2seq/settings.hpp"

namespace fovea::inline FOVEA_REAL {

/// A recurrent encoder-decoder with attention (Bahdanau et al., 2015): a bidirectional encoder reads the
/// source; before each step the decoder's last output asks for a context, which enters the step beside the
/// last token; the next token is read off output, context and last token together.
class RecurrentSeq2Seq {
 public:
  Embedding source, target;
  Recurrent encoder;
  Linear memory;  // from the encoder's outputs to keys and values of the decoder's width
  Linear start;   // from the encoder's last state to the decoder's first
  ScoredAttention attention;
  std::vector<RecurrentDirection> decoder;
  Linear readout;             // of [output, context, last token]
  std::optional<Linear> out;  // to the vocabulary; the target's table when tied
  Param out_bias;             // when tied
  FIELDS(source, target, encoder, memory, start, attention, decoder, readout, out, out_bias)

  RecurrentSeq2Seq() = default;
  RecurrentSeq2Seq(const Seq2SeqSettings& settings, Rng& rng);

  /// Logits [B, T, V] of the tokens that follow `inputs`, which begin with the token that begins sequences.
  /// Each input but the first is replaced, with a probability of `own`, by the model's own guess.
  Variable forward(const Padded& sources, const Padded& inputs, Pass& pass, double own = 0) const;
  /// Begins a sequence for each source. The model and `pass` must live as long.
  std::unique_ptr<Decoding> decode(const Padded& sources, Pass& pass) const;

 private:
  friend class RecurrentDecoding;
  struct State {
    std::vector<Variable> hidden, cell;  // of each layer, [B, width]
  };
  struct Step {
    Variable output, context, token;  // [B, width]
  };
  DecoderMemory encode(const Padded& sources, State& first, Pass& pass) const;
  Variable token(const Ids& ids, Pass& pass) const { return dropout_(target(ids), pass); }
  Step step(const Variable& token, const DecoderMemory& read, State& state, Pass& pass) const;
  bool at_once(const Pass& pass) const;
  Variable logits(const Variable& outputs, const Variable& contexts, const Variable& tokens,
                  Pass& pass) const;

  Cell cell_ = Cell::lstm;
  Dropout dropout_;
};

}  // namespace fovea::inline FOVEA_REAL
