#include <limits>

#include <catch2/catch.hpp>

#include "autograd/engine.hpp"
#include "autograd/ops.hpp"
#include "compare.hpp"
#include "core/draw.hpp"
#include "core/kernels/kernels.hpp"

// The recurrent ops beside loops of plain ones, where it is odd: masks, numbers that are not finite, inputs
// that want no gradient, lengths beyond a tile.

using namespace fovea;

namespace {

constexpr Real inf = std::numeric_limits<Real>::infinity(),
               not_a_number = std::numeric_limits<Real>::quiet_NaN();

Tensor drawn(const Shape& shape, std::uint64_t seed, double size = 1) {
  Rng rng(seed);
  return normal(rng, shape, 0, static_cast<Real>(size));
}

/// What attentive_lstm takes, in its order.
enum Input { inputs, recurrent, context, query, v, keys, values, hidden, cell, input_count };

struct Case {
  std::string name;
  std::size_t items = 3, steps = 5, keys = 4;
  std::vector<std::size_t> lengths = {};  // of each item's keys
  bool causal = false;
  double size = 1;                                       // of projected queries and keys
  std::function<void(std::vector<Tensor>&)> spoil = {};  // changes the inputs
  std::vector<Input> frozen = {};
  std::vector<std::size_t> silent = {};  // items whose results have cotangents of 0
};

Mask lengths_at(const Case& c, std::size_t t) {
  if (c.causal) return Mask::key_lengths(std::vector<std::size_t>(c.items, c.keys + t + 1 - c.steps));
  return c.lengths.empty() ? Mask() : Mask::key_lengths(c.lengths);
}

Recurrence at_once(const Case& c, const std::vector<Variable>& in) {
  return attentive_lstm(in[inputs], {in[recurrent], in[context], in[query], in[v]}, in[keys], in[values],
                        in[hidden], in[cell], c.causal ? Mask::causal() : lengths_at(c, 0));
}

// The cell is lstm's; all products are linear's.
Recurrence step_by_step(const Case& c, const std::vector<Variable>& in) {
  const std::size_t H = in[hidden].shape()[1], A = in[v].shape()[0];
  const Variable no_weight = zeros({4 * H, H});
  Variable h = in[hidden], state = in[cell];
  std::vector<Variable> outputs, contexts;
  for (std::size_t t = 0; t < c.steps; ++t) {
    const Variable asked = reshape(linear(h, in[query]), {c.items, 1, A});
    AttentionOptions options;
    options.mask = lengths_at(c, t);
    const Variable found = additive_attention(asked, in[keys], in[v], in[values], options).context;
    const Variable last = reshape(linear(h, in[recurrent]), {c.items, 1, 4 * H});
    const Variable gates = slice(in[inputs], 1, t, t + 1) + last + linear(found, in[context]);
    const Recurrence next = lstm(gates, no_weight, zeros({c.items, H}), state);
    h = next.hidden;
    state = next.cell;
    outputs.push_back(next.outputs);
    contexts.push_back(found);
  }
  return {concat(outputs, 1), h, state, concat(contexts, 1)};
}

/// Results, then gradients; those of frozen inputs are empty.
struct Everything {
  std::vector<Tensor> results, gradients;
};

Everything everything(const Case& c, Recurrence (*run)(const Case&, const std::vector<Variable>&)) {
  constexpr std::size_t H = 3, A = 5, C = 2;
  const std::vector<Shape> shapes{
      {c.items, c.steps, 4 * H}, {4 * H, H},           {4 * H, C},   {A, H},      {A},
      {c.items, c.keys, A},      {c.items, c.keys, C}, {c.items, H}, {c.items, H}};
  std::vector<Tensor> drawn_inputs;
  for (std::size_t i = 0; i < input_count; ++i)
    drawn_inputs.push_back(drawn(shapes[i], i + 1, i == query || i == keys ? c.size : 1));
  if (c.spoil) c.spoil(drawn_inputs);
  std::vector<Variable> in;
  for (std::size_t i = 0; i < input_count; ++i) {
    const bool frozen = std::find(c.frozen.begin(), c.frozen.end(), static_cast<Input>(i)) != c.frozen.end();
    in.push_back(frozen ? Variable(drawn_inputs[i]) : Variable::leaf(Tensor(drawn_inputs[i])));
  }
  const Recurrence y = run(c, in);
  Everything all;
  Variable loss = zeros({});
  for (const Variable& part : {y.outputs, y.hidden, y.cell, y.contexts}) {
    all.results.push_back(part.value());
    Tensor cotangent = drawn(part.shape(), 20 + all.results.size());
    for (const std::size_t item : c.silent) {
      const std::size_t one = cotangent.size() / c.items;
      std::fill_n(cotangent.data() + item * one, one, Real(0));
    }
    loss = loss + sum(part * Variable(cotangent));
  }
  backward(loss);
  for (const Variable& x : in) all.gradients.push_back(x.grad() ? *x.grad() : Tensor());
  return all;
}

/// Of [items, …].
Tensor item_of(const Tensor& x, std::size_t item) { return slice(Variable(x), 0, item, item + 1).value(); }

std::vector<Case> cases() {
  const auto set = [](std::size_t which, std::size_t at, Real x) {
    return [=](std::vector<Tensor>& in) { in[which].data()[at] = x; };
  };
  const double far = 1.5 * static_cast<double>(additive_high);
  return {
      {.name = "nothing odd"},
      {.name = "one step", .steps = 1},
      {.name = "two blocks of items", .items = 17, .steps = 2},
      {.name = "keys masked, one item's all", .lengths = {2, 0, 4}},
      {.name = "a mask that differs from step to step", .causal = true},
      {.name = "more keys than a tile has", .keys = 70, .lengths = {70, 64, 65}},
      {.name = "three tiles of keys", .keys = 130},
      {.name = "more steps than a tile has queries", .steps = 97},
      {.name = "projections at the limit of exponentials", .size = far},
      {.name = "such, of many keys", .keys = 70, .lengths = {70, 3, 66}, .size = far},
      {.name = "NaN and infinity under the mask",
       .lengths = {2, 0, 3},
       .spoil =
           [](std::vector<Tensor>& in) {
             in[keys].at(0, 2, 1) = not_a_number;
             in[keys].at(1, 0, 0) = inf;
             in[values].at(0, 3, 0) = inf;
             in[values].at(1, 1, 1) = not_a_number;
           }},
      {.name = "an item that is NaN and counts for nothing",
       .spoil =
           [](std::vector<Tensor>& in) {
             in[inputs].at(1, 2, 0) = not_a_number;
             in[keys].at(1, 0, 1) = inf;
             in[values].at(1, 1, 1) = not_a_number;
           },
       .silent = {1}},
      {.name = "an infinite weight of queries that find nothing",
       .lengths = {0, 0, 0},
       .spoil = set(query, 0, inf)},
      {.name = "an infinite recurrent weight", .spoil = set(recurrent, 1, inf), .silent = {0, 2}},
      {.name = "such, one step", .steps = 1, .spoil = set(recurrent, 1, -inf), .silent = {0}},
      {.name = "an infinite weight of contexts",
       .lengths = {0, 4, 4},
       .spoil = set(context, 3, inf),
       .silent = {0, 1}},
      {.name = "weights frozen", .frozen = {recurrent, query, v}},
      {.name = "keys and the context's weight frozen", .frozen = {keys, context, hidden}},
      {.name = "values and inputs frozen", .frozen = {inputs, values, cell}},
      {.name = "v and keys alone", .frozen = {inputs, recurrent, context, query, values, hidden, cell}},
  };
}

}  // namespace

