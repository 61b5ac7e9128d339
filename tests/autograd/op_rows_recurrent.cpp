#include "autograd/op_rows.hpp"

namespace fovea::inline FOVEA_REAL {
namespace {

// All results in one row of numbers, so that each of them has cotangents.
Variable joined(const Recurrence& result) {
  std::vector<Variable> parts;
  for (const Variable& part : {result.outputs, result.hidden, result.cell, result.contexts}) {
    if (part.defined()) parts.push_back(reshape(part, {part.size()}));
  }
  return concat(parts, 0);
}

constexpr std::size_t H = 3;

struct Sizes {
  std::size_t items, steps;
};

std::vector<Tensor> lstm_inputs(Sizes n, std::size_t states) {
  std::vector<Tensor> in{random({n.items, n.steps, 4 * H}), random({4 * H, H}, 2)};
  for (std::size_t i = 0; i < states; ++i) in.push_back(random({n.items, H}, 3 + i));
  return in;
}
std::vector<Tensor> gru_inputs(Sizes n, std::size_t states) {
  std::vector<Tensor> in{random({n.items, n.steps, 3 * H}), random({3 * H, H}, 2), random({3 * H}, 3)};
  for (std::size_t i = 0; i < states; ++i) in.push_back(random({n.items, H}, 4 + i));
  return in;
}

Variable state(In in, std::size_t n) { return n < in.size() ? in[n] : Variable(); }

Recurrence run_lstm(In in, const RecurrenceOptions& options) {
  return lstm(in[0], in[1], state(in, 2), state(in, 3), options);
}
Recurrence run_gru(In in, const RecurrenceOptions& options) {
  return gru(in[0], in[1], in[2], state(in, 3), options);
}

// Every result, each alone, one step, many items, nothing at all.
std::vector<OpSample> samples(Recurrence (*run)(In, const RecurrenceOptions&),
                              std::vector<Tensor> (*inputs)(Sizes, std::size_t), std::size_t states) {
  std::vector<OpSample> all;
  const auto with = [&](Sizes n, std::size_t given, const RecurrenceOptions& options) {
    all.push_back({inputs(n, given), [run, options](In in) { return joined(run(in, options)); }});
  };
  for (const bool reverse : {false, true}) {
    for (const std::size_t given : {std::size_t{0}, states}) {
      with({2, 4}, given, {{}, reverse});
      with({3, 4}, given, {{2, 0, 4}, reverse});
      with({2, 1}, given, {{}, reverse});
      with({2, 1}, given, {{0, 1}, reverse});
      with({17, 2}, given, {{}, reverse});
    }
    with({0, 3}, states, {{}, reverse});
    with({2, 0}, states, {{}, reverse});
  }
  const RecurrenceOptions padded{{3, 1}, false};
  const auto alone = [&](Variable Recurrence::*result) {
    all.push_back({inputs({2, 3}, states), [run, padded, result](In in) {
                     Recurrence only;
                     only.*result = run(in, padded).*result;
                     return joined(only);
                   }});
  };
  alone(&Recurrence::outputs);
  alone(&Recurrence::hidden);
  if (states == 2) alone(&Recurrence::cell);
  all.push_back({inputs({2, 3}, 1), [run, padded](In in) { return joined(run(in, padded)); }});
  return all;
}

std::vector<Tensor> layer_inputs(Sizes n, std::size_t states) {
  std::vector<Tensor> in{random({n.items, n.steps, 2}), random({4 * H, 2}, 2), random({4 * H, H}, 3),
                         random({4 * H}, 4)};
  for (std::size_t i = 0; i < states; ++i) in.push_back(random({n.items, H}, 5 + i));
  return in;
}
Recurrence run_layer(In in, const RecurrenceOptions& options) {
  return lstm_layer(in[0], in[1], in[2], in[3], state(in, 4), state(in, 5), options);
}

std::vector<OpSample> layer_samples() {
  std::vector<OpSample> all = samples(run_layer, layer_inputs, 2);
  std::vector<Tensor> without_bias = layer_inputs({2, 3}, 0);
  without_bias.pop_back();
  all.push_back({std::move(without_bias), [](In in) { return joined(lstm_layer(in[0], in[1], in[2], {})); }});
  return all;
}

struct AttentiveSizes {
  std::size_t items, steps, keys;
};
constexpr std::size_t A = 2, C = 5;

std::vector<Tensor> attentive_inputs(AttentiveSizes n, std::size_t states) {
  std::vector<Tensor> in{random({n.items, n.steps, 4 * H}),
                         random({4 * H, H}, 2),
                         random({4 * H, C}, 3),
                         random({A, H}, 4),
                         random({A}, 5),
                         random({n.items, n.keys, A}, 6),
                         random({n.items, n.keys, C}, 7)};
  for (std::size_t i = 0; i < states; ++i) in.push_back(random({n.items, H}, 8 + i));
  return in;
}
Recurrence run_attentive(In in, const Mask& mask = {}) {
  return attentive_lstm(in[0], {in[1], in[2], in[3], in[4]}, in[5], in[6], state(in, 7), state(in, 8), mask);
}

std::vector<OpSample> attentive_samples() {
  std::vector<OpSample> all;
  const auto with = [&](AttentiveSizes n, std::size_t states, const Mask& mask = {}) {
    all.push_back({attentive_inputs(n, states), [mask](In in) { return joined(run_attentive(in, mask)); }});
  };
  for (const std::size_t states : {0, 1, 2}) {
    with({2, 3, 4}, states);
    with({3, 2, 4}, states, Mask::key_lengths({2, 0, 4}));
    with({1, 3, 2}, states);
    with({2, 1, 3}, states);
  }
  with({17, 2, 1}, 2);
  with({2, 3, 3}, 0, Mask::causal());
  with({2, 2, 70}, 0, Mask::key_lengths({66, 64}));
  for (const AttentiveSizes n : {AttentiveSizes{0, 3, 2}, {2, 0, 2}, {2, 3, 0}}) with(n, 2);
  // No hidden unit: a query of zeros, whose context is a mean.
  all.push_back({{random({1, 2, 0}), random({0, 0}), random({0, C}), random({A, 0}), random({A}, 5),
                  random({1, 4, A}, 6), random({1, 4, C}, 7)},
                 [](In in) { return joined(run_attentive(in)); }});
  for (const auto result :
       {&Recurrence::outputs, &Recurrence::hidden, &Recurrence::cell, &Recurrence::contexts}) {
    all.push_back({attentive_inputs({2, 3, 2}, 2), [result](In in) {
                     Recurrence only;
                     only.*result = run_attentive(in).*result;
                     return joined(only);
                   }});
  }
  return all;
}

// Of samples' inputs, with one of another shape.
OpMisuse attentive_misuse(std::size_t which, const Shape& shape, std::vector<std::string> words) {
  words.insert(words.begin(), "[attentive_lstm]");
  return {[which, shape] {
            const std::vector<Tensor> drawn = attentive_inputs({2, 3, 4}, 2);
            std::vector<Variable> in(drawn.begin(), drawn.end());
            in[which] = random(shape);
            run_attentive(in);
          },
          words};
}

double sigma(double x) { return 1 / (1 + std::exp(-x)); }

// One unit, one step: gates of 1, 2, 3, 4 over a cell of 5, and of 1, 2, 3 over a state of 5.
Real lstm_hidden() {
  return static_cast<Real>(sigma(4) * std::tanh(sigma(2) * 5 + sigma(1) * std::tanh(3.0)));
}
Real gru_hidden() {
  const double r = sigma(1 + 5), z = sigma(2 + 10), n = std::tanh(3 + r * (15 + 7));
  return static_cast<Real>((1 - z) * n + z * 5);
}

}  // namespace

std::vector<OpRow> recurrent_rows() {
  return {
      OpRow{"lstm",
            samples(run_lstm, lstm_inputs, 2),
            {{[] {
                return lstm(t({1, 1, 4}, {1, 2, 3, 4}), t({4, 1}, {0, 0, 0, 0}), {}, t({1, 1}, {5})).hidden;
              },
              tensor({1, 1}, {lstm_hidden()})},
             {[] {
                return lstm(t({1, 2, 4}, {1, 2, 3, 4, 1, 1, 1, 1}), t({4, 1}, {0, 0, 0, 0}), {},
                            t({1, 1}, {5}), {{1}})
                    .outputs;
              },
              tensor({1, 2, 1}, {lstm_hidden(), 0})}},
            {{[] {
                lstm(random({2, 3, 10}), random({8, 2}));
              },
              {"[lstm]", "[2, 3, 10]", "4 · hidden"}},
             {[] {
                lstm(random({2, 3, 8}), random({2, 8}));
              },
              {"[lstm]", "weight", "[2, 8]", "[8, 2]", "[2, 3, 8]"}},
             {[] {
                lstm(random({2, 3, 8}), random({8, 2}), random({2}));
              },
              {"[lstm]", "hidden state", "[2]", "[2, 2]"}},
             {[] {
                lstm(random({2, 3, 8}), random({8, 2}), {}, random({3, 2}));
              },
              {"[lstm]", "cell state", "[3, 2]", "[2, 2]"}},
             {[] {
                lstm(random({2, 3, 8}), random({8, 2}), {}, {}, {{1, 2, 3}});
              },
              {"[lstm]", "3 lengths", "2 items"}},
             {[] {
                lstm(random({2, 3, 8}), random({8, 2}), {}, {}, {{1, 4}});
              },
              {"[lstm]", "item 1", "length 4", "3 steps"}}},
            {},
            true},
      OpRow{"lstm_layer",
            layer_samples(),
            {{[] {
                return lstm_layer(t({1, 1, 1}, {2}), t({4, 1}, {1, 1, 1, 1}), t({4, 1}, {0, 0, 0, 0}),
                                  t({4}, {-1, 0, 1, 2}), {}, t({1, 1}, {5}))
                    .hidden;
              },
              tensor({1, 1}, {lstm_hidden()})}},
            {{[] {
                lstm_layer(random({2, 3, 5}), random({8, 5}), random({8, 3}), {});
              },
              {"[lstm_layer]", "weight", "[8, 3]", "4 · hidden"}},
             {[] {
                lstm_layer(random({2, 3, 5}), random({8, 4}), random({8, 2}), {});
              },
              {"[lstm_layer]", "[2, 3, 5]", "[8, 4]", "[8, width]"}},
             {[] {
                lstm_layer(random({2, 3, 5}), random({8, 5}), random({8, 2}), random({2}));
              },
              {"[lstm_layer]", "bias", "[2]", "[8]"}},
             {[] {
                lstm_layer(random({2, 3, 5}), random({8, 5}), random({8, 2}), {}, random({2, 5}));
              },
              {"[lstm_layer]", "hidden state", "[2, 5]", "[2, 2]"}},
             {[] {
                lstm_layer(random({2, 3, 5}), random({8, 5}), random({8, 2}), {}, {}, random({3, 2}));
              },
              {"[lstm_layer]", "cell state", "[3, 2]", "[2, 2]"}},
             {[] {
                lstm_layer(random({2, 3, 5}), random({8, 5}), random({8, 2}), {}, {}, {}, {{4, 1}});
              },
              {"[lstm_layer]", "item 0", "length 4", "3 steps"}}},
            {},
            true},
      OpRow{"attentive_lstm",
            attentive_samples(),
            // One key: its value is the context, whatever the score.
            {{[] {
                return attentive_lstm(
                           t({1, 1, 4}, {-1, 0, 1, 2}),
                           {t({4, 1}, {0, 0, 0, 0}), t({4, 1}, {1, 1, 1, 1}), t({1, 1}, {3}), t({1}, {4})},
                           t({1, 1, 1}, {7}), t({1, 1, 1}, {2}), {}, t({1, 1}, {5}))
                    .hidden;
              },
              tensor({1, 1}, {lstm_hidden()})},
             // Nothing allowed: no context.
             {[] {
                return attentive_lstm(
                           t({1, 1, 4}, {1, 2, 3, 4}),
                           {t({4, 1}, {0, 0, 0, 0}), t({4, 1}, {1, 1, 1, 1}), t({1, 1}, {3}), t({1}, {4})},
                           t({1, 1, 1}, {7}), t({1, 1, 1}, {2}), {}, t({1, 1}, {5}), Mask::key_lengths({0}))
                    .hidden;
              },
              tensor({1, 1}, {lstm_hidden()})}},
            {attentive_misuse(0, {2, 3, 10}, {"inputs", "[2, 3, 10]", "4 · hidden"}),
             attentive_misuse(1, {12, 4}, {"recurrent weight", "[12, 4]", "[12, 3]"}),
             attentive_misuse(2, {12, 4}, {"context's weight", "[12, 4]", "[12, 5]"}),
             attentive_misuse(3, {3, 2}, {"query's weight", "[3, 2]", "[2, 3]"}),
             attentive_misuse(4, {3}, {"v has", "[3]", "[2]"}),
             attentive_misuse(5, {1, 4, 2}, {"keys", "[1, 4, 2]", "[2, keys, width]"}),
             attentive_misuse(6, {2, 3, 5}, {"keys", "[2, 4, 2]", "[2, 3, 5]"}),
             attentive_misuse(7, {3, 3}, {"hidden state", "[3, 3]", "[2, 3]"}),
             attentive_misuse(8, {2, 4}, {"cell state", "[2, 4]", "[2, 3]"})},
            {},
            true},
      OpRow{"gru",
            samples(run_gru, gru_inputs, 1),
            {{[] {
                return gru(t({1, 1, 3}, {1, 2, 3}), t({3, 1}, {1, 2, 3}), t({3}, {0, 0, 7}), t({1, 1}, {5}))
                    .hidden;
              },
              tensor({1, 1}, {gru_hidden()})}},
            {{[] {
                gru(random({2, 3, 8}), random({6, 2}), random({6}));
              },
              {"[gru]", "[2, 3, 8]", "3 · hidden"}},
             {[] {
                gru(random({2, 3, 6}), random({6, 3}), random({6}));
              },
              {"[gru]", "weight", "[6, 3]", "[6, 2]"}},
             {[] {
                gru(random({2, 3, 6}), random({6, 2}), random({2}));
              },
              {"[gru]", "bias", "[2]", "[6]"}},
             {[] {
                gru(random({2, 3, 6}), random({6, 2}), random({6}), random({2, 3}));
              },
              {"[gru]", "hidden state", "[2, 3]", "[2, 2]"}},
             {[] {
                gru(random({2, 3, 6}), random({6, 2}), random({6}), {}, {{4, 1}});
              },
              {"[gru]", "item 0", "length 4", "3 steps"}}},
            {},
            true},
  };
}

}  // namespace fovea::inline FOVEA_REAL
