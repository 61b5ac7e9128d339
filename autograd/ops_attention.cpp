#include "autograd/ordered_parts.hpp"
#include "autograd/record.hpp"
#include "core/elementwise.hpp"

namespace fovea::inline FOVEA_REAL {
namespace {

struct Sizes {
  std::size_t items, heads, queries, keys, width, value_width;

  Shape scores() const {
    return heads == 1 ? Shape{items, queries, keys} : Shape{items, heads, queries, keys};
  }
  Shape rows() const { return heads == 1 ? Shape{items, queries} : Shape{items, heads, queries}; }
};

void check_options(const Op& op, const Sizes& sizes, std::size_t width, const AttentionOptions& options) {
  check(sizes.heads > 0 && width % sizes.heads == 0, op, "a width of ", width, " does not divide into ",
        sizes.heads, " heads");
  check(!options.bias.defined() || broadcasts_to(options.bias.shape(), sizes.scores()), op,
        "the bias has shape ", options.bias.defined() ? options.bias.shape() : Shape{},
        ", which does not broadcast to the scores' ", sizes.scores());
  check(0 <= options.dropout && options.dropout < 1, op, "dropout ", options.dropout,
        "; expected 0 ≤ dropout < 1");
  check<ConfigError>(options.dropout == 0 || options.rng, op, "dropout ", options.dropout,
                     " without an rng to draw from");
}

Sizes sizes_of(const Op& op, const Variable& query, const Variable& keys, const Variable& values,
               const AttentionOptions& options) {
  check(query.rank() == 3 && keys.rank() == 3, op, "queries have shape ", query.shape(), " and keys ",
        keys.shape(), "; expected [batch, time, width] for both");
  const std::size_t items = query.shape()[0], heads = options.heads;
  check(keys.length(-1) == query.length(-1) && (keys.shape()[0] == items || keys.shape()[0] == 1), op,
        "keys have shape ", keys.shape(), "; expected [", items, " or 1, keys, ", query.length(-1),
        "] to match queries ", query.shape());
  Sizes sizes{items, heads, query.shape()[1], keys.shape()[1], 0, 0};
  check_options(op, sizes, query.length(-1), options);
  sizes.width = query.length(-1) / heads;
  if (values.defined()) {
    check(values.rank() == 3 && values.shape()[1] == sizes.keys &&
              (values.shape()[0] == items || values.shape()[0] == 1),
          op, "values have shape ", values.shape(), "; expected [", items, " or 1, ", sizes.keys,
          ", width] to match keys ", keys.shape());
    check(values.length(-1) % heads == 0, op, "a width of ", values.length(-1),
          " of the values does not divide into ", heads, " heads");
    sizes.value_width = values.length(-1) / heads;
  }
  return sizes;
}

/// [items or 1, rows, heads · width] head by head.
template <class T>
Matrices<T> heads_of(T* data, const Shape& shape, std::size_t heads) {
  return {data, shape[0] == 1 ? 0 : shape[1] * shape[2], shape[2] / heads, shape[2]};
}

/// The same of queries or contexts, of which every item has its own.
template <class T>
Matrices<T> rows_of(T* data, const Shape& shape, std::size_t heads) {
  return {data, shape[1] * shape[2], shape[2] / heads, shape[2]};
}

/// A bias of any shape that broadcasts to the scores': its steps along item, head, query and key.
void set_bias(Attention& a, const Tensor& bias, const Shape& scores) {
  std::size_t steps[4] = {0, 0, 0, 0};
  const Shape& shape = bias.shape();
  std::size_t step = 1;
  for (std::size_t back = 1; back <= shape.size(); ++back) {
    const std::size_t length = shape[shape.size() - back];
    // Without heads the third axis from the end is the item's.
    const std::size_t at = back == 3 && scores.size() == 3 ? 0 : 4 - back;
    steps[at] = length == 1 ? 0 : step;
    step *= length;
  }
  a.bias = {bias.data(), steps[0], steps[1], steps[2]};
  a.bias_key_step = steps[3];
}

/// All that an attention is computed from, kept alive for backward. Where queries, keys and values lie side
/// by side in one tensor, `query` holds it and `keys` and `values` are empty.
struct Inputs {
  Sizes sizes;
  bool packed = false;
  Value query, keys = {}, values = {}, bias = {}, v = {};
  Real scale = 1;
  std::optional<MaskView> mask = {};
  double dropout = 0;
  Rng rng{};
  std::vector<AttentionPart> parts = {};  // where there are some, they have mask and rng

