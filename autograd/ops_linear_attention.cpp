#include "autograd/linear_attention.hpp"
#include "autograd/wanted.hpp"
#include "core/attention/linear.hpp"

namespace fovea::inline FOVEA_REAL {
namespace {

// Head by head: [items, rows, heads · width].
template <class T>
Matrices<T> by_head(T* data, const Shape& shape, std::size_t heads) {
  return {data, shape[1] * shape[2], shape[2] / heads, shape[2]};
}

// What a call is computed from, kept for backward.
struct Inputs {
  std::size_t heads;
  PlainMask mask;
  Value query, key, values, log_scale;

  LinearAttention attention() const {
    const auto of = [&](const Value& x) { return by_head<const Real>(x->data(), x->shape(), heads); };
    LinearAttention a{
        query->shape()[0],          heads, query->shape()[1], key->shape()[1], query->shape()[2] / heads,
        values->shape()[2] / heads, &mask, of(query),         of(key),         of(values)};
    if (log_scale) a.log_scale = of(log_scale);
    return a;
  }
};

void check_shapes(const Op& op, const Variable& query, const Variable& key, const Variable& values,
                  std::size_t heads, const Variable& log_scale) {
  check(query.rank() == 3 && key.rank() == 3 && key.shape()[0] == query.shape()[0] &&
            key.shape()[2] == query.shape()[2],
        op, "the features of keys have shape ", key.shape(), " and those of queries ", query.shape(),
        "; expected [batch, keys, heads · F] and [batch, queries, heads · F]");
  check(values.rank() == 3 && values.shape()[0] == key.shape()[0] && values.shape()[1] == key.shape()[1], op,
        "values have shape ", values.shape(), "; expected [", key.shape()[0], ", ", key.shape()[1],
        ", width] to match keys ", key.shape());
  check(heads > 0 && key.shape()[2] % heads == 0 && values.shape()[2] % heads == 0, op, "widths of ",
        key.shape()[2], " features and ", values.shape()[2], " values do not both divide into ", heads,
        " heads");
  const Shape scales{key.shape()[0], key.shape()[1], heads};
  check(!log_scale.defined() || log_scale.shape() == scales, op, "log scales have shape ",
        log_scale.defined() ? log_scale.shape() : Shape{}, "; expected ", scales, " to match keys ",
        key.shape());
}

}  // namespace

static const Op linear_attention_op{"linear_attention"};

Variable linear_attention(const Variable& query, const Variable& key, const Variable& values,
                          const Mask& mask, std::size_t heads, const Variable& log_scale) {
  const Op& op = linear_attention_op;
  check_shapes(op, query, key, values, heads, log_scale);
  const std::size_t items = query.shape()[0], queries = query.shape()[1];
  const std::optional<PlainMask> plain = mask.plain(items, queries, key.shape()[1]);
  check<ConfigError>(plain.has_value(), op,
                     "the mask has a part that sums over all keys so far cannot honour; they can honour key "
                     "lengths, query lengths and causal, joined by &. Scaled-dot attention takes any mask");
  Inputs in{heads, *plain, query.shared(), key.shared(), values.shared(), log_scale.shared()};
  auto context = std::make_shared<Tensor>(uninitialized({items, queries, values.shape()[2]}));
  auto totals = std::make_shared<Tensor>(uninitialized({items, heads, queries}));
  linear_forward(in.attention(), by_head(context->data(), context->shape(), heads), totals->data());

  std::vector<Variable> inputs{query, key, values};
  if (log_scale.defined()) inputs.push_back(log_scale);
  const Value result = std::move(context);
  return record_joint(op, {result}, inputs,
                      [in = std::move(in), wanted = WantedGradients(inputs), result,
                       totals = Value(std::move(totals))](Cotangents dy) {
                        auto [gradients, at] = wanted.room();
                        const auto of = [&](Real* to, const Value& like) {
                          return to ? by_head(to, like->shape(), in.heads) : Matrices<Real>();
                        };
                        const Shape& shape = result->shape();
                        linear_backward(in.attention(),
                                        {by_head<const Real>(result->data(), shape, in.heads),
                                         by_head<const Real>(dy[0]->data(), shape, in.heads), totals->data()},
                                        {of(at[0], in.query), of(at[1], in.key), of(at[2], in.values),
                                         at.size() > 3 ? of(at[3], in.log_scale) : Matrices<Real>()});
                        return std::move(gradients);
                      })[0];
}

}  // namespace fovea::inline FOVEA_REAL