TEST_CASE("an attentive lstm is a loop of attention and lstm", "[autograd]") {
  for (const Case& c : cases()) {
    INFO(c.name);
    const Everything found = everything(c, at_once), expected = everything(c, step_by_step);
    const double tolerance = sizeof(Real) == 8 ? 1e-9 : c.size > 1 ? 5e-3 : 1e-4;
    for (std::size_t i = 0; i < found.results.size(); ++i) {
      INFO("result " << i);
      CHECK_THAT(found.results[i], close_to(expected.results[i], tolerance));
    }
    for (std::size_t i = 0; i < input_count; ++i) {
      INFO("gradient " << i);
      CHECK_THAT(found.gradients[i], close_to(expected.gradients[i], tolerance));
    }
    for (std::size_t item = 0; item < c.lengths.size(); ++item) {
      if (c.lengths[item] > 0) continue;
      INFO("item " << item << ", which sees nothing");
      for (const Tensor& x : {found.results[3], found.gradients[keys], found.gradients[values]})
        CHECK_THAT(item_of(x, item), close_to(zeros(item_of(x, item).shape()), 0));
    }
    for (const std::size_t item : c.silent) {
      INFO("item " << item << ", which nobody looks at");
      for (const std::size_t i : {inputs, keys, values, hidden, cell})
        CHECK_THAT(item_of(found.gradients[i], item),
                   close_to(zeros(item_of(found.gradients[i], item).shape()), 0));
    }
  }
}

