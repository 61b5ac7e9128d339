#include "autograd/op_table.hpp"

#include "core/draw.hpp"

namespace fovea::inline FOVEA_REAL {
namespace {

using In = std::span<const Variable>;

// Fixed random numbers; each call has its own.
Tensor random(const Shape& shape, std::uint64_t seed = 1) {
  Rng rng(seed);
  return normal(rng, shape, 0, 1);
}
// Away from zero, where log, sqrt and division have their edges.
Tensor positive(const Shape& shape, std::uint64_t seed = 2) {
  Rng rng(seed);
  return uniform(rng, shape, Real(0.5), Real(2));
}
// Away from the kink of relu.
Tensor off_zero(const Shape& shape, std::uint64_t seed = 3) {
  Tensor t = random(shape, seed);
  for (Real& x : t) x += x < 0 ? Real(-0.1) : Real(0.1);
  return t;
}

Variable t(const Shape& shape, std::initializer_list<Real> values) { return tensor(shape, values); }

// Shapes of two inputs that meet: equal, repeated rows, repeated columns, both, scalar, zero-size.
const std::vector<std::pair<Shape, Shape>> meetings = {{{2, 3}, {2, 3}},   {{2, 3}, {3}},   {{2, 1}, {2, 3}},
                                                       {{2, 1}, {1, 3}},   {{2, 3, 2}, {}}, {{0, 3}, {3}},
                                                       {{4, 1, 2}, {3, 1}}};

std::vector<OpSample> two_inputs(Variable (*op)(const Variable&, const Variable&)) {
  std::vector<OpSample> samples;
  for (const auto& [a, b] : meetings) {
    samples.push_back({{random(a), positive(b)}, [op](In in) { return op(in[0], in[1]); }});
  }
  return samples;
}

std::vector<OpSample> one_input(Variable (*op)(const Variable&),
                                Tensor (*draw)(const Shape&, std::uint64_t)) {
  std::vector<OpSample> samples;
  for (const Shape& shape : {Shape{3, 5}, Shape{}, Shape{0, 2}, Shape{17}}) {
    samples.push_back({{draw(shape, 7)}, [op](In in) { return op(in[0]); }});
  }
  return samples;
}

std::vector<OpMisuse> no_common_shape(Variable (*op)(const Variable&, const Variable&),
                                      const std::string& name) {
  return {{[op] { op(random({2, 3}), random({4})); }, {"[" + name + "]", "[2, 3]", "[4]", "broadcast"}}};
}

const Keep some({2, 1, 3}, {1, 0, 1, 0, 0, 0});  // the second item keeps nothing

std::vector<OpRow> elementwise_rows() {
  return {
      OpRow{"add",
            two_inputs(add),
            {{[] {
                return add(t({2}, {1, 2}), t({2, 1}, {10, 20}));
              },
              tensor({2, 2}, {11, 12, 21, 22})}},
            no_common_shape(add, "add")},
      OpRow{"sub",
            two_inputs(sub),
            {{[] {
                return sub(t({2}, {1, 2}), t({2}, {10, 30}));
              },
              tensor({2}, {-9, -28})}},
            no_common_shape(sub, "sub")},
      OpRow{"mul",
            two_inputs(mul),
            {{[] {
                return mul(t({2}, {3, 2}), t({2}, {10, -3}));
              },
              tensor({2}, {30, -6})}},
            no_common_shape(mul, "mul")},
      OpRow{"div",
            two_inputs(div),
            {{[] {
                return div(t({2}, {3, 2}), t({2}, {2, -4}));
              },
              tensor({2}, {1.5, -0.5})}},
            no_common_shape(div, "div")},
      OpRow{"neg",
            one_input(neg, random),
            {{[] {
                return neg(t({2}, {3, -2}));
              },
              tensor({2}, {-3, 2})}},
            {}},
      OpRow{"scale",
            {{{random({3, 4})}, [](In in) { return scale(in[0], Real(-1.7)); }}},
            {{[] {
                return scale(t({2}, {3, -2}), Real(0.5));
              },
              tensor({2}, {1.5, -1})}},
            {}},
      OpRow{"exp",
            one_input(exp, random),
            {{[] {
                return exp(t({2}, {0, 1}));
              },
              tensor({2}, {1, Real(2.718281828459045)})}},
            {}},
      OpRow{"log",
            one_input(log, positive),
            {{[] {
                return log(t({2}, {1, 10}));
              },
              tensor({2}, {0, Real(2.302585092994046)})}},
            {}},
      OpRow{"sqrt",
            one_input(sqrt, positive),
            {{[] {
                return sqrt(t({2}, {4, 2}));
              },
              tensor({2}, {2, Real(1.4142135623730951)})}},
            {}},
      OpRow{"tanh",
            one_input(tanh, random),
            {{[] {
                return tanh(t({2}, {0, -1}));
              },
              tensor({2}, {0, Real(-0.7615941559557649)})}},
            {}},
      OpRow{"sigmoid",
            one_input(sigmoid, random),
            {{[] {
                return sigmoid(t({2}, {0, 2}));
              },
              tensor({2}, {0.5, Real(0.8807970779778823)})}},
            {}},
      OpRow{"relu",
            one_input(relu, off_zero),
            {{[] {
                return relu(t({3}, {-1, 0, 2}));
              },
              tensor({3}, {0, 0, 2})}},
            {}},
      OpRow{"dropout",
            {{{random({5, 4})},
              [](In in) {
                Rng rng(5);
                return dropout(in[0], 0.4, rng);
              }}},
            {{[] {
                Rng rng(5);
                return dropout(t({2}, {3, -2}), 0.0, rng);
              },
              tensor({2}, {3, -2})}},
            {{[] {
                Rng rng(5);
                dropout(random({2}), 1.0, rng);
              },
              {"[dropout]", "rate 1", "rate < 1"}},
             {[] {
                Rng rng(5);
                dropout(random({2}), -0.1, rng);
              },
              {"[dropout]", "-0.1"}}}},
  };
}

OpSample product_sample(const Shape& a, const Shape& b, bool ta, bool tb) {
  return {{random(a), random(b, 2)}, [ta, tb](In in) { return matmul(in[0], in[1], ta, tb); }};
}

std::vector<OpRow> product_rows() {
  return {
      OpRow{"matmul",
            {product_sample({2, 3}, {3, 4}, false, false), product_sample({3, 2}, {3, 4}, true, false),
             product_sample({2, 3}, {4, 3}, false, true), product_sample({3, 2}, {4, 3}, true, true),
             product_sample({5, 2, 3}, {5, 3, 4}, false, false),
             product_sample({5, 2, 3}, {3, 4}, false, false), product_sample({2, 3}, {5, 4, 3}, false, true),
             product_sample({2, 1, 2, 3}, {3, 3, 2}, false, false),
             product_sample({2, 1, 3, 2}, {3, 2, 3}, true, true),
             product_sample({0, 3}, {3, 2}, false, false), product_sample({2, 0}, {0, 3}, false, false)},
            {{[] {
                return matmul(t({2, 2}, {1, 2, 3, 4}), t({2, 1}, {10, 1}));
              },
              tensor({2, 1}, {12, 34})},
             {[] {
                return matmul(t({2, 2}, {1, 2, 3, 4}), t({2, 1}, {10, 1}), true);
              },
              tensor({2, 1}, {13, 24})},
             {[] {
                return matmul(t({1, 2}, {1, 2}), t({2, 2}, {1, 2, 3, 4}), false, true);
              },
              tensor({1, 2}, {5, 11})}},
            {{[] {
                matmul(random({2, 3}), random({2, 3}));
              },
              {"[matmul]", "[2, 3]", "inner"}},
             {[] {
                matmul(random({3}), random({3, 2}));
              },
              {"[matmul]", "[3]", "two axes"}},
             {[] {
                matmul(random({2, 2, 3}), random({3, 3, 2}));
              },
              {"[matmul]", "batch"}}}},
      OpRow{"weighted_sum",
            {{{random({2, 3, 4}), random({2, 4, 5}, 2)}, [](In in) { return weighted_sum(in[0], in[1]); }},
             {{random({2, 3, 4}), random({1, 4, 5}, 2)}, [](In in) { return weighted_sum(in[0], in[1]); }},
             {{random({2, 3, 0}), random({2, 0, 5}, 2)}, [](In in) { return weighted_sum(in[0], in[1]); }}},
            {{[] {
                return weighted_sum(t({1, 1, 2}, {0, 2}), t({1, 2, 1}, {Real(NAN), 3}));
              },
              tensor({1, 1, 1}, {6})}},
            {{[] {
                weighted_sum(random({2, 3, 4}), random({2, 3, 5}));
              },
              {"[weighted_sum]", "[2, 3, 4]", "[2, 3, 5]"}}}},
      OpRow{"linear",
            {{{random({4, 3}), random({2, 3}, 2), random({2}, 3)},
              [](In in) { return linear(in[0], in[1], in[2]); }},
             {{random({2, 4, 3}), random({5, 3}, 2)}, [](In in) { return linear(in[0], in[1]); }},
             {{random({0, 3}), random({2, 3}, 2), random({2}, 3)},
              [](In in) { return linear(in[0], in[1], in[2]); }},
             {{random({3}), random({2, 3}, 2), random({2}, 3)},
              [](In in) { return linear(in[0], in[1], in[2]); }}},
            {{[] {
                return linear(t({2}, {1, 2}), t({3, 2}, {1, 0, 0, 1, 1, 1}), t({3}, {10, 20, 30}));
              },
              tensor({3}, {11, 22, 33})}},
            {{[] {
                linear(random({2, 3}), random({2, 4}));
              },
              {"[linear]", "[2, 3]", "[2, 4]"}},
             {[] {
                linear(random({2, 3}), random({2, 3}), random({3}));
              },
              {"[linear]", "bias", "[3]", "[2]"}},
             {[] {
                linear(random({2, 3}), random({3}));
              },
              {"[linear]", "weight", "[outputs, inputs]"}}}},
  };
}

std::vector<OpRow> layout_rows() {
  return {
      OpRow{"sum",
            {{{random({3, 4})}, [](In in) { return sum(in[0]); }},
             {{random({2, 3, 4})}, [](In in) { return sum(in[0], 1); }},
             {{random({2, 3, 4})}, [](In in) { return sum(in[0], -1, true); }},
             {{random({0, 3})}, [](In in) { return sum(in[0], 0); }}},
            {{[] {
                return sum(t({2, 2}, {1, 2, 3, 4}));
              },
              scalar(10)},
             {[] {
                return sum(t({2, 2}, {1, 2, 3, 4}), 0);
              },
              tensor({2}, {4, 6})},
             {[] {
                return sum(t({2, 2}, {1, 2, 3, 4}), 1, true);
              },
              tensor({2, 1}, {3, 7})}},
            {{[] {
                sum(Variable(random({2, 3})), 2);
              },
              {"[sum]", "axis 2", "[2, 3]"}}}},
      OpRow{"mean",
            {{{random({3, 4})}, [](In in) { return mean(in[0]); }},
             {{random({2, 3, 4})}, [](In in) { return mean(in[0], -2); }},
             {{random({0, 3})}, [](In in) { return mean(in[0]); }}},
            {{[] {
                return mean(t({2, 2}, {1, 2, 3, 4}));
              },
              scalar(2.5)},
             {[] {
                return mean(t({2, 2}, {1, 2, 3, 4}), 0);
              },
              tensor({2}, {2, 3})},
             {[] {
                return mean(Variable(random({0, 3})));
              },
              scalar(0)}},
            {{[] {
                mean(Variable(random({2, 3})), -3);
              },
              {"[mean]", "axis -3", "[2, 3]"}}}},
      OpRow{"reshape",
            {{{random({2, 6})},
              [](In in) {
                return reshape(in[0], {3, 4});
              }}},
            {{[] {
                return reshape(t({2, 2}, {1, 2, 3, 4}), {4});
              },
              tensor({4}, {1, 2, 3, 4})}},
            {{[] {
                reshape(random({2, 3}), {4});
              },
              {"[reshape]", "[2, 3]", "[4]", "6"}}}},
      OpRow{"permute",
            {{{random({2, 3, 4})},
              [](In in) {
                return permute(in[0], {2, 0, 1});
              }},
             {{random({2, 3})},
              [](In in) {
                return permute(in[0], {1, 0});
              }}},
            {{[] {
                return permute(t({2, 3}, {1, 2, 3, 4, 5, 6}), {1, 0});
              },
              tensor({3, 2}, {1, 4, 2, 5, 3, 6})}},
            {{[] {
                permute(random({2, 3}), {0, 0});
              },
              {"[permute]", "[0, 0]", "[2, 3]"}},
             {[] {
                permute(random({2, 3}), {0});
              },
              {"[permute]", "once"}},
             {[] {
                permute(random({2, 3}), {0, 2});
              },
              {"[permute]", "[0, 2]"}}}},
      OpRow{"slice",
            {{{random({4, 3})}, [](In in) { return slice(in[0], 0, 1, 3); }},
             {{random({2, 5, 2})}, [](In in) { return slice(in[0], -2, 2, 5); }},
             {{random({2, 3})}, [](In in) { return slice(in[0], 1, 1, 1); }}},
            {{[] {
                return slice(t({2, 3}, {1, 2, 3, 4, 5, 6}), 1, 1, 3);
              },
              tensor({2, 2}, {2, 3, 5, 6})}},
            {{[] {
                slice(random({2, 3}), 1, 2, 4);
              },
              {"[slice]", "2", "4", "[2, 3]"}},
             {[] {
                slice(random({2, 3}), 2, 0, 1);
              },
              {"[slice]", "axis 2"}}}},
      OpRow{"concat",
            {{{random({2, 3}), random({2, 1}, 2), random({2, 2}, 3)},
              [](In in) {
                return concat({in.begin(), in.end()}, -1);
              }},
             {{random({2, 3}), random({0, 3}, 2)},
              [](In in) {
                return concat({in.begin(), in.end()}, 0);
              }}},
            {{[] {
                return concat({t({1, 2}, {1, 2}), t({1, 1}, {3})}, 1);
              },
              tensor({1, 3}, {1, 2, 3})}},
            {{[] {
                concat({random({2, 3}), random({3, 3})}, 1);
              },
              {"[concat]", "[2, 3]", "[3, 3]"}},
             {[] { concat({}, 0); }, {"[concat]", "nothing"}}}},
      OpRow{"gather",
            {{{random({4, 3})},
              [](In in) {
                return gather(in[0], Ids({2, 3}, {0, 3, 3, 1, 0, 3}));
              }},
             {{random({4, 3})}, [](In in) { return gather(in[0], Ids({0}, {})); }}},
            {{[] {
                return gather(t({2, 2}, {1, 2, 3, 4}), Ids({1, 0}));
              },
              tensor({2, 2}, {3, 4, 1, 2})}},
            {{[] {
                gather(random({4, 3}), Ids({2, 2}, {0, 1, 2, 4}));
              },
              {"[gather]", "id 4", "[1, 1]", "4 rows"}},
             {[] {
                gather(random({4, 3}), Ids({0, -1}));
              },
              {"[gather]", "id -1", "[1]"}},
             {[] { gather(random({4}), Ids({0})); }, {"[gather]", "[4]"}}}},
      OpRow{"embedding_bag",
            {{{random({4, 3})},
              [](In in) {
                return embedding_bag(in[0], Ids({0, 3, 3, 1}), {0, 2, 2, 4}, Bag::mean);
              }},
             {{random({4, 3})},
              [](In in) {
                return embedding_bag(in[0], Ids({0, 3, 3, 1}), {0, 3, 4}, Bag::sum);
              }}},
            {{[] {
                return embedding_bag(t({2, 1}, {1, 3}), Ids({0, 1, 1}), {0, 2, 2, 3}, Bag::mean);
              },
              tensor({3, 1}, {2, 0, 3})},
             {[] {
                return embedding_bag(t({2, 1}, {1, 3}), Ids({0, 1, 1}), {0, 3}, Bag::sum);
              },
              tensor({1, 1}, {7})}},
            {{[] {
                embedding_bag(random({4, 3}), Ids({0, 4}), {0, 2}, Bag::sum);
              },
              {"[embedding_bag]", "id 4"}},
             {[] {
                embedding_bag(random({4, 3}), Ids({0, 1}), {0, 1}, Bag::sum);
              },
              {"[embedding_bag]", "offsets", "2"}},
             {[] {
                embedding_bag(random({4, 3}), Ids({0, 1}), {0, 2, 1, 2}, Bag::sum);
              },
              {"offset 2", "smaller"}}}},
  };
}

std::vector<OpRow> normaliser_rows() {
  return {
      OpRow{"softmax",
            {{{random({3, 5})}, [](In in) { return softmax(in[0], -1); }},
             {{random({3, 5, 2})}, [](In in) { return softmax(in[0], 1); }},
             {{random({2, 0})}, [](In in) { return softmax(in[0], 1); }},
             {{random({2, 1})}, [](In in) { return softmax(in[0], 1); }}},
            {{[] {
                return softmax(t({1, 2}, {0, Real(1.0986122886681098)}), 1);
              },
              tensor({1, 2}, {0.25, 0.75})},
             {[] {
                return softmax(t({2, 1}, {0, Real(1.0986122886681098)}), 0);
              },
              tensor({2, 1}, {0.25, 0.75})}},
            {{[] {
                softmax(random({2, 3}), 2);
              },
              {"[softmax]", "axis 2", "[2, 3]"}}}},
      OpRow{"log_softmax",
            {{{random({3, 5})}, [](In in) { return log_softmax(in[0], -1); }},
             {{random({3, 5, 2})}, [](In in) { return log_softmax(in[0], 0); }}},
            {{[] {
                return log_softmax(t({2}, {1000, 1000}), 0);
              },
              tensor({2}, {Real(-0.6931471805599453), Real(-0.6931471805599453)})}},
            {{[] { log_softmax(random({}), 0); }, {"[log_softmax]", "axis 0", "[]"}}}},
      OpRow{
          "masked_softmax",
          {{{random({2, 2, 3})}, [](In in) { return masked_softmax(in[0], some); }},
           {{random({2, 3})},
            [](In in) {
              return masked_softmax(in[0], Keep({3}, {0, 1, 1}));
            }},
           {{random({2, 3})},
            [](In in) {
              return masked_softmax(in[0], Keep({2, 1}, {0, 1}));
            }}},
          {{[] {
              return masked_softmax(t({2, 3}, {1, Real(2e9), 1, 1, 2, 3}), Keep({2, 3}, {1, 0, 1, 0, 0, 0}));
            },
            tensor({2, 3}, {0.5, 0, 0.5, 0, 0, 0})}},
          {{[] {
              masked_softmax(random({2, 3}), Keep({4}, {1, 1, 1, 1}));
            },
            {"[masked_softmax]", "[4]", "[2, 3]"}}}},
      OpRow{"layer_norm",
            {{{random({3, 5}), positive({5}), random({5}, 3)},
              [](In in) { return layer_norm(in[0], in[1], in[2]); }},
             {{random({2, 2, 4}), positive({4}), random({4}, 3)},
              [](In in) { return layer_norm(in[0], in[1], in[2], Real(0.1)); }},
             {{random({0, 4}), positive({4}), random({4}, 3)},
              [](In in) { return layer_norm(in[0], in[1], in[2]); }}},
            {{[] {
                return layer_norm(t({2}, {1, 3}), t({2}, {1, 2}), t({2}, {0, 10}), Real(1e-12));
              },
              tensor({2}, {-1, 12})}},
            {{[] {
                layer_norm(random({2, 3}), random({2}), random({3}));
              },
              {"[layer_norm]", "[2]", "[3]", "[2, 3]"}},
             {[] {
                layer_norm(random({2, 3}), random({3}), random({3}), 0);
              },
              {"[layer_norm]", "eps", "positive"}}}},
      OpRow{"l2_normalize",
            {{{random({3, 5})}, [](In in) { return l2_normalize(in[0]); }},
             {{random({2, 3})}, [](In in) { return l2_normalize(in[0], Real(10)); }}},
            {{[] {
                return l2_normalize(t({2, 2}, {3, 4, 0, 0}));
              },
              tensor({2, 2}, {0.6, 0.8, 0, 0})}},
            {{[] { l2_normalize(random({})); }, {"[l2_normalize]", "scalar"}}}},
      OpRow{"entropy",
            {{{positive({3, 5})}, [](In in) { return entropy(in[0]); }}},
            {{[] {
                return entropy(t({2, 3}, {0, 0.5, 0.5, 0, 0, 0}));
              },
              tensor({2}, {Real(0.6931471805599453), 0})}},
            {{[] { entropy(random({})); }, {"[entropy]", "scalar"}}}},
      OpRow{"cross_entropy",
            {{{random({3, 5})},
              [](In in) {
                return cross_entropy(in[0], Ids({4, 0, 2}));
              }},
             {{random({2, 2, 3})},
              [](In in) {
                return cross_entropy(in[0], Ids({2, 2}, {0, 1, 2, 2}));
              }}},
            {{[] {
                return cross_entropy(t({2, 2}, {0, 0, Real(1000), 0}), Ids({1, 0}));
              },
              tensor({2}, {Real(0.6931471805599453), 0})}},
            {{[] {
                cross_entropy(random({3, 5}), Ids({0, 1}));
              },
              {"[cross_entropy]", "[2]", "[3]", "[3, 5]"}},
             {[] {
                cross_entropy(random({2, 5}), Ids({0, 5}));
              },
              {"[cross_entropy]", "id 5", "[1]"}}}},
      OpRow{"mse",
            {{{random({3, 5}), random({3, 5}, 2)}, [](In in) { return mse(in[0], in[1]); }},
             {{random({0, 5}), random({0, 5}, 2)}, [](In in) { return mse(in[0], in[1]); }}},
            {{[] {
                return mse(t({2}, {1, 2}), t({2}, {3, 1}));
              },
              scalar(2.5)}},
            {{[] {
                mse(random({4, 1}), random({4}));
              },
              {"[mse]", "[4, 1]", "[4]"}}}},
  };
}

}  // namespace

const std::vector<OpRow>& op_table() {
  static const std::vector<OpRow> table = [] {
    std::vector<OpRow> rows;
    for (auto part : {elementwise_rows(), product_rows(), layout_rows(), normaliser_rows()}) {
      rows.insert(rows.end(), part.begin(), part.end());
    }
    return rows;
  }();
  return table;
}

}  // namespace fovea::inline FOVEA_REAL
