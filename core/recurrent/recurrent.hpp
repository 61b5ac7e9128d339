#pragma once

#include <vector>

#include "core/tensor.hpp"

// A recurrent layer over whole sequences, forward and backward. Blocks of items go through all of their steps
// on one thread; what is summed over items is summed in an order that shapes alone decide.

namespace fovea::inline FOVEA_REAL {

/// Items × steps of a layer of `hidden` units. A row [4 · hidden] or [3 · hidden] of inputs belongs to each
/// step, a row [hidden] of outputs.
struct Sequences {
  std::size_t items, steps, hidden;
  std::vector<std::size_t> lengths = {};  // of each item, at most `steps`; empty: all are that long
  bool reverse = false;                   // from each item's own last step to its first

  std::size_t length(std::size_t item) const { return lengths.empty() ? steps : lengths[item]; }
};

/// What a layer is computed from. A state [items, hidden] that is null is 0.
struct LstmInputs {
  const Real *inputs, *weight;  // [items, steps, 4 · hidden] and [4 · hidden, hidden]
  const Real *hidden, *cell;
};
struct GruInputs {
  const Real *inputs, *weight, *bias;  // [items, steps, 3 · hidden], [3 · hidden, hidden], [3 · hidden]
  const Real* hidden;
};

/// What backward needs of each step, in the order of the walk: rows [4 · hidden] of gates, for lstm also rows
/// [hidden] of cells. Null where nobody will ask for gradients.
struct RecurrentKept {
  Real *gates = nullptr, *cells = nullptr;
};

/// Where results go; all are written whole. `cell` is lstm's.
struct RecurrentResults {
  Real *outputs, *hidden, *cell;
  RecurrentKept kept = {};
};

/// What backward starts from: outputs as forward made them, and cotangents, of which those that are null are
/// zero.
struct RecurrentCotangents {
  const Real *gates, *cells;  // as kept
  const Real* outputs_value;  // [items, steps, hidden]
  const Real *outputs, *hidden, *cell;
};

/// Where gradients go; all but `inputs` may be null: not wanted.
struct RecurrentGradients {
  Real *inputs, *weight, *bias, *hidden, *cell;
};

void lstm_forward(const Sequences& s, const LstmInputs& in, const RecurrentResults& to);
void lstm_backward(const Sequences& s, const LstmInputs& in, const RecurrentCotangents& from,
                   const RecurrentGradients& to);
void gru_forward(const Sequences& s, const GruInputs& in, const RecurrentResults& to);
void gru_backward(const Sequences& s, const GruInputs& in, const RecurrentCotangents& from,
                  const RecurrentGradients& to);

}  // namespace fovea::inline FOVEA_REAL
