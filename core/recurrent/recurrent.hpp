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

  /// Steps of all items, without those beyond their lengths.
  std::size_t rows() const;
  std::size_t length(std::size_t item) const { return lengths.empty() ? steps : lengths[item]; }
};

/// What a layer is computed from: weight [gates · hidden, hidden], bias [gates · hidden], and states [items,
/// hidden], of which one that is null is 0. The inputs are [items, steps, gates · hidden]; or, for lstm,
/// null: then they are x input_weightᵀ + bias, with x [items, steps, width] and input_weight [4 · hidden,
/// width].
struct RecurrentInputs {
  const Real *inputs, *weight, *bias, *hidden, *cell;
  const Real *x = nullptr, *input_weight = nullptr;
  std::size_t width = 0;
};

/// What backward needs of each step, a row for each of `Sequences::rows()`: gates [4 · hidden], what the
/// weights were multiplied with [hidden + width], the output before and x, and for lstm the cell [hidden].
struct RecurrentKept {
  Real *gates = nullptr, *seen = nullptr, *cells = nullptr;
};

/// Where results go; all are written whole. `kept` is null where nobody will ask for gradients.
struct RecurrentResults {
  Real *outputs, *hidden, *cell;
  RecurrentKept kept = {};
};

/// What backward starts from: what was kept, and cotangents, of which those that are null are zero.
struct RecurrentCotangents {
  RecurrentKept kept;
  const Real *outputs, *hidden, *cell;
};

/// Where gradients go; those that are null are not wanted.
struct RecurrentGradients {
  Real *inputs = nullptr, *weight = nullptr, *bias = nullptr, *hidden = nullptr, *cell = nullptr;
  Real *x = nullptr, *input_weight = nullptr;
};

void lstm_forward(const Sequences& s, const RecurrentInputs& in, const RecurrentResults& to);
void lstm_backward(const Sequences& s, const RecurrentInputs& in, const RecurrentCotangents& from,
                   const RecurrentGradients& to);
void gru_forward(const Sequences& s, const RecurrentInputs& in, const RecurrentResults& to);
void gru_backward(const Sequences& s, const RecurrentInputs& in, const RecurrentCotangents& from,
                  const RecurrentGradients& to);

}  // namespace fovea::inline FOVEA_REAL
