#pragma once

#include "modules/attention/score.hpp"
#include "modules/recurrent.hpp"

namespace fovea::inline FOVEA_REAL {

/// What a decoder reads: `prepared` by its attention, and values [B, S, width].
struct DecoderMemory {
  std::vector<Variable> prepared;
  Variable values;
  Mask mask = {};
};

/// All steps of an lstm decoder whose tokens are known, by attentive_lstm: the input of a step is [token,
/// context], each half of it, the context being what the output before finds. `gates_of(weight, bias)` is
/// linear(tokens, weight, bias) of all steps, [B, T, 4H]. ConfigError for a score whose query has a bias.
template <class GatesOf>
Recurrence all_steps(const RecurrentDirection& layer, const AdditiveScore& score, const GatesOf& gates_of,
                     const DecoderMemory& read, const Variable& hidden, const Variable& cell) {
  check<ConfigError>(
      !score.query.bias.defined(), "all_steps",
      "the score's query has a bias, which attentive_lstm has no place for: give it to the key");
  const std::vector<Variable> weights = split(layer.weight_ih, 1, 2);  // of the token, of the context
  return attentive_lstm(gates_of(weights[0], add(layer.bias_ih, layer.bias_hh)),
                        {layer.weight_hh, weights[1], score.query.weight, score.v}, read.prepared.at(0),
                        read.values, hidden, cell, read.mask);
}

}  // namespace fovea::inline FOVEA_REAL
