#include "modules/recurrent.hpp"

#include <algorithm>

#include "modules/dropout.hpp"
#include "modules/init.hpp"

namespace fovea::inline FOVEA_REAL {
namespace {

constexpr std::string_view here = "recurrent";

std::size_t gates_of(Cell cell) { return cell == Cell::lstm ? 4 : 3; }

/// Gate by gate, one below the other.
template <class Start>
Tensor by_gates(std::size_t gates, const Shape& shape, const Start& start) {
  Tensor all = uninitialized({gates * shape[0], shape[1]});
  const std::size_t size = volume(shape);
  for (std::size_t gate = 0; gate < gates; ++gate)
    std::copy_n(start(shape).data(), size, all.data() + gate * size);
  return all;
}

/// Row `n` of the states of all layers and directions; undefined where there is none.
Variable state_of(const Variable& all, std::size_t n) {
  if (!all.defined()) return {};
  return reshape(slice(all, 0, n, n + 1), {all.shape()[1], all.shape()[2]});
}

void check_state(const char* name, const Variable& state, const Shape& expected) {
  check(!state.defined() || state.shape() == expected, here, "the ", name, " state has shape ",
        state.defined() ? state.shape() : Shape{}, "; expected ", expected,
        ": layers · directions, batch, hidden");
}

}  // namespace

Cell cell_named(const std::string& name) {
  if (name == "lstm") return Cell::lstm;
  check<ConfigError>(name == "gru", here, "there is no cell '", name, "'; there are lstm and gru");
  return Cell::gru;
}

RecurrentDirection::RecurrentDirection(Cell cell, std::size_t inputs, std::size_t hidden, Rng& rng) {
  const std::size_t gates = gates_of(cell);
  weight_ih = Param(
      by_gates(gates, {hidden, inputs}, [&](const Shape& shape) { return xavier_uniform(rng, shape); }));
  weight_hh =
      Param(by_gates(gates, {hidden, hidden}, [&](const Shape& shape) { return orthogonal(rng, shape); }));
  Tensor bias = zeros({gates * hidden});
  bias_hh = Param(bias, Param::Decay::no);
  if (cell == Cell::lstm) std::fill_n(bias.data() + hidden, hidden, Real(1));
  bias_ih = Param(std::move(bias), Param::Decay::no);
}

Recurrence RecurrentDirection::operator()(Cell cell, const Variable& x, const Variable& hidden,
                                          const Variable& cell_state,
                                          const RecurrenceOptions& options) const {
  if (cell == Cell::lstm)
    return lstm_layer(x, weight_ih, weight_hh, add(bias_ih, bias_hh), hidden, cell_state, options);
  return gru(linear(x, weight_ih, bias_ih), weight_hh, bias_hh, hidden, options);
}

Recurrence RecurrentDirection::operator()(Cell cell, const Embedding& embedding, const Ids& ids,
                                          const Variable& hidden, const Variable& cell_state,
                                          const RecurrenceOptions& options) const {
  if (ids.values.size() <= embedding.table.shape()[0])  // a product for each id is less, see lstm_layer
    return (*this)(cell, embedding(ids), hidden, cell_state, options);
  if (cell == Cell::lstm)
    return lstm(embedding.projected(ids, weight_ih, add(bias_ih, bias_hh)), weight_hh, hidden, cell_state,
                options);
  return gru(embedding.projected(ids, weight_ih, bias_ih), weight_hh, bias_hh, hidden, options);
}

Recurrent::Recurrent(Cell in_cell, std::size_t inputs, std::size_t in_hidden, Rng& rng,
                     const RecurrentSettings& settings)
    : cell(in_cell), hidden(in_hidden), dropout(Dropout(settings.dropout).rate()) {
  check<ConfigError>(settings.layers > 0, here, "0 layers; expected at least one");
  for (std::size_t i = 0; i < settings.layers; ++i) {
    RecurrentLayer layer;
    layer.forward = RecurrentDirection(cell, inputs, hidden, rng);
    if (settings.bidirectional) layer.backward = RecurrentDirection(cell, inputs, hidden, rng);
    layers.push_back(std::move(layer));
    inputs = outputs();
  }
}

RecurrentResult Recurrent::operator()(const Variable& x, Pass& pass, const std::vector<std::size_t>& lengths,
                                      const RecurrentState& start) const {
  check(x.rank() == 3 && x.length(-1) == inputs(), here, "the input has shape ", x.shape(),
        "; expected [batch, time, ", inputs(), "]");
  const auto first = [&](const RecurrentDirection& direction, const auto&... rest) {
    return direction(cell, x, rest...);
  };
  return run(x.shape()[0], first, pass, lengths, start);
}

RecurrentResult Recurrent::operator()(const Embedding& embedding, const Ids& ids, Pass& pass,
                                      const std::vector<std::size_t>& lengths,
                                      const RecurrentState& start) const {
  check(ids.shape.size() == 2, here, "the ids have shape ", ids.shape, "; expected [batch, time]");
  check(embedding.table.shape()[1] == inputs(), here, "the table of ids has shape ", embedding.table.shape(),
        "; expected [ids, ", inputs(), "]");
  const auto first = [&](const RecurrentDirection& direction, const auto&... rest) {
    return direction(cell, embedding, ids, rest...);
  };
  return run(ids.shape[0], first, pass, lengths, start);
}

// `first` runs a direction of the first layer over the input.
template <class First>
RecurrentResult Recurrent::run(std::size_t items, const First& first, Pass& pass,
                               const std::vector<std::size_t>& lengths, const RecurrentState& start) const {
  const Shape of_states{layers.size() * directions(), items, hidden};
  check_state("hidden", start.hidden, of_states);
  check_state("cell", start.cell, of_states);
  check(cell == Cell::lstm || !start.cell.defined(), here, "a gru has no cell state");

  std::vector<Variable> hiddens, cells;
  Variable y;
  const auto through = [&](const RecurrentDirection& direction, bool reverse) {
    const std::size_t n = hiddens.size();
    const Variable h = state_of(start.hidden, n), c = state_of(start.cell, n);
    const RecurrenceOptions options{.lengths = lengths, .reverse = reverse};
    const Recurrence result =
        y.defined() ? direction(cell, y, h, c, options) : first(direction, h, c, options);
    hiddens.push_back(result.hidden);
    cells.push_back(result.cell);
    return result.outputs;
  };
  for (std::size_t i = 0; i < layers.size(); ++i) {
    if (i > 0) y = Dropout(dropout)(y, pass);
    const Variable ahead = through(layers[i].forward, false);
    y = layers[i].backward ? concat({ahead, through(*layers[i].backward, true)}, -1) : ahead;
  }
  return {y, {stack(hiddens, 0), cell == Cell::lstm ? stack(cells, 0) : Variable()}};
}

}  // namespace fovea::inline FOVEA_REAL
