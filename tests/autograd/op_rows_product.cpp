#include "autograd/op_rows.hpp"

namespace fovea::inline FOVEA_REAL {

namespace {

OpSample product_sample(const Shape& a, const Shape& b, bool ta, bool tb) {
  return {{random(a), random(b, 2)}, [ta, tb](In in) { return matmul(in[0], in[1], ta, tb); }};
}

}  // namespace

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

}  // namespace fovea::inline FOVEA_REAL