  Attention attention() const {
    Attention a{sizes.items,
                sizes.heads,
                sizes.queries,
                sizes.keys,
                sizes.width,
                sizes.value_width,
                v ? ScoreKind::additive : ScoreKind::dot};
    a.scale = scale;
    if (packed) {
      set_packed(query->data(), a.query, a.key, a.value);
    } else {
      a.query = rows_of(query->data(), query->shape(), sizes.heads);
      a.key = heads_of(keys->data(), keys->shape(), sizes.heads);
      if (values) a.value = heads_of(values->data(), values->shape(), sizes.heads);
    }
    if (v) a.v = v->data();
    if (bias) set_bias(a, *bias, sizes.scores());
    if (mask) a.mask = &*mask;
    a.dropout = dropout;
    a.rng = &rng;
    return a;
  }

  bool has_values() const { return packed || values; }

  template <class T>
  void set_packed(T* data, Matrices<T>& to_query, Matrices<T>& to_key, Matrices<T>& to_value) const {
    const std::size_t all = sizes.heads * sizes.width, step = 3 * all;
    to_query = {data, sizes.queries * step, sizes.width, step};
    to_key = to_value = to_query;
    to_key.data += all;
    to_value.data += 2 * all;
  }
};

enum Result { context, scores, weights, entropy, results };

/// What backward needs beside the inputs.
struct Kept {
  Value context, weights;
  std::vector<RowStatistics> rows;
};

struct Wanted {
  bool query, keys, values, bias, v;
};

Gradients gradients_of(const Inputs& in, const Kept& kept, const Wanted& wanted,
                       const std::array<int, results>& slot, Cotangents dy) {
  const auto of = [&](Result which) {
    return slot[which] < 0 ? Value() : dy[static_cast<std::size_t>(slot[which])];
  };
  AttentionCotangents from;
  from.rows = kept.rows.data();
  if (const Value& d = of(context)) {
    from.context = rows_of<const Real>(kept.context->data(), d->shape(), in.sizes.heads);
    from.context_cotangent = rows_of<const Real>(d->data(), d->shape(), in.sizes.heads);
  }
  if (const Value& d = of(weights)) {
    from.weights = kept.weights->data();
    from.weights_cotangent = d->data();
  }
  if (const Value& d = of(scores)) from.scores = d->data();
  if (const Value& d = of(entropy)) from.entropy = d->data();

  AttentionGradients to;
  Gradients gradients;
  // One for each input that there is; empty where nobody wants it.
  const auto add = [&](const Value& input, bool want) -> Tensor* {
    if (!input) return nullptr;
    auto made = want ? std::make_shared<Tensor>(uninitialized(input->shape())) : nullptr;
    gradients.push_back(made);
    return made.get();
  };
  if (Tensor* d = add(in.query, wanted.query)) {
    if (in.packed) {
      in.set_packed(d->data(), to.query, to.key, to.value);
    } else {
      to.query = rows_of(d->data(), d->shape(), in.sizes.heads);
    }
  }
  if (Tensor* d = add(in.keys, wanted.keys)) to.key = heads_of(d->data(), d->shape(), in.sizes.heads);
  if (Tensor* d = add(in.values, wanted.values)) to.value = heads_of(d->data(), d->shape(), in.sizes.heads);
  if (Tensor* d = add(in.v, wanted.v)) to.v = d->data();
  Tensor bias;
  if (in.bias && wanted.bias) {
    bias = uninitialized(in.sizes.scores());
    to.bias = bias.data();
  }
  if (in.parts.empty()) {
    attend_backward(in.attention(), from, to);
  } else {
    attend_backward(in.attention(), in.parts, from, to);
  }
  if (in.bias) gradients.push_back(to.bias ? share(numbers::sum_to(bias, in.bias->shape())) : Value());
  return gradients;
}

std::vector<AttentionPart> parts_of(const Op& op, const Inputs& in, std::span<const OrderedPairs> parts,
                                    const AttentionOptions& options) {
  const Sizes& sizes = in.sizes;
  check<ConfigError>(!options.bias.defined(), op, "a bias is not for an attention in parts");
  check(in.values != nullptr, op, "values are undefined");
  check(in.keys->shape()[0] == sizes.items && in.values->shape()[0] == sizes.items, op, "keys have shape ",
        in.keys->shape(), " and values ", in.values->shape(), "; expected those of each of the ", sizes.items,
        " items");
  return detail::ordered_parts(op, parts, {sizes.items, sizes.heads, sizes.queries, sizes.keys}, options);
}

Attended attend(const Op& op, Inputs in, const std::vector<Variable>& inputs, const Wanted& wanted,
                const AttentionOptions& options) {
  if (options.bias.defined()) in.bias = options.bias.shared();
  if (!options.mask.allows_all() && in.parts.empty())
    in.mask = options.mask.view(in.sizes.items, in.sizes.queries, in.sizes.keys);
  in.dropout = options.dropout;
  if (options.dropout > 0 && in.parts.empty()) {
    in.rng = *options.rng;
    options.rng->skip((volume(in.sizes.scores()) + 1) / 2);
  }
  auto kept = std::make_shared<Kept>();
  kept->rows.resize(volume(in.sizes.rows()));
  AttentionResults to;
  to.rows = kept->rows.data();
  std::array<Tensor, results> made;
  std::array<int, results> slot{-1, -1, -1, -1};
  int next = 0;
  const auto make = [&](Result which, bool want, const Shape& shape) {
    if (!want) return static_cast<Real*>(nullptr);
    slot[which] = next++;
    made[which] = uninitialized(shape);
    return made[which].data();
  };
  const Shape context_shape{in.sizes.items, in.sizes.queries, in.sizes.heads * in.sizes.value_width};
  if (Real* data = make(context, in.has_values(), context_shape)) {
    to.context = rows_of(data, context_shape, in.sizes.heads);
  }
  to.scores = make(scores, options.want.scores, in.sizes.scores());
  to.weights = make(weights, options.want.weights, in.sizes.scores());
  to.entropy = make(entropy, options.want.entropy, in.sizes.rows());
  const bool normalised = to.context || to.weights || to.entropy;
  if (!normalised) to.rows = nullptr;
  if (in.parts.empty()) {
    attend_forward(in.attention(), to);
  } else {
    attend_forward(in.attention(), in.parts, to);
  }

  std::vector<Value> values;
  for (std::size_t which = 0; which < results; ++which) {
    if (slot[which] >= 0) values.push_back(share(std::move(made[which])));
  }
  if (values.empty()) return {};
  if (slot[context] >= 0) kept->context = values[static_cast<std::size_t>(slot[context])];
  if (slot[weights] >= 0) kept->weights = values[static_cast<std::size_t>(slot[weights])];
  const std::vector<Variable> out =
      record_joint(op, std::move(values), inputs, [in = std::move(in), kept, wanted, slot](Cotangents dy) {
        return gradients_of(in, *kept, wanted, slot, dy);
      });
  const auto at = [&](Result which) {
    return slot[which] < 0 ? Variable() : out[static_cast<std::size_t>(slot[which])];
  };
  return {at(context), at(scores), at(weights), at(entropy)};
}

/// In the order of `gradients_of`.
std::vector<Variable> defined_of(std::initializer_list<Variable> inputs) {
  std::vector<Variable> result;
  for (const Variable& input : inputs) {
    if (input.defined()) result.push_back(input);
  }
  return result;
}

Attended additive(const Op& op, const Variable& a, const Variable& b, const Variable& v,
                  const Variable& values, const AttentionOptions& options,
                  const std::span<const OrderedPairs>* parts = nullptr) {
  const Sizes sizes = sizes_of(op, a, b, values, options);
  check(v.shape() == Shape{sizes.heads * sizes.width}, op, "v has shape ", v.shape(), "; expected ",
        Shape{sizes.heads * sizes.width}, " to match queries ", a.shape());
  Inputs in{
      .sizes = sizes, .query = a.shared(), .keys = b.shared(), .values = values.shared(), .v = v.shared()};
  if (parts) in.parts = parts_of(op, in, *parts, options);
  return attend(op, std::move(in), defined_of({a, b, values, v, options.bias}),
                {a.tracked(), b.tracked(), values.tracked(), options.bias.tracked(), v.tracked()}, options);
}

Attended dot(const Op& op, const Variable& query, const Variable& keys, const Variable& values, Real scale,
             const AttentionOptions& options, const std::span<const OrderedPairs>* parts = nullptr) {
  Inputs in{.sizes = sizes_of(op, query, keys, values, options),
            .query = query.shared(),
            .keys = keys.shared(),
            .values = values.shared(),
            .scale = scale};
  if (parts) in.parts = parts_of(op, in, *parts, options);
  return attend(op, std::move(in), defined_of({query, keys, values, options.bias}),
                {query.tracked(), keys.tracked(), values.tracked(), options.bias.tracked(), false}, options);
}

}  // namespace

static const Op dot_attention_op{"dot_attention"};

Attended dot_attention(const Variable& query, const Variable& keys, const Variable& values, Real scale,
                       const AttentionOptions& options) {
  return dot(dot_attention_op, query, keys, values, scale, options);
}

static const Op packed_attention_op{"packed_attention"};

Attended packed_attention(const Variable& packed, Real scale, const AttentionOptions& options) {
  check(packed.rank() == 3 && packed.length(-1) % 3 == 0, packed_attention_op, "the input has shape ",
        packed.shape(), "; expected [batch, time, 3 · width]: queries, keys and values side by side");
  const std::size_t items = packed.shape()[0], time = packed.shape()[1], width = packed.shape()[2] / 3;
  const Op& op = packed_attention_op;
  check_options(op, {items, options.heads, time, time, 0, 0}, width, options);
  const Sizes sizes{items, options.heads, time, time, width / options.heads, width / options.heads};
  Inputs in{.sizes = sizes, .packed = true, .query = packed.shared(), .scale = scale};
  return attend(op, std::move(in), defined_of({packed, options.bias}),
                {packed.tracked(), false, false, options.bias.tracked(), false}, options);
}

static const Op additive_attention_op{"additive_attention"};

Attended additive_attention(const Variable& a, const Variable& b, const Variable& v, const Variable& values,
                            const AttentionOptions& options) {
  return additive(additive_attention_op, a, b, v, values, options);
}

static const Op additive_scores_op{"additive_scores"};

Variable additive_scores(const Variable& a, const Variable& b, const Variable& v) {
  AttentionOptions options;
  options.want.scores = true;
  return additive(additive_scores_op, a, b, v, {}, options).scores;
}

Attended dot_attention_in_parts(const Variable& query, const Variable& keys, const Variable& values,
                                Real scale, std::span<const OrderedPairs> parts,
                                const AttentionOptions& options) {
  return dot(dot_attention_op, query, keys, values, scale, options, &parts);
}

Attended additive_attention_in_parts(const Variable& a, const Variable& b, const Variable& v,
                                     const Variable& values, std::span<const OrderedPairs> parts,
                                     const AttentionOptions& options) {
  return additive(additive_attention_op, a, b, v, values, options, &parts);
}

}  // namespace fovea::inline FOVEA_REAL
