#include "modules/attention/multi_head.hpp"

#include <cmath>

#include "modules/init.hpp"

namespace fovea::inline FOVEA_REAL {
namespace {

constexpr std::string_view here = "multi-head";

AttentionOptions options_for(const MultiHead& module, const AttendOptions& options, Pass& pass) {
  check<ConfigError>(!options.composed, here, "there is no composed path; attend has one");
  check(module.heads == 1 || !options.bias.defined() || options.bias.rank() != 3, here, "the bias has shape ",
        options.bias.defined() ? options.bias.shape() : Shape{},
        "; expected four axes [batch, heads, queries, keys], or two that all heads share");
  return {options.mask, options.bias, pass.training ? options.dropout : 0,
          &pass.rng,    options.want, module.heads};
}

void check_shape(const MultiHead& module, const char* what, const Variable& x) {
  const std::size_t width = module.out.weight.shape()[0];
  check(x.rank() == 3 && x.length(-1) == width, here, what, " have shape ", x.shape(),
        "; expected [batch, time, ", width, "]");
}

Real scale_of(const MultiHead& module) {
  return Real(1) / std::sqrt(static_cast<Real>(module.out.weight.shape()[0] / module.heads));
}

// With an axis for the heads, also of one.
Variable by_head(const Variable& x, std::size_t heads) {
  if (!x.defined() || heads > 1) return x;
  Shape shape = x.shape();
  shape.insert(shape.begin() + 1, 1);
  return reshape(x, shape);
}

Attended joined(const MultiHead& module, const Attended& of) {
  return {module.out(of.context), by_head(of.scores, module.heads), by_head(of.weights, module.heads),
          by_head(of.entropy, module.heads)};
}

}  // namespace

MultiHead::MultiHead(std::size_t width, std::size_t in_heads, Rng& rng) : heads(in_heads) {
  check<ConfigError>(heads > 0 && width % heads == 0, "multi-head", "a width of ", width,
                     " does not divide into ", heads, " heads");
  in = Linear(xavier_uniform(rng, {3 * width, width}), Bias::yes);
  out = Linear(xavier_uniform(rng, {width, width}), Bias::yes);
}

Attended MultiHead::operator()(const Variable& x, Pass& pass, const AttendOptions& options) const {
  check_shape(*this, "inputs", x);
  return joined(*this, packed_attention(in(x), scale_of(*this), options_for(*this, options, pass)));
}

Attended MultiHead::operator()(const Variable& query, const Variable& keys, const Variable& values,
                               Pass& pass, const AttendOptions& options) const {
  check_shape(*this, "queries", query);
  check_shape(*this, "keys", keys);
  check_shape(*this, "values", values);
  const std::size_t width = out.weight.shape()[0];
  const auto part = [&](const Variable& x, std::size_t n) {
    return linear(x, slice(in.weight, 0, n * width, (n + 1) * width),
                  slice(in.bias, 0, n * width, (n + 1) * width));
  };
  return joined(*this, dot_attention(part(query, 0), part(keys, 1), part(values, 2), scale_of(*this),
                                     options_for(*this, options, pass)));
}

}  // namespace fovea::inline FOVEA_REAL
