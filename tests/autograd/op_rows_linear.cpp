#include "autograd/linear_attention.hpp"
#include "autograd/op_rows.hpp"

namespace fovea::inline FOVEA_REAL {
namespace {

// Features of 2 heads · 3, values of 2 heads · 2.
std::vector<Tensor> linear_inputs(std::size_t items, std::size_t queries, std::size_t keys) {
  return {positive({items, queries, 6}, 1), positive({items, keys, 6}, 2), random({items, keys, 4}, 3)};
}

OpSample linear_sample(std::vector<Tensor> inputs, const Mask& mask) {
  return {std::move(inputs), [mask](In in) {
            return linear_attention(in[0], in[1], in[2], mask, 2, in.size() > 3 ? in[3] : Variable());
          }};
}

OpSample scaled_sample(const Mask& mask) {
  std::vector<Tensor> inputs = linear_inputs(2, 4, 5);
  inputs.push_back(random({2, 5, 2}, 4));
  return linear_sample(std::move(inputs), mask);
}

// Features and log scales in one row, so that both have cotangents.
OpSample random_features_sample(const Shape& shape, std::size_t heads, const Shape& directions) {
  return {{random(shape, 5)}, [heads, w = share(random(directions, 6))](In in) {
            const std::vector<Variable> made = random_features(in[0], w, heads);
            return concat({reshape(made[0], {made[0].size()}), reshape(made[1], {made[1].size()})}, 0);
          }};
}

}  // namespace

std::vector<OpRow> linear_attention_rows() {
  const Mask lengths = Mask::key_lengths({5, 2}) & Mask::query_lengths({3, 4});
  const Real e = std::exp(Real(-1));
  return {
      {"linear_attention",
       {linear_sample(linear_inputs(2, 4, 5), {}), linear_sample(linear_inputs(2, 5, 5), Mask::causal()),
        linear_sample(linear_inputs(2, 4, 5), lengths),
        linear_sample(linear_inputs(2, 4, 5), lengths & Mask::causal()),
        linear_sample(linear_inputs(2, 5, 4), Mask::causal()),
        linear_sample(linear_inputs(2, 4, 5), Mask::causal(-2)),
        linear_sample(linear_inputs(1, 70, 66), Mask::causal()), linear_sample(linear_inputs(0, 3, 4), {}),
        scaled_sample({}), scaled_sample(Mask::causal()), scaled_sample(lengths & Mask::causal())},
       // Weights 2 and 6 of a query 2; under causal the first row sees the first value alone.
       {{[] {
           return linear_attention(t({1, 1, 1}, {2}), t({1, 2, 1}, {1, 3}), t({1, 2, 1}, {4, 8}), {}, 1);
         },
         tensor({1, 1, 1}, {7})},
        {[] {
           return linear_attention(t({1, 2, 1}, {2, 5}), t({1, 2, 1}, {1, 3}), t({1, 2, 1}, {4, 8}),
                                   Mask::causal(), 1);
         },
         tensor({1, 2, 1}, {4, 7})},
        {[] {
           return linear_attention(t({1, 1, 1}, {2}), t({1, 2, 1}, {1, 1}), t({1, 2, 1}, {4, 8}), {}, 1,
                                   t({1, 2, 1}, {0, std::log(Real(3))}));
         },
         tensor({1, 1, 1}, {7})}},
       {{[] {
           linear_attention(positive({2, 3, 4}), positive({2, 5, 3}), random({2, 5, 4}), {}, 1);
         },
         {"[linear_attention]", "[2, 5, 3]", "[2, 3, 4]", "[batch, keys, heads · F]"}},
        {[] {
           linear_attention(positive({2, 3, 4}), positive({1, 5, 4}), random({1, 5, 4}), {}, 1);
         },
         {"[linear_attention]", "[1, 5, 4]", "[2, 3, 4]"}},
        {[] {
           linear_attention(positive({2, 3, 4}), positive({2, 5, 4}), random({2, 4, 4}), {}, 1);
         },
         {"[linear_attention]", "values", "[2, 4, 4]", "[2, 5, 4]"}},
        {[] {
           linear_attention(positive({2, 3, 4}), positive({2, 5, 4}), random({2, 5, 3}), {}, 2);
         },
         {"[linear_attention]", "4 features", "3 values", "2 heads"}},
        {[] {
           linear_attention(positive({2, 3, 4}), positive({2, 5, 4}), random({2, 5, 4}), {}, 2,
                            random({2, 5, 1}));
         },
         {"[linear_attention]", "log scales", "[2, 5, 1]", "[2, 5, 2]"}},
        {[] {
           linear_attention(positive({2, 3, 4}), positive({2, 5, 4}), random({2, 5, 4}),
                            Mask::key_lengths({6, 1}), 1);
         },
         {"item 0", "key length 6 of 5"}}}},
      {"elu_plus_one",
       one_input(elu_plus_one, off_zero),
       {{[] {
           return elu_plus_one(t({3}, {-1, 0, Real(2.5)}));
         },
         tensor({3}, {e, 1, Real(3.5)})}},
       {}},
      {.name = "random_features",
       .samples = {random_features_sample({2, 3, 4}, 2, {5, 2}), random_features_sample({3}, 1, {1, 3}),
                   random_features_sample({70, 2}, 1, {3, 2}), random_features_sample({0, 2}, 2, {3, 1})},
       // w · x' = 1 · 2 and -1 · 2 with D = 1, so exponents 0 and -4 below 2 - 2.
       .examples = {{[] {
                       return random_features(t({1, 1}, {2}), share(tensor({2, 1}, {1, -1})), 1)[0];
                     },
                     tensor({1, 2}, {std::sqrt(Real(0.5)), std::exp(Real(-4)) * std::sqrt(Real(0.5))})},
                    {[] {
                       return random_features(t({1, 1}, {3}), share(tensor({2, 1}, {1, -1})), 1)[1];
                     },
                     tensor({1, 1}, {Real(-1.5)})}},
       .misuses = {{[] {
                      random_features(random({2, 6}), share(random({5, 4})), 2);
                    },
                    {"[random_features]", "[2, 6]", "2 heads · 4", "[5, 4]"}},
                   {[] {
                      random_features(random({2, 6}), nullptr, 2);
                    },
                    {"[random_features]", "[features, width of a head]"}}},
       .joined = true},
  };
}

}  // namespace fovea::inline FOVEA_REAL
