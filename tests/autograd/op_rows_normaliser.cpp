#include "autograd/op_rows.hpp"

namespace fovea::inline FOVEA_REAL {

namespace {

const Keep some({2, 1, 3}, {1, 0, 1, 0, 0, 0});  // the second item keeps nothing

}  // namespace

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
      OpRow{"sparsemax",
            {{{random({3, 5})}, [](In in) { return sparsemax(in[0]); }},
             {{random({2, 2, 3})}, [](In in) { return sparsemax(in[0], some); }},
             {{random({2, 0})}, [](In in) { return sparsemax(in[0]); }}},
            {{[] {
                return sparsemax(t({3, 3}, {1, 0.5, -3, 0, 0, 0, 7, 5, 5}));
              },
              tensor({3, 3}, {0.75, 0.25, 0, Real(1) / 3, Real(1) / 3, Real(1) / 3, 1, 0, 0})},
             {[] {
                return sparsemax(t({2, 3}, {1, Real(2e9), 1, 1, 2, 3}), Keep({2, 3}, {1, 0, 1, 0, 0, 0}));
              },
              tensor({2, 3}, {0.5, 0, 0.5, 0, 0, 0})}},
            {{[] { sparsemax(random({})); }, {"[sparsemax]", "scalar"}},
             {[] {
                sparsemax(random({2, 3}), Keep({4}, {1, 1, 1, 1}));
              },
              {"[sparsemax]", "[4]", "[2, 3]"}}}},
      OpRow{"top_k_softmax",
            {{{random({3, 5})}, [](In in) { return top_k_softmax(in[0], 2); }},
             {{random({2, 2, 3})}, [](In in) { return top_k_softmax(in[0], 1, some); }},
             {{random({3, 5})}, [](In in) { return top_k_softmax(in[0], 9); }},
             {{random({2, 0})}, [](In in) { return top_k_softmax(in[0], 3); }}},
            {{[] {
                return top_k_softmax(t({2, 3}, {1, 2, 2, 4, 4, 4}), 2);
              },
              tensor({2, 3}, {0, 0.5, 0.5, 0.5, 0.5, 0})}},
            {{[] {
                top_k_softmax(random({2, 3}), 0);
              },
              {"[top_k_softmax]", "k is 0"}},
             {[] { top_k_softmax(random({}), 1); }, {"[top_k_softmax]", "scalar"}},
             {[] {
                top_k_softmax(random({2, 3}), 2, Keep({4}, {1, 1, 1, 1}));
              },
              {"[top_k_softmax]", "[4]", "[2, 3]"}}}},
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
      OpRow{"norm",
            {{{random({3, 5})}, [](In in) { return norm(in[0]); }},
             {{random({2, 2, 3})}, [](In in) { return norm(in[0]); }},
             {{random({2, 0})}, [](In in) { return norm(in[0]); }}},
            {{[] {
                return norm(t({2, 2}, {3, -4, 0, 0}));
              },
              tensor({2}, {5, 0})}},
            {{[] { norm(random({})); }, {"[norm]", "scalar"}}}},
      OpRow{"l2_normalize",
            {{{random({3, 5})}, [](In in) { return l2_normalize(in[0]); }},
             {{random({2, 3})}, [](In in) { return l2_normalize(in[0], 0); }},
             {{random({2, 3})}, [](In in) { return l2_normalize(in[0], Real(10)); }}},
            {{[] {
                return l2_normalize(t({2, 2}, {3, 4, 0, 0}));
              },
              tensor({2, 2}, {0.6, 0.8, 0, 0})},
             {[] {
                return l2_normalize(t({2, 2}, {0, 0, 3, 4}), 0);
              },
              tensor({2, 2}, {0, 0, 0.6, 0.8})}},
            {{[] { l2_normalize(random({})); }, {"[l2_normalize]", "scalar"}},
             {[] { l2_normalize(random({2}), -1); }, {"[l2_normalize]", "eps"}}}},
      OpRow{"entropy",
            {{{positive({3, 5})}, [](In in) { return entropy(in[0]); }}},
            {{[] {
                return entropy(t({2, 3}, {0, 0.5, 0.5, 0, 0, 0}));
              },
              tensor({2}, {Real(0.6931471805599453), 0})}},
            {{[] { entropy(random({})); }, {"[entropy]", "scalar"}}}},
  };
}

}  // namespace fovea::inline FOVEA_REAL