TEST_CASE("queries that find nothing give no gradient, whatever their weight", "[autograd]") {
  const std::vector<Variable> in{Variable::leaf(drawn({1, 2, 4}, 1)), Variable::leaf(drawn({4, 1}, 2)),
                                 Variable::leaf(drawn({4, 1}, 3)),    Variable::leaf(filled({1, 1}, inf)),
                                 Variable::leaf(drawn({1}, 4)),       Variable::leaf(drawn({1, 3, 1}, 5)),
                                 Variable::leaf(drawn({1, 3, 1}, 6)), Variable::leaf(drawn({1, 1}, 7)),
                                 Variable::leaf(drawn({1, 1}, 8))};
  const Recurrence y = attentive_lstm(in[inputs], {in[recurrent], in[context], in[query], in[v]}, in[keys],
                                      in[values], in[hidden], in[cell], Mask::key_lengths({0}));
  backward(sum(y.contexts));
  CHECK_THAT(y.contexts.value(), close_to(zeros({1, 2, 1}), 0));
  for (const Variable& x : in) CHECK_THAT(*x.grad(), close_to(zeros(x.shape()), 0));
}

TEST_CASE("without a hidden unit an attentive lstm asks with zeros", "[autograd]") {
  const Tensor of_keys = drawn({1, 4, 3}, 1), of_values = drawn({1, 4, 2}, 2), of_v = drawn({3}, 3);
  const Variable found = attentive_lstm(zeros({1, 2, 0}), {zeros({0, 0}), zeros({0, 2}), zeros({3, 0}), of_v},
                                        of_keys, of_values)
                             .contexts;
  CHECK_THAT(found.value(),
             close_to(additive_attention(zeros({1, 2, 3}), of_keys, of_v, of_values).context.value()));
}

TEST_CASE("an item that counts for nothing, and a recurrent weight that is infinite", "[autograd]") {
  for (const std::size_t steps : {1, 3}) {
    INFO(steps << " steps");
    const auto check = [&](Recurrence (*run)(const Variable&, const Variable&, const Variable&),
                           const Shape& of_inputs, const Shape& of_weight) {
      Tensor weight = drawn(of_weight, 2);
      weight.data()[1] = inf;
      const Variable x = Variable::leaf(drawn(of_inputs, 1)), h = Variable::leaf(drawn({2, 2}, 3));
      backward(sum(slice(run(x, Variable::leaf(std::move(weight)), h).outputs, 0, 0, 1)));
      CHECK_THAT(item_of(*x.grad(), 1), close_to(zeros(item_of(*x.grad(), 1).shape()), 0));
      CHECK_THAT(item_of(*h.grad(), 1), close_to(zeros({1, 2}), 0));
    };
    check([](const Variable& x, const Variable& w, const Variable& h) { return lstm(x, w, h); },
          {2, steps, 8}, {8, 2});
    check([](const Variable& x, const Variable& w, const Variable& h) { return gru(x, w, zeros({6}), h); },
          {2, steps, 6}, {6, 2});
    check(  // the input's weight
        [](const Variable& x, const Variable& w, const Variable& h) {
          return lstm_layer(x, w, drawn({8, 2}, 5), {}, h);
        },
        {2, steps, 3}, {8, 3});
  }
}
