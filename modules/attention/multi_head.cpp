#include "modules/attention/multi_head.hpp"

#include <cmath>

#include "core/draw.hpp"
#include "modules/init.hpp"

namespace fovea::inline FOVEA_REAL {
namespace {

constexpr std::string_view here = "multi-head";

AttentionOptions options_for(const MultiHead& module, const AttendOptions& options, Pass& pass) {
  check<ConfigError>(!options.composed, here, "there is no composed path; attend has one");
  check<ConfigError>(options.normalizer.is_softmax(), here,
                     "heads have no normaliser but softmax; attend has others");
  check(module.heads == 1 || !options.bias.defined() || options.bias.rank() != 3, here, "the bias has shape ",
        options.bias.defined() ? options.bias.shape() : Shape{},
        "; expected four axes [batch, heads, queries, keys], or two that all heads share");
  const double rate = options.dropout != 0 ? options.dropout : module.dropout;
  return {options.mask, options.bias, pass.training ? rate : 0, &pass.rng, wanted(options.want, pass),
          module.heads};
}

void check_shape(const MultiHead& module, const char* what, const Variable& x) {
  check(x.rank() == 3 && x.length(-1) == module.width(), here, what, " have shape ", x.shape(),
        "; expected [batch, time, ", module.width(), "]");
}

Real scale_of(const MultiHead& module) {
  return module.score == HeadScore::dot
             ? Real(1)
             : Real(1) / std::sqrt(static_cast<Real>(module.width() / module.heads));
}

// Projections `begin` … `end`-1 of queries, keys and values, side by side: these rows of the one weight.
Variable projected(const MultiHead& module, const Variable& x, std::size_t begin, std::size_t end) {
  const std::size_t first = begin * module.width(), last = end * module.width();
  return linear(x, slice(module.in.weight, 0, first, last), slice(module.in.bias, 0, first, last));
}

bool same(const Variable& a, const Variable& b) {
  return a.shared() == b.shared() && a.node() == b.node() && a.slot() == b.slot();
}

// Heads that all have one mask, in their part of the width; `v` is for additive ones.
Attended alike(const MultiHead& module, const Variable& query, const Variable& keys, const Variable& values,
               const Variable& v, const AttentionOptions& options) {
  return module.score == HeadScore::additive ? additive_attention(query, keys, v, values, options)
                                             : dot_attention(query, keys, values, scale_of(module), options);
}

// Whether some heads follow the pattern, and some do not.
bool is_mixed(const MultiHead& module) {
  return module.pattern.heads > 0 && module.pattern.heads < module.heads;
}

Mask mask_of(const MultiHead& module, const Mask& mask) { return mask & module.pattern.mask(); }

// By head, side by side.
Variable beside(const Variable& a, const Variable& b, std::size_t rank) {
  return a.defined() ? concat({by_head(a, rank), by_head(b, rank)}, 1) : a;
}

// The first heads with the pattern, the others without.
Attended mixed(const MultiHead& module, const Variable& query, const Variable& keys, const Variable& values,
               const AttentionOptions& options) {
  check<ConfigError>(!options.bias.defined() || options.bias.rank() < 4 || options.bias.shape()[1] == 1, here,
                     "a bias for each head is not for heads of which some have a pattern");
  const std::size_t size = module.width() / module.heads, border = module.pattern.heads * size;
  const auto part = [&](std::size_t begin, std::size_t end, const Mask& mask) {
    const auto cut = [&](const Variable& x) { return slice(x, -1, begin, end); };
    AttentionOptions own = options;
    own.mask = mask;
    own.heads = (end - begin) / size;
    return alike(module, cut(query), cut(keys), cut(values),
                 module.score == HeadScore::additive ? cut(module.v) : Variable(), own);
  };
  const Attended local = part(0, border, mask_of(module, options.mask)),
                 rest = part(border, module.width(), options.mask);
  return {concat({local.context, rest.context}, -1), beside(local.scores, rest.scores, 4),
          beside(local.weights, rest.weights, 4), beside(local.entropy, rest.entropy, 3)};
}

Attended by_heads(const MultiHead& module, const Variable& query, const Variable& keys,
                  const Variable& values, AttentionOptions options) {
  if (is_mixed(module)) return mixed(module, query, keys, values, options);
  options.mask = mask_of(module, options.mask);
  return alike(module, query, keys, values, module.v, options);
}

Attended joined(const MultiHead& module, const Attended& of, Pass& pass) {
  const Attended result{module.out(of.context), by_head(of.scores, 4), by_head(of.weights, 4),
                        by_head(of.entropy, 3)};
  observe(module.probe, result, pass);
  return result;
}

// Rows [width, width] of additive heads' projections: those of each head are orthonormal.
Tensor orthogonal_heads(Rng& rng, std::size_t width, std::size_t heads) {
  Tensor rows = uninitialized({width, width});
  Real* to = rows.data();
  for (std::size_t head = 0; head < heads; ++head) {
    const Tensor one = orthogonal(rng, {width / heads, width});
    to = std::copy_n(one.data(), one.size(), to);
  }
  return rows;
}

Tensor start_of_in(Rng& rng, std::size_t width, std::size_t heads, HeadScore score) {
  if (score != HeadScore::additive) return xavier_uniform(rng, {3 * width, width});
  Tensor rows = uninitialized({3 * width, width});
  Real* to = rows.data();
  for (const Tensor& part : {orthogonal_heads(rng, width, heads), orthogonal_heads(rng, width, heads),
                             xavier_uniform(rng, {width, width})}) {
    to = std::copy_n(part.data(), part.size(), to);
  }
  return rows;
}

}  // namespace

HeadScore head_score(const std::string& name) {
  if (name == "dot") return HeadScore::dot;
  if (name == "scaled_dot") return HeadScore::scaled_dot;
  if (name == "additive") return HeadScore::additive;
  throw ConfigError("[multi-head] heads have no score \"" + name + "\"; known are dot, scaled_dot, additive");
}

MultiHead::MultiHead(std::size_t width, std::size_t in_heads, Rng& rng, HeadScore in_score, double in_dropout)
    : heads(in_heads), score(in_score), dropout(in_dropout) {
  check<ConfigError>(heads > 0 && width % heads == 0, here, "a width of ", width, " does not divide into ",
                     heads, " heads");
  check<ConfigError>(0 <= dropout && dropout < 1, here, "dropout ", dropout, "; expected 0 ≤ dropout < 1");
  in = Linear(start_of_in(rng, width, heads, score), Bias::yes);
  out = Linear(xavier_uniform(rng, {width, width}), Bias::yes);
  if (score == HeadScore::additive) {
    v = Param(normal(rng, {width}, 0, Real(1) / std::sqrt(static_cast<Real>(width / heads))));
  }
}

Attended MultiHead::operator()(const Variable& x, Pass& pass, const AttendOptions& options) const {
  check_shape(*this, "inputs", x);
  AttentionOptions to_op = options_for(*this, options, pass);
  const Variable packed = in(x);
  if (score != HeadScore::additive && !is_mixed(*this)) {
    to_op.mask = mask_of(*this, to_op.mask);
    return joined(*this, packed_attention(packed, scale_of(*this), to_op), pass);
  }
  const std::vector<Variable> parts = split(packed, -1, 3);
  return joined(*this, by_heads(*this, parts[0], parts[1], parts[2], to_op), pass);
}

Attended MultiHead::operator()(const Variable& query, const Variable& keys, const Variable& values,
                               Pass& pass, const AttendOptions& options) const {
  return attend_prepared(query, prepare(keys, values), pass, options);
}

MultiHead::Prepared MultiHead::prepare(const Variable& keys, const Variable& values) const {
  check_shape(*this, "keys", keys);
  check_shape(*this, "values", values);
  if (!same(keys, values)) return {projected(*this, keys, 1, 2), projected(*this, values, 2, 3)};
  const std::vector<Variable> both = split(projected(*this, keys, 1, 3), -1, 2);
  return {both[0], both[1]};
}

Attended MultiHead::attend_prepared(const Variable& query, const Prepared& prepared, Pass& pass,
                                    const AttendOptions& options) const {
  check_shape(*this, "queries", query);
  check_shape(*this, "prepared keys", prepared.keys);
  check_shape(*this, "prepared values", prepared.values);
  const AttentionOptions to_op = options_for(*this, options, pass);
  return joined(*this, by_heads(*this, projected(*this, query, 0, 1), prepared.keys, prepared.values, to_op),
                pass);
}

}  // namespace fovea::inline FOVEA_REAL
