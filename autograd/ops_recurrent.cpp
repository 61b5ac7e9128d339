#include "autograd/ops.hpp"
#include "autograd/wanted.hpp"
#include "core/recurrent/recurrent.hpp"

namespace fovea::inline FOVEA_REAL {
namespace {

Sequences sequences_of(const Op& op, const Variable& inputs, std::size_t hidden,
                       const RecurrenceOptions& options) {
  const std::size_t items = inputs.shape()[0], steps = inputs.shape()[1];
  check(options.lengths.empty() || options.lengths.size() == items, op, options.lengths.size(),
        " lengths; expected one for each of the ", items, " items of inputs ", inputs.shape());
  for (std::size_t i = 0; i < options.lengths.size(); ++i) {
    check(options.lengths[i] <= steps, op, "item ", i, " has length ", options.lengths[i],
          ", but the inputs ", inputs.shape(), " have ", steps, " steps");
  }
  return {items, steps, hidden, options.lengths, options.reverse};
}

/// Of inputs that are made for `gates` gates.
Sequences gated_sequences(const Op& op, std::size_t gates, const Variable& inputs, const Variable& weight,
                          const RecurrenceOptions& options) {
  check(inputs.rank() == 3 && inputs.length(-1) % gates == 0, op, "the inputs have shape ", inputs.shape(),
        "; expected [batch, time, ", gates, " · hidden]");
  const std::size_t hidden = inputs.shape()[2] / gates;
  check(weight.shape() == Shape{gates * hidden, hidden}, op, "the weight has shape ", weight.shape(),
        "; expected ", Shape{gates * hidden, hidden}, " to match inputs ", inputs.shape());
  return sequences_of(op, inputs, hidden, options);
}

void check_bias(const Op& op, const Variable& bias, const Variable& weight) {
  check(bias.shape() == Shape{weight.shape()[0]}, op, "the bias has shape ", bias.shape(), "; expected ",
        Shape{weight.shape()[0]}, " to match the weight ", weight.shape());
}

void check_state(const Op& op, const char* name, const Variable& state, const Sequences& s) {
  check(!state.defined() || state.shape() == Shape{s.items, s.hidden}, op, "the ", name, " state has shape ",
        state.defined() ? state.shape() : Shape{}, "; expected ", Shape{s.items, s.hidden},
        ": one row for each item");
}

/// In the order of their gradients. Undefined ones are not there: inputs or x and their weight, a bias, a
/// state.
struct Inputs {
  Variable inputs = {}, x = {}, input_weight = {}, weight = {}, bias = {}, hidden = {}, cell = {};

