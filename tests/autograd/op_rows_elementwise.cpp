#include "autograd/op_rows.hpp"

namespace fovea::inline FOVEA_REAL {

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
      OpRow{"abs",
            one_input(abs, off_zero),
            {{[] {
                return abs(t({3}, {-1, 0, 2}));
              },
              tensor({3}, {1, 0, 2})}},
            {}},
      OpRow{"pow",
            {{{positive({3, 4})}, [](In in) { return pow(in[0], Real(2.5)); }},
             {{random({3, 4})}, [](In in) { return pow(in[0], Real(3)); }},
             {{random({4})}, [](In in) { return pow(in[0], Real(0)); }}},
            {{[] {
                return pow(t({2}, {3, -2}), Real(2));
              },
              tensor({2}, {9, 4})}},
            {}},
      OpRow{"gelu",
            one_input(gelu, random),
            {{[] {
                return gelu(t({3}, {0, 1, -1}));
              },
              tensor({3}, {0, Real(0.8413447460685429), Real(-0.15865525393145707)})}},
            {}},
      OpRow{"softplus",
            one_input(softplus, random),
            {{[] {
                return softplus(t({4}, {0, 100, -30, Real(-1000)}));
              },
              tensor({4}, {Real(0.6931471805599453), 100, Real(9.357622968839299e-14), 0})}},
            {}},
      OpRow{"where",
            {{{random({2, 3}), random({3}, 2)},
              [](In in) {
                return where(Keep({2, 1}, {1, 0}), in[0], in[1]);
              }},
             {{random({}), random({2}, 2)},
              [](In in) {
                return where(Keep({3, 1}, {1, 0, 1}), in[0], in[1]);
              }}},
            {{[] {
                return where(Keep({2}, {1, 0}), t({2}, {1, Real(NAN)}), t({2}, {Real(NAN), 4}));
              },
              tensor({2}, {1, 4})}},
            {{[] {
                where(Keep({2}, {1, 0}), Variable(random({3})), Variable(random({3})));
              },
              {"[where]", "[2]", "[3]"}}}},
      OpRow{"max",
            {{{random({3, 4})}, [](In in) { return max(in[0], -1); }},
             {{random({2, 3, 4})}, [](In in) { return max(in[0], 1, true); }}},
            {{[] {
                return max(t({2, 2}, {1, 5, 4, -3}), 1);
              },
              tensor({2}, {5, 4})},
             {[] {
                return max(t({3}, {1, Real(NAN), 4}), 0);
              },
              scalar(Real(NAN))}},
            {{[] {
                max(Variable(random({2, 0})), 1);
              },
              {"[max]", "[2, 0]", "empty"}},
             {[] {
                max(Variable(random({2, 2})), 2);
              },
              {"[max]", "axis 2"}}}},
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

}  // namespace fovea::inline FOVEA_REAL
