#pragma once

#include <optional>
#include <string>
#include <vector>

#include "autograd/ops.hpp"
#include "modules/embedding.hpp"
#include "modules/pass.hpp"

namespace fovea::inline FOVEA_REAL {

enum class Cell { lstm, gru };

/// `lstm` or `gru`; ConfigError for any other.
Cell cell_named(const std::string& name);

/// A layer in one direction, parametrised as PyTorch's: the gates' rows lie one below the other, i f g o for
/// lstm and r z n for gru. weight_ih starts as Xavier uniform gate by gate, weight_hh orthogonal gate by
/// gate, biases at zero but for the forget gate's, whose bias_ih is 1 (Jozefowicz et al., 2015).
struct RecurrentDirection {
  Param weight_ih, weight_hh;  // [gates · H, inputs] and [gates · H, H]
  Param bias_ih, bias_hh;      // [gates · H]
  FIELDS(weight_ih, weight_hh, bias_ih, bias_hh)

  RecurrentDirection() = default;
  RecurrentDirection(Cell cell, std::size_t inputs, std::size_t hidden, Rng& rng);

  /// x [B, T, inputs]; the state as of the ops `lstm` and `gru`.
  Recurrence operator()(Cell cell, const Variable& x, const Variable& hidden, const Variable& cell_state,
                        const RecurrenceOptions& options) const;
  /// The same of x = embedding(ids), ids [B, T].
  Recurrence operator()(Cell cell, const Embedding& embedding, const Ids& ids, const Variable& hidden,
                        const Variable& cell_state, const RecurrenceOptions& options) const;
};

struct RecurrentLayer {
  RecurrentDirection forward;
  std::optional<RecurrentDirection> backward;
  FIELDS(forward, backward)
};

/// The state of all layers: [layers · directions, B, H], in PyTorch's order (layer by layer, forward before
/// backward). Undefined: zero. `cell` is for lstm alone.
struct RecurrentState {
  Variable hidden, cell;
};

struct RecurrentResult {
  Variable outputs;      // [B, T, directions · H], of the last layer; 0 beyond an item's length
  RecurrentState state;  // after the last step of each item
};

struct RecurrentSettings {
  std::size_t layers = 1;
  bool bidirectional = false;
  double dropout = 0;  // of the outputs of all layers but the last
};

/// Layers of LSTM or GRU (see the ops of these names). An item of a padded batch gets what it gets alone.
struct Recurrent {
  Cell cell = Cell::lstm;
  std::size_t hidden = 0;
  double dropout = 0;
  std::vector<RecurrentLayer> layers;
  FIELDS(layers)

  Recurrent() = default;
  Recurrent(Cell cell, std::size_t inputs, std::size_t hidden, Rng& rng,
            const RecurrentSettings& settings = {});

  std::size_t directions() const { return layers.at(0).backward ? 2 : 1; }
  std::size_t inputs() const { return layers.at(0).forward.weight_ih.shape()[1]; }
  std::size_t outputs() const { return directions() * hidden; }

  /// x [B, T, inputs]; `lengths` as of the ops, empty where nothing is padded.
  RecurrentResult operator()(const Variable& x, Pass& pass, const std::vector<std::size_t>& lengths = {},
                             const RecurrentState& start = {}) const;
  /// The same of x = embedding(ids), ids [B, T].
  RecurrentResult operator()(const Embedding& embedding, const Ids& ids, Pass& pass,
                             const std::vector<std::size_t>& lengths = {},
                             const RecurrentState& start = {}) const;

 private:
  template <class First>
  RecurrentResult run(std::size_t items, const First& first, Pass& pass,
                      const std::vector<std::size_t>& lengths, const RecurrentState& start) const;
};

struct LSTM : Recurrent {
  LSTM() = default;
  LSTM(std::size_t inputs, std::size_t units, Rng& rng, const RecurrentSettings& settings = {})
      : Recurrent(Cell::lstm, inputs, units, rng, settings) {}
};

struct GRU : Recurrent {
  GRU() = default;
  GRU(std::size_t inputs, std::size_t units, Rng& rng, const RecurrentSettings& settings = {})
      : Recurrent(Cell::gru, inputs, units, rng, settings) {}
};

}  // namespace fovea::inline FOVEA_REAL