  std::vector<Variable> all() const { return {inputs, x, input_weight, weight, bias, hidden, cell}; }
};

/// What a recorded call keeps for its backward pass. Inputs are not among it: gates, and what was seen, tell
/// enough.
struct Saved {
  Sequences sequences;
  std::size_t width;
  WantedGradients wanted;
  Value input_weight, weight, bias, hidden, cell;
  Tensor kept_gates = {}, seen = {}, cells = {};
};

using Forward = void (*)(const Sequences&, const RecurrentInputs&, const RecurrentResults&);
using Backward = void (*)(const Sequences&, const RecurrentInputs&, const RecurrentCotangents&,
                          const RecurrentGradients&);

RecurrentInputs pointers(const Saved& saved) {
  RecurrentInputs in{nullptr, data_of(saved.weight), data_of(saved.bias), data_of(saved.hidden),
                     data_of(saved.cell)};
  in.input_weight = data_of(saved.input_weight);
  in.width = saved.width;
  return in;
}

Gradients gradients_of(Saved& saved, Backward backward, Cotangents dy) {
  auto [gradients, at] = saved.wanted.room();
  backward(saved.sequences, pointers(saved),
           {{saved.kept_gates.data(), saved.seen.data(), saved.cells.data()},
            data_of(dy[0]),
            data_of(dy[1]),
            dy.size() > 2 ? data_of(dy[2]) : nullptr},
           {at[0], at[3], at[4], at[5], at[6], at[1], at[2]});
  return gradients;
}

/// Checks are done; `cells` for lstm.
Recurrence run(const Op& op, const Sequences& s, const Inputs& of, bool cells, Forward forward,
               Backward backward) {
  const std::vector<Variable> inputs = of.all();
  const std::size_t width = of.x.defined() ? of.x.shape()[2] : 0;
  auto saved = std::make_shared<Saved>(Saved{s, width, WantedGradients(inputs), of.input_weight.shared(),
                                             of.weight.shared(), of.bias.shared(), of.hidden.shared(),
                                             of.cell.shared()});
  Tensor outputs = uninitialized({s.items, s.steps, s.hidden}), hidden = uninitialized({s.items, s.hidden});
  Tensor cell = uninitialized({cells ? s.items : 0, s.hidden});
  RecurrentResults to{outputs.data(), hidden.data(), cell.data()};
  if (saved->wanted.recorded()) {
    saved->kept_gates = uninitialized({s.rows(), 4 * s.hidden});
    saved->seen = uninitialized({s.rows(), s.hidden + width});
    saved->cells = uninitialized({cells ? s.rows() : 0, s.hidden});
    to.kept = {saved->kept_gates.data(), saved->seen.data(), saved->cells.data()};
  }
  RecurrentInputs in = pointers(*saved);
  in.inputs = data_of(of.inputs.shared());
  in.x = data_of(of.x.shared());
  forward(s, in, to);

  std::vector<Value> values{share(std::move(outputs)), share(std::move(hidden))};
  if (cells) values.push_back(share(std::move(cell)));
  const std::vector<Variable> out =
      record_joint(op, std::move(values), inputs,
                   [saved, backward](Cotangents dy) { return gradients_of(*saved, backward, dy); });
  return {out[0], out[1], cells ? out[2] : Variable()};
}

}  // namespace

static const Op lstm_op{"lstm"};

Recurrence lstm(const Variable& inputs, const Variable& weight, const Variable& hidden, const Variable& cell,
                const RecurrenceOptions& options) {
  const Sequences s = gated_sequences(lstm_op, 4, inputs, weight, options);
  check_state(lstm_op, "hidden", hidden, s);
  check_state(lstm_op, "cell", cell, s);
  return run(lstm_op, s, {.inputs = inputs, .weight = weight, .hidden = hidden, .cell = cell}, true,
             lstm_forward, lstm_backward);
}

static const Op lstm_layer_op{"lstm_layer"};

Recurrence lstm_layer(const Variable& x, const Variable& input_weight, const Variable& weight,
                      const Variable& bias, const Variable& hidden, const Variable& cell,
                      const RecurrenceOptions& options) {
  const Op& op = lstm_layer_op;
  check(weight.rank() == 2 && weight.shape()[0] == 4 * weight.shape()[1], op, "the weight has shape ",
        weight.shape(), "; expected [4 · hidden, hidden]");
  check(x.rank() == 3 && input_weight.shape() == Shape{weight.shape()[0], x.shape()[2]}, op,
        "the input has shape ", x.shape(), " and its weight ", input_weight.shape(),
        "; expected [batch, time, width] and [", weight.shape()[0], ", width]");
  if (bias.defined()) check_bias(op, bias, weight);
  const Sequences s = sequences_of(op, x, weight.shape()[1], options);
  check_state(op, "hidden", hidden, s);
  check_state(op, "cell", cell, s);
  return run(
      op, s,
      {.x = x, .input_weight = input_weight, .weight = weight, .bias = bias, .hidden = hidden, .cell = cell},
      true, lstm_forward, lstm_backward);
}

static const Op gru_op{"gru"};

Recurrence gru(const Variable& inputs, const Variable& weight, const Variable& bias, const Variable& hidden,
               const RecurrenceOptions& options) {
  const Sequences s = gated_sequences(gru_op, 3, inputs, weight, options);
  check_bias(gru_op, bias, weight);
  check_state(gru_op, "hidden", hidden, s);
  return run(gru_op, s, {.inputs = inputs, .weight = weight, .bias = bias, .hidden = hidden}, false,
             gru_forward, gru_backward);
}

}  // namespace fovea::inline FOVEA_REAL
