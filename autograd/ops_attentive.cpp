#include "autograd/ops.hpp"
#include "autograd/record.hpp"
#include "core/recurrent/attentive.hpp"

namespace fovea::inline FOVEA_REAL {
namespace {

/// In the order of their gradients.
enum Input { gates, recurrent, context, query, v, keys, values, hidden, cell, inputs };

/// What a recorded call keeps for its backward pass.
struct Saved {
  Sequences sequences;
  std::array<Value, inputs> in;
  std::array<bool, inputs> wanted = {};
  std::array<Shape, inputs> shapes = {};
  std::optional<MaskView> mask = {};
  Tensor kept_gates = {}, seen = {}, cells = {}, queries = {};
  std::vector<RowStatistics> rows = {};

  const Real* data(Input which) const { return in[which] ? in[which]->data() : nullptr; }

  AttentiveKept kept() { return {kept_gates.data(), seen.data(), cells.data(), queries.data(), rows.data()}; }
  AttentiveInputs pointers() const {
    const Shape &of_keys = in[keys]->shape(), &of_values = in[values]->shape();
    Attention attention{sequences.items,    1, sequences.steps, of_keys[1], of_keys[2], of_values[2],
                        ScoreKind::additive};
    attention.key = {data(keys), of_keys[1] * of_keys[2], 0, of_keys[2]};
    attention.value = {data(values), of_values[1] * of_values[2], 0, of_values[2]};
    attention.v = data(v);
    if (mask) attention.mask = &*mask;
    return {data(gates), data(recurrent), data(context), data(query), data(hidden), data(cell), attention};
  }
};

Gradients gradients_of(Saved& saved, Cotangents dy) {
  Gradients gradients(inputs);
  std::array<Real*, inputs> at{};
  for (std::size_t i = 0; i < inputs; ++i) {
    if (!saved.wanted[i]) continue;
    auto made = std::make_shared<Tensor>(uninitialized(saved.shapes[i]));
    at[i] = made->data();
    gradients[i] = std::move(made);
  }
  const AttentiveInputs in = saved.pointers();
  const auto as = [](const Matrices<const Real>& like, Real* to) {
    return Matrices<Real>{to, like.item_step, 0, like.row_step};
  };
  const auto of = [&](std::size_t n) { return dy[n] ? dy[n]->data() : nullptr; };
  attentive_lstm_backward(saved.sequences, in, {saved.kept(), of(0), of(1), of(2), of(3)},
                          {at[gates], at[recurrent], at[context], at[query], at[hidden], at[cell],
                           as(in.attention.key, at[keys]), as(in.attention.value, at[values]), at[v]});
  return gradients;
}

}  // namespace

static const Op attentive_lstm_op{"attentive_lstm"};

Recurrence attentive_lstm(const Variable& in, const AttentiveWeights& weights, const Variable& of_keys,
                          const Variable& of_values, const Variable& before, const Variable& cell_before,
                          const Mask& mask) {
  const Op& op = attentive_lstm_op;
  const std::array<Variable, inputs> all{in,         weights.recurrent, weights.context, weights.query,
                                         weights.v,  of_keys,           of_values,       before,
                                         cell_before};
  const auto expect = [&](const char* name, const Variable& x, const Shape& shape) {
    check(x.shape() == shape, op, name, " has shape ", x.shape(), "; expected ", shape, " to match inputs ",
          in.shape(), ", keys ", of_keys.shape(), " and values ", of_values.shape());
  };
  check(in.rank() == 3 && in.length(-1) % 4 == 0, op, "the inputs have shape ", in.shape(),
        "; expected [batch, time, 4 · hidden]");
  const std::size_t items = in.shape()[0], steps = in.shape()[1], H = in.shape()[2] / 4;
  check(of_keys.rank() == 3 && of_values.rank() == 3 && of_keys.shape()[0] == items &&
            of_values.shape()[0] == items && of_keys.shape()[1] == of_values.shape()[1],
        op, "the keys have shape ", of_keys.shape(), " and the values ", of_values.shape(), "; expected [",
        items, ", keys, width] for both to match inputs ", in.shape());
  const std::size_t A = of_keys.shape()[2], C = of_values.shape()[2];
  expect("the recurrent weight", weights.recurrent, {4 * H, H});
  expect("the context's weight", weights.context, {4 * H, C});
  expect("the query's weight", weights.query, {A, H});
  expect("v", weights.v, {A});
  if (before.defined()) expect("the hidden state", before, {items, H});
  if (cell_before.defined()) expect("the cell state", cell_before, {items, H});

  auto saved = std::make_shared<Saved>(Saved{{items, steps, H}, {}});
  bool recorded = false;
  for (std::size_t i = 0; i < inputs; ++i) {
    saved->in[i] = all[i].shared();
    saved->wanted[i] = all[i].tracked();
    if (all[i].defined()) saved->shapes[i] = all[i].shape();
    recorded = recorded || (all[i].tracked() && recording());
  }
  if (!mask.allows_all()) saved->mask = mask.view(items, steps, of_keys.shape()[1]);
  const AttentiveInputs from = saved->pointers();
  Tensor outputs = uninitialized({items, steps, H}), contexts = uninitialized({items, steps, C});
  Tensor last = uninitialized({items, H}), last_cell = uninitialized({items, H});
  AttentiveResults to{outputs.data(), contexts.data(), last.data(), last_cell.data()};
  if (recorded) {
    saved->kept_gates = uninitialized({items, steps, 4 * H});
    saved->seen = uninitialized({items, steps, H + C});
    saved->cells = uninitialized({items, steps, H});
    saved->queries = uninitialized({items, steps, query_step(from.attention)});
    saved->rows.resize(items * steps);
    to.kept = saved->kept();
  }
  attentive_lstm_forward(saved->sequences, from, to);
  saved->in[gates] = nullptr;  // only gates are asked for again
  const std::vector<Variable> y =
      record_joint(op,
                   {share(std::move(outputs)), share(std::move(contexts)), share(std::move(last)),
                    share(std::move(last_cell))},
                   all, [saved](Cotangents dy) { return gradients_of(*saved, dy); });
  return {y[0], y[2], y[3], y[1]};
}

}  // namespace fovea::inline FOVEA_REAL
