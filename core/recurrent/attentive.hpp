#pragma once

#include "core/attention/stream.hpp"
#include "core/recurrent/recurrent.hpp"

// An lstm that asks for a context before each step (Bahdanau et al., 2015): its last output, projected, is
// the query of an attention, and what that finds enters the step beside the inputs.

namespace fovea::inline FOVEA_REAL {

/// As RecurrentInputs, with all items as long as the sequences. Beside them the weights of the context [4 ·
/// hidden, value_width] and of the query [width, hidden]. The attention, of one head, says what keys, values,
/// v and mask are; its queries are filled in here.
struct AttentiveInputs {
  const Real *inputs, *weight, *context_weight, *query_weight, *hidden, *cell;
  Attention attention;
};

/// What backward needs, a row for each of items × steps: gates [4 · hidden]; what the weights were multiplied
/// with [hidden + value_width], the output before and the context; the cell [hidden]; the query, filled up to
/// `query_step`. And what the attention keeps.
struct AttentiveKept {
  Real *gates = nullptr, *seen = nullptr, *cells = nullptr, *queries = nullptr;
  RowStatistics* rows = nullptr;
};
/// Elements from row to row of the queries that are kept.
std::size_t query_step(const Attention& attention);

/// outputs [items, steps, hidden], contexts [items, steps, value_width]. All are written whole. `kept` is
/// null where nobody will ask for gradients.
struct AttentiveResults {
  Real *outputs, *contexts, *hidden, *cell;
  AttentiveKept kept = {};
};

/// Cotangents; those that are null are zero.
struct AttentiveCotangents {
  AttentiveKept kept;
  const Real *outputs, *contexts, *hidden, *cell;
};

/// Where gradients go; those that are null are not wanted.
struct AttentiveGradients {
  Real *inputs = nullptr, *weight = nullptr, *context_weight = nullptr, *query_weight = nullptr,
       *hidden = nullptr, *cell = nullptr;
  Matrices<Real> key = {}, value = {};
  Real* v = nullptr;
};

void attentive_lstm_forward(const Sequences& s, const AttentiveInputs& in, const AttentiveResults& to);
void attentive_lstm_backward(const Sequences& s, const AttentiveInputs& in, const AttentiveCotangents& from,
                             const AttentiveGradients& to);

}  // namespace fovea::inline FOVEA_REAL
