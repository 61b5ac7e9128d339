#pragma once

#include <string>

#include "modules/attention/head_settings.hpp"
#include "modules/attention/settings.hpp"
#include "modules/seq2seq/padded.hpp"

namespace fovea {

/// What an encoder-decoder is made of. Ids of both vocabularies start with the padding, 0.
struct Seq2SeqSettings {
  std::string model = "lstm";        // lstm, gru or transformer
  AttentionSettings attention = {};  // transformer: the score alone, where its heads have none
  std::size_t source_vocabulary = 0, target_vocabulary = 0;
  std::size_t width = 128;                      // of embeddings and states
  std::size_t layers = 1;                       // of the encoder and of the decoder
  std::size_t heads = 4;                        // transformer
  std::size_t inner = 512;                      // transformer: width inside the feed-forward part
  std::string activation = "relu";              // transformer: relu or gelu
  HeadSettings self_attention = {.score = ""};  // transformer; see across for heads that look at the source
  std::string positions = "sinusoidal";         // transformer: sinusoidal, rotary or none
  double dropout = 0.1;
  bool tied = false;       // the target's embedding is the last layer's weight, too
  bool recompute = false;  // transformer: as of TransformerSettings
};

}  // namespace fovea
