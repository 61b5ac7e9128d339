#include "modules/attention/multi_head.hpp"

#include <cmath>

#include "modules/init.hpp"

namespace fovea::inline FOVEA_REAL {
namespace {

AttentionOptions options_for(const MultiHead& module, const AttendOptions& options, Pass& pass) {
  return {options.mask, options.bias, pass.training ? options.dropout : 0,
          &pass.rng,    options.want, module.heads};
}

Real scale_of(const MultiHead& module) {
  return Real(1) / std::sqrt(static_cast<Real>(module.out.weight.shape()[0] / module.heads));
}

Attended joined(const MultiHead& module, Attended attended) {
  attended.context = module.out(attended.context);
  return attended;
}

}  // namespace

MultiHead::MultiHead(std::size_t width, std::size_t in_heads, Rng& rng) : heads(in_heads) {
  check<ConfigError>(heads > 0 && width % heads == 0, "multi-head", "a width of ", width,
                     " does not divide into ", heads, " heads");
  in = Linear(xavier_uniform(rng, {3 * width, width}), Bias::yes);
  out = Linear(xavier_uniform(rng, {width, width}), Bias::yes);
}

Attended MultiHead::operator()(const Variable& x, Pass& pass, const AttendOptions& options) const {
  return joined(*this, packed_attention(in(x), scale_of(*this), options_for(*this, options, pass)));
}

Attended MultiHead::operator()(const Variable& query, const Variable& keys, const Variable& values,
                               Pass& pass, const AttendOptions& options) const {
  const std::size_t width = out.weight.shape()[0];
  const auto part = [&](const Variable& x, std::size_t n) {
    return linear(x, slice(in.weight, 0, n * width, (n + 1) * width),
                  slice(in.bias, 0, n * width, (n + 1) * width));
  };
  return joined(*this, dot_attention(part(query, 0), part(keys, 1), part(values, 2), scale_of(*this),
                                     options_for(*this, options, pass)));
}

}  // namespace fovea::inline FOVEA_REAL
