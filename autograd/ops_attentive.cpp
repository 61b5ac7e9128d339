#include "autograd/ops.hpp"
#include "autograd/wanted.hpp"
#include "core/recurrent/attentive.hpp"

namespace fovea::inline FOVEA_REAL {
namespace {

/// In the order of their gradients.
enum Input { inputs, recurrent, context, query, v, keys, values, hidden, cell, input_count };

/// What a recorded call keeps for its backward pass.
struct Saved {
  std::size_t items, steps, units;
  WantedGradients wanted;
  std::array<Value, input_count> in = {};
  std::optional<MaskView> mask = {};
  Tensor gates = {}, seen = {}, cells = {}, queries = {};
  std::vector<RowStatistics> rows = {};

  AttentiveKept kept() { return {gates.data(), seen.data(), cells.data(), queries.data(), rows.data()}; }
  AttentiveInputs pointers() const {
    const auto data = [&](Input which) { return data_of(in[which]); };
    const Shape &of_keys = in[keys]->shape(), &of_values = in[values]->shape();
    Attention attention{items, 1, steps, of_keys[1], of_keys[2], of_values[2], ScoreKind::additive};
    attention.key = {data(keys), of_keys[1] * of_keys[2], 0, of_keys[2]};
    attention.value = {data(values), of_values[1] * of_values[2], 0, of_values[2]};
    attention.v = data(v);
    if (mask) attention.mask = &*mask;
    return {data(inputs), data(recurrent), data(context), data(query), data(hidden), data(cell), attention};
  }
};

Gradients gradients_of(Saved& saved, Cotangents dy) {
  auto [gradients, at] = saved.wanted.room();
  const AttentiveInputs in = saved.pointers();
  const auto as = [](const Matrices<const Real>& like, Real* to) {
    return Matrices<Real>{to, like.item_step, 0, like.row_step};
  };
  attentive_lstm_backward(saved.units, in,
                          {saved.kept(), data_of(dy[0]), data_of(dy[1]), data_of(dy[2]), data_of(dy[3])},
                          {at[inputs], at[recurrent], at[context], at[query], at[hidden], at[cell],
                           as(in.attention.key, at[keys]), as(in.attention.value, at[values]), at[v]});
  return gradients;
}

}  // namespace

static const Op attentive_lstm_op{"attentive_lstm"};

Recurrence attentive_lstm(const Variable& in, const AttentiveWeights& weights, const Variable& of_keys,
                          const Variable& of_values, const Variable& before, const Variable& cell_before,
                          const Mask& mask) {
  const Op& op = attentive_lstm_op;
  const std::array<Variable, input_count> all{in,         weights.recurrent, weights.context, weights.query,
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

  auto saved = std::make_shared<Saved>(Saved{items, steps, H, WantedGradients(all)});
  for (std::size_t i = 0; i < input_count; ++i) saved->in[i] = all[i].shared();
  if (!mask.allows_all()) saved->mask = mask.view(items, steps, of_keys.shape()[1]);
  const AttentiveInputs from = saved->pointers();
  Tensor outputs = uninitialized({items, steps, H}), last = uninitialized({items, H});
  Tensor last_cell = uninitialized({items, H}), contexts = uninitialized({items, steps, C});
  AttentiveResults to{outputs.data(), last.data(), last_cell.data(), contexts.data()};
  if (saved->wanted.recorded()) {
    saved->gates = uninitialized({items, steps, 4 * H});
    saved->seen = uninitialized({items, steps, H + C});
    saved->cells = uninitialized({items, steps, H});
    saved->queries = uninitialized({items, steps, A});
    saved->rows.resize(items * steps);
    to.kept = saved->kept();
  }
  attentive_lstm_forward(H, from, to);
  saved->in[inputs] = nullptr;  // the gates tell enough
  const std::vector<Variable> y =
      record_joint(op,
                   {share(std::move(outputs)), share(std::move(last)), share(std::move(last_cell)),
                    share(std::move(contexts))},
                   all, [saved](Cotangents dy) { return gradients_of(*saved, dy); });
  return {y[0], y[1], y[2], y[3]};
}

}  // namespace fovea::inline FOVEA_REAL
