#include "autograd/ops.hpp"
#include "autograd/record.hpp"
#include "core/recurrent/recurrent.hpp"

namespace fovea::inline FOVEA_REAL {
namespace {

Sequences sequences_of(const Op& op, std::size_t gates, const Variable& inputs, const Variable& weight,
                       const RecurrenceOptions& options) {
  check(inputs.rank() == 3 && inputs.length(-1) % gates == 0, op, "the inputs have shape ", inputs.shape(),
        "; expected [batch, time, ", gates, " · hidden]");
  const std::size_t items = inputs.shape()[0], steps = inputs.shape()[1], hidden = inputs.shape()[2] / gates;
  check(weight.shape() == Shape{gates * hidden, hidden}, op, "the weight has shape ", weight.shape(),
        "; expected ", Shape{gates * hidden, hidden}, " to match inputs ", inputs.shape());
  check(options.lengths.empty() || options.lengths.size() == items, op, options.lengths.size(),
        " lengths; expected one for each of the ", items, " items of inputs ", inputs.shape());
  for (std::size_t i = 0; i < options.lengths.size(); ++i) {
    check(options.lengths[i] <= steps, op, "item ", i, " has length ", options.lengths[i],
          ", but the inputs ", inputs.shape(), " have ", steps, " steps");
  }
  return {items, steps, hidden, options.lengths, options.reverse};
}

void check_state(const Op& op, const char* name, const Variable& state, const Sequences& s) {
  check(!state.defined() || state.shape() == Shape{s.items, s.hidden}, op, "the ", name, " state has shape ",
        state.defined() ? state.shape() : Shape{}, "; expected ", Shape{s.items, s.hidden},
        ": one row for each item");
}

const Real* data_of(const Value& value) { return value ? value->data() : nullptr; }

/// What a recorded call keeps for its backward pass. Inputs are not among it: the gates tell enough.
struct Saved {
  Sequences sequences;
  Value weight, bias, hidden, cell;
  bool weight_wanted, bias_wanted, hidden_wanted, cell_wanted;
  Tensor gates = {}, cells = {};
  Value outputs = {};
};

/// A gradient that is wanted gets memory and a place among the results.
Real* make(bool wanted, const Shape& shape, Value& into) {
  if (!wanted) return nullptr;
  auto made = std::make_shared<Tensor>(uninitialized(shape));
  into = made;
  return made->data();
}

/// In the order of inputs, weight, bias, hidden, cell.
struct Made {
  Value inputs, weight, bias, hidden, cell;
  RecurrentGradients at;

  Made(const Saved& saved, std::size_t gates) {
    const Sequences& s = saved.sequences;
    at.inputs = make(true, {s.items, s.steps, gates * s.hidden}, inputs);
    at.weight = make(saved.weight_wanted, {gates * s.hidden, s.hidden}, weight);
    at.bias = make(saved.bias_wanted, {gates * s.hidden}, bias);
    at.hidden = make(saved.hidden_wanted, {s.items, s.hidden}, hidden);
    at.cell = make(saved.cell_wanted, {s.items, s.hidden}, cell);
  }
};

/// Memory for what the walk keeps, where there will be a backward pass.
RecurrentKept keep(bool recorded, Saved& saved, bool with_cells) {
  if (!recorded) return {};
  const Sequences& s = saved.sequences;
  saved.gates = uninitialized({s.items * s.steps, 4 * s.hidden});
  if (with_cells) saved.cells = uninitialized({s.items * s.steps, s.hidden});
  return {saved.gates.data(), with_cells ? saved.cells.data() : nullptr};
}

bool recorded(std::initializer_list<const Variable*> inputs) {
  if (!recording()) return false;
  for (const Variable* input : inputs) {
    if (input->tracked()) return true;
  }
  return false;
}

}  // namespace

static const Op lstm_op{"lstm"};

Recurrence lstm(const Variable& inputs, const Variable& weight, const Variable& hidden, const Variable& cell,
                const RecurrenceOptions& options) {
  const Sequences s = sequences_of(lstm_op, 4, inputs, weight, options);
  check_state(lstm_op, "hidden", hidden, s);
  check_state(lstm_op, "cell", cell, s);
  auto saved = std::make_shared<Saved>(Saved{s,
                                             weight.shared(),
                                             {},
                                             hidden.shared(),
                                             cell.shared(),
                                             weight.tracked(),
                                             false,
                                             hidden.tracked(),
                                             cell.tracked()});
  Tensor outputs = uninitialized({s.items, s.steps, s.hidden});
  Tensor last = uninitialized({s.items, s.hidden}), last_cell = uninitialized({s.items, s.hidden});
  lstm_forward(s,
               {inputs.value().data(), weight.value().data(), data_of(saved->hidden), data_of(saved->cell)},
               {outputs.data(), last.data(), last_cell.data(),
                keep(recorded({&inputs, &weight, &hidden, &cell}), *saved, true)});
  saved->outputs = share(std::move(outputs));
  const auto backward = [saved](Cotangents dy) {
    Made made(*saved, 4);
    lstm_backward(saved->sequences,
                  {nullptr, saved->weight->data(), data_of(saved->hidden), data_of(saved->cell)},
                  {saved->gates.data(), saved->cells.data(), saved->outputs->data(), data_of(dy[0]),
                   data_of(dy[1]), data_of(dy[2])},
                  made.at);
    return Gradients{made.inputs, made.weight, made.hidden, made.cell};
  };
  const std::vector<Variable> out =
      record_joint(lstm_op, {saved->outputs, share(std::move(last)), share(std::move(last_cell))},
                   std::vector<Variable>{inputs, weight, hidden, cell}, backward);
  return {out[0], out[1], out[2]};
}

static const Op gru_op{"gru"};

Recurrence gru(const Variable& inputs, const Variable& weight, const Variable& bias, const Variable& hidden,
               const RecurrenceOptions& options) {
  const Sequences s = sequences_of(gru_op, 3, inputs, weight, options);
  check(bias.shape() == Shape{3 * s.hidden}, gru_op, "the bias has shape ", bias.shape(), "; expected ",
        Shape{3 * s.hidden}, " to match inputs ", inputs.shape());
  check_state(gru_op, "hidden", hidden, s);
  auto saved = std::make_shared<Saved>(Saved{s,
                                             weight.shared(),
                                             bias.shared(),
                                             hidden.shared(),
                                             {},
                                             weight.tracked(),
                                             bias.tracked(),
                                             hidden.tracked(),
                                             false});
  Tensor outputs = uninitialized({s.items, s.steps, s.hidden}), last = uninitialized({s.items, s.hidden});
  gru_forward(s, {inputs.value().data(), weight.value().data(), bias.value().data(), data_of(saved->hidden)},
              {outputs.data(), last.data(), nullptr,
               keep(recorded({&inputs, &weight, &bias, &hidden}), *saved, false)});
  saved->outputs = share(std::move(outputs));
  const auto backward = [saved](Cotangents dy) {
    Made made(*saved, 3);
    gru_backward(
        saved->sequences, {nullptr, saved->weight->data(), saved->bias->data(), data_of(saved->hidden)},
        {saved->gates.data(), nullptr, saved->outputs->data(), data_of(dy[0]), data_of(dy[1]), nullptr},
        made.at);
    return Gradients{made.inputs, made.weight, made.bias, made.hidden};
  };
  const std::vector<Variable> out =
      record_joint(gru_op, {saved->outputs, share(std::move(last))},
                   std::vector<Variable>{inputs, weight, bias, hidden}, backward);
  return {out[0], out[1], {}};
}

}  // namespace fovea::inline FOVEA_REAL
