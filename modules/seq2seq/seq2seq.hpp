#pragma once

#include <variant>

#include "modules/seq2seq/recurrent_seq2seq.hpp"
#include "modules/seq2seq/transformer_seq2seq.hpp"

namespace fovea::inline FOVEA_REAL {

/// Any encoder-decoder.
using Seq2Seq = std::variant<RecurrentSeq2Seq, TransformerSeq2Seq>;

/// By `settings.model`: `lstm`, `gru` or `transformer`; ConfigError for any other, and for an attention that
/// it does not have.
Seq2Seq make_seq2seq(const Seq2SeqSettings& settings, Rng& rng);

inline Variable forward(const Seq2Seq& model, const Padded& sources, const Padded& inputs, Pass& pass,
                        double own = 0) {
  return std::visit([&](const auto& kind) { return kind.forward(sources, inputs, pass, own); }, model);
}
inline std::unique_ptr<Decoding> decode(const Seq2Seq& model, const Padded& sources, Pass& pass) {
  return std::visit([&](const auto& kind) { return kind.decode(sources, pass); }, model);
}

}  // namespace fovea::inline FOVEA_REAL
