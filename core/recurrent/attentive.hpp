#pragma once

#include "core/attention/stream.hpp"
#include "core/recurrent/recurrent.hpp"

// An lstm that asks for a context before each step (Bahdanau et al., 2015): its last output, projected, is
// the query of an attention, and what that finds enters the step beside the inputs.

namespace fovea::inline FOVEA_REAL {

/// As RecurrentInputs, and the weights of the context [4 · hidden, value_width] and of the query [width,
/// hidden]. The attention, of one head, says how many items and steps there are (each step is a query), and
/// what keys, values, v and mask are; its queries are filled in here. All items are as long as the sequences.
struct AttentiveInputs {
  const Real *inputs, *weight, *context_weight, *query_weight, *hidden, *cell;
  Attention attention;
};

/// What backward needs, a row for each of items × steps: gates [4 · hidden]; what the weights were multiplied
/// with [hidden + value_width], the output before and the context; the cell [hidden]; the query [width]. And
/// what the attention keeps.
struct AttentiveKept {
  Real *gates = nullptr, *seen = nullptr, *cells = nullptr, *queries = nullptr;
  RowStatistics* rows = nullptr;
};

/// outputs [items, steps, hidden], contexts [items, steps, value_width]. All are written whole. `kept` is
/// null where nobody will ask for gradients.
struct AttentiveResults {
  Real *outputs, *hidden, *cell, *contexts;
  AttentiveKept kept = {};
};

/// Cotangents; those that are null are zero.
struct AttentiveCotangents {
  AttentiveKept kept;
  const Real *outputs, *hidden, *cell, *contexts;
};

/// Where gradients go; those that are null are not wanted.
struct AttentiveGradients {
  Real *inputs = nullptr, *weight = nullptr, *context_weight = nullptr, *query_weight = nullptr,
       *hidden = nullptr, *cell = nullptr;
  Matrices<Real> key = {}, value = {};
  Real* v = nullptr;
};

void attentive_lstm_forward(std::size_t units, const AttentiveInputs& in, const AttentiveResults& to);
void attentive_lstm_backward(std::size_t units, const AttentiveInputs& in, const AttentiveCotangents& from,
                             const AttentiveGradients& to);

}  // namespace fovea::inline FOVEA_REAL
