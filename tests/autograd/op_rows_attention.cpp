#include "autograd/attention_parts.hpp"
#include "autograd/op_rows.hpp"

namespace fovea::inline FOVEA_REAL {
namespace {

// All results in one row of numbers, so that each of them has cotangents.
Variable joined(const Attended& result) {
  std::vector<Variable> parts;
  for (const Variable& part : {result.context, result.scores, result.weights, result.entropy}) {
    if (part.defined()) parts.push_back(reshape(part, {part.size()}));
  }
  return concat(parts, 0);
}

constexpr Want everything{true, true, true};

AttentionOptions options(Mask mask = {}, Want want = {}, std::size_t heads = 1) {
  return {std::move(mask), {}, 0, nullptr, want, heads};
}

Attended dot(In in, const AttentionOptions& options) {
  return dot_attention(in[0], in[1], in.size() > 2 ? in[2] : Variable(), Real(0.7), options);
}
Attended additive(In in, const AttentionOptions& options) {
  return additive_attention(in[0], in[1], in[2], in.size() > 3 ? in[3] : Variable(), options);
}

std::vector<Tensor> dot_inputs(std::size_t items, std::size_t key_items, std::size_t value_items = 1) {
  return {random({items, 3, 4}), random({key_items, 5, 4}, 2), random({value_items, 5, 2}, 3)};
}
std::vector<Tensor> additive_inputs(std::size_t items, std::size_t key_items, std::size_t value_items = 1) {
  return {random({items, 3, 4}), random({key_items, 5, 4}, 2), random({4}, 4),
          random({value_items, 5, 2}, 3)};
}

template <class Call>
std::vector<OpSample> samples(const Call& call,
                              std::vector<Tensor> (*inputs)(std::size_t, std::size_t, std::size_t)) {
  const auto with = [&](std::vector<Tensor> in, AttentionOptions o) {
    return OpSample{std::move(in), [call, o](In variables) { return joined(call(variables, o)); }};
  };
  std::vector<Tensor> without_values = inputs(2, 2, 2), nothing = inputs(0, 0, 0);
  without_values.pop_back();
  return {with(inputs(2, 2, 2), options()),
          with(inputs(2, 2, 2), options({}, everything)),
          with(inputs(2, 1, 1), options({}, everything)),
          with(inputs(2, 1, 2), options({}, everything)),
          with(inputs(2, 2, 1), options(Mask::causal(), {true, false, true})),
          with(inputs(2, 2, 2), options(Mask::causal(0) & Mask::key_lengths({2, 5}), everything)),
          with(inputs(2, 1, 1), options(Mask::query_lengths({0, 3}), {false, true, true})),
          with(inputs(2, 2, 2), options({}, everything, 2)),
          with(std::move(without_values), options(Mask::window(1, 1), {false, true, true})),
          with(std::move(nothing), options({}, everything))};
}

OpSample with_bias(const Shape& shape) {
  return {
      {random({2, 3, 4}), random({2, 5, 4}, 2), random({2, 5, 2}, 3), random(shape, 5)}, [](In in) {
        return joined(dot_attention(in[0], in[1], in[2], 1, {Mask::causal(), in[3], 0, nullptr, everything}));
      }};
}

std::vector<OpSample> dot_samples() {
  std::vector<OpSample> all = samples(dot, dot_inputs);
  for (const Shape& shape : {Shape{2, 3, 5}, Shape{3, 5}, Shape{5}, Shape{3, 1}, Shape{2, 1, 1}}) {
    all.push_back(with_bias(shape));
  }
  all.push_back(
      {{random({2, 3, 4}), random({2, 5, 4}, 2), random({2, 5, 2}, 3), random({2, 1, 5}, 5)}, [](In in) {
         return joined(dot_attention(in[0], in[1], in[2], 1, {{}, in[3], 0, nullptr, everything, 2}));
       }});
  all.push_back({dot_inputs(2, 2, 2), [](In in) {
                   Rng rng(3);
                   return joined(dot_attention(in[0], in[1], in[2], 1, {{}, {}, 0.4, &rng, everything}));
                 }});
  return all;
}

// Two parts: keys before and from a border, in orders of their own, of each item or of each head.
std::vector<OrderedPairs> two_parts(std::size_t heads) {
  std::vector<OrderedPairs> parts;
  for (const bool later : {false, true}) {
    std::vector<std::int64_t> queries, keys;
    std::vector<unsigned char> keep;
    for (std::size_t n = 0; n < 2 * heads; ++n) {
      const std::int64_t turn = later ? static_cast<std::int64_t>(n) : 2;
      for (std::int64_t i = 0; i < 3; ++i) queries.push_back((i + turn) % 3);
      for (std::int64_t j = 0; j < 5; ++j) {
        keys.push_back((3 * j + turn) % 5);
        keep.push_back((keys.back() < 2) != later);
      }
    }
    parts.push_back(
        {Ids({2, heads, 3}, queries), Ids({2, heads, 5}, keys), Mask::keep(Keep({2 * heads, 1, 5}, keep))});
  }
  return parts;
}

template <class Call>
std::vector<OpSample> samples_in_parts(const Call& call, const std::vector<Tensor>& inputs) {
  std::vector<OpSample> all;
  for (const std::size_t heads : {1, 2}) {
    for (const Mask& mask : {Mask(), Mask::causal(0) & Mask::key_lengths({0, 4})}) {
      for (const double rate : {0.0, 0.4}) {
        const auto in_parts = [=](In in) {
          Rng rng(3);
          return joined(call(in, two_parts(heads), {mask, {}, rate, &rng, everything, 2}));
        };
        all.push_back({inputs, in_parts});
      }
    }
  }
  return all;
}

Attended dot_in_parts(In in, const std::vector<OrderedPairs>& parts, const AttentionOptions& options) {
  return dot_attention_in_parts(in[0], in[1], in[2], Real(0.7), parts, options);
}
Attended additive_in_parts(In in, const std::vector<OrderedPairs>& parts, const AttentionOptions& options) {
  return additive_attention_in_parts(in[0], in[1], in[2], in[3], parts, options);
}

std::vector<OpSample> with(std::vector<OpSample> all, const std::vector<OpSample>& more) {
  all.insert(all.end(), more.begin(), more.end());
  return all;
}

OpSample packed_sample(const AttentionOptions& options) {
  return {{random({2, 3, 12})},
          [options](In in) { return joined(packed_attention(in[0], Real(0.6), options)); }};
}

const Real h = Real(0.5);

}  // namespace

std::vector<OpRow> attention_rows() {
  return {
      OpRow{
          "dot_attention",
          with(dot_samples(), samples_in_parts(dot_in_parts, dot_inputs(2, 2, 2))),
          {{[] {
              return dot_attention(t({1, 1, 1}, {0}), t({1, 2, 1}, {1, 2}), t({1, 2, 1}, {4, 8}), 1).context;
            },
            tensor({1, 1, 1}, {6})},
           {[] {
              return dot_attention(t({1, 1, 1}, {0}), t({1, 2, 1}, {1, 2}), t({1, 2, 1}, {4, 8}), 1,
                                   options(Mask::key_lengths({0})))
                  .context;
            },
            tensor({1, 1, 1}, {0})}},
          {{[] {
              dot_attention(random({2, 3, 4}), random({2, 5, 3}), {}, 1);
            },
            {"[dot_attention]", "[2, 3, 4]", "[2, 5, 3]"}},
           {[] {
              dot_attention(random({2, 3, 4}), random({2, 5, 4}), random({2, 4, 4}), 1);
            },
            {"[dot_attention]", "values", "[2, 4, 4]"}},
           {[] {
              dot_attention(random({2, 3, 4}), random({2, 5, 4}), {}, 1, options({}, everything, 3));
            },
            {"[dot_attention]", "3 heads"}},
           {[] {
              dot_attention(random({2, 3, 4}), random({2, 5, 4}), {}, 1, {{}, random({4, 5})});
            },
            {"[dot_attention]", "bias", "[4, 5]"}},
           {[] {
              dot_attention(random({2, 3, 4}), random({2, 5, 4}), {}, 1, {{}, {}, 1.0});
            },
            {"[dot_attention]", "dropout"}}},
          {},
          true},
      OpRow{"packed_attention",
            {packed_sample(options({}, everything)), packed_sample(options(Mask::causal(), everything, 2)),
             packed_sample(options(Mask::key_lengths({3, 1}), {}, 4))},
            {{[] {
                return packed_attention(t({1, 1, 3}, {1, 2, 7}), 1).context;
              },
              tensor({1, 1, 1}, {7})}},
            {{[] {
                packed_attention(random({2, 3, 4}), 1);
              },
              {"[packed_attention]", "[2, 3, 4]", "side by side"}},
             {[] {
                packed_attention(random({2, 3, 6}), 1, options({}, {}, 4));
              },
              {"[packed_attention]", "4 heads"}}},
            {},
            true},
      OpRow{"additive_attention",
            with(samples(additive, additive_inputs),
                 samples_in_parts(additive_in_parts, additive_inputs(2, 2, 2))),
            {{[] {
                return additive_attention(t({1, 1, 1}, {0}), t({1, 2, 1}, {1, 1}), t({1}, {3}),
                                          t({1, 2, 1}, {4, 8}))
                    .context;
              },
              tensor({1, 1, 1}, {6})}},
            {{[] {
                additive_attention(random({2, 3, 4}), random({2, 5, 4}), random({3}), {});
              },
              {"[additive_attention]", "v", "[3]", "[4]"}}},
            {},
            true},
      OpRow{"additive_scores",
            {{{random({2, 3, 4}), random({2, 5, 4}, 2), random({4}, 3)},
              [](In in) { return additive_scores(in[0], in[1], in[2]); }},
             {{random({2, 3, 5}), random({1, 5, 5}, 2), random({5}, 3)},
              [](In in) { return additive_scores(in[0], in[1], in[2]); }},
             {{random({2, 0, 5}), random({1, 5, 5}, 2), random({5}, 3)},
              [](In in) { return additive_scores(in[0], in[1], in[2]); }}},
            {{[] {
                return additive_scores(t({1, 1, 2}, {h, 1}), t({1, 1, 2}, {h, -1}), t({2}, {2, 3}));
              },
              tensor({1, 1, 1}, {static_cast<Real>(2 * std::tanh(1.0))})}},
            {{[] {
                additive_scores(random({2, 4}), random({2, 5, 4}), random({4}));
              },
              {"[additive_scores]", "[2, 4]"}}}},
  };
}

}  // namespace fovea::inline FOVEA_REAL
