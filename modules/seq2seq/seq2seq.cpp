#include "modules/seq2seq/seq2seq.hpp"

namespace fovea::inline FOVEA_REAL {

Seq2Seq make_seq2seq(const Seq2SeqSettings& settings, Rng& rng) {
  if (settings.model == "transformer") return TransformerSeq2Seq(settings, rng);
  if (settings.model == "lstm" || settings.model == "gru") return RecurrentSeq2Seq(settings, rng);
  throw ConfigError("[seq2seq] there is no model \"" + settings.model +
                    "\"; known are lstm, gru, transformer");
}

}  // namespace fovea::inline FOVEA_REAL
