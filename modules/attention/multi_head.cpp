#include "modules/attention/multi_head.hpp"

#include <algorithm>
#include <cmath>

#include "autograd/rotation.hpp"
#include "core/draw.hpp"
#include "modules/attention/heads.hpp"
#include "modules/init.hpp"

namespace fovea::inline FOVEA_REAL {
namespace {

constexpr std::string_view here = "multi-head";

bool all_have_weights(const MultiHead& module) { return std::ranges::all_of(module.scores, has_weights); }

// What is computed beside the context: what the caller wants, and what the pass can see of it.
Want wanted_of(const MultiHead& module, const Want& by_caller, const Pass& pass) {
  if (all_have_weights(module)) {
    const Want all = wanted(by_caller, pass);
    return module.low_rank ? Want{by_caller.scores, by_caller.weights, all.entropy} : all;
  }
  check<ConfigError>(
      !by_caller.scores && !by_caller.weights && !by_caller.entropy, here,
      "heads that score by linear or random_features have no scores, weights or entropy to show");
  return {};
}

AttentionOptions options_for(const MultiHead& module, const AttendOptions& options, Pass& pass) {
  check<ConfigError>(!options.composed, here, "there is no composed path; attend has one");
  check<ConfigError>(options.normalizer.is_softmax(), here,
                     "heads have no normaliser but softmax; attend has others");
  check(module.heads == 1 || !options.bias.defined() || options.bias.rank() != 3, here, "the bias has shape ",
        options.bias.defined() ? options.bias.shape() : Shape{},
        "; expected four axes [batch, heads, queries, keys], or two that all heads share");
  const double rate = options.dropout != 0 ? options.dropout : module.dropout;
  return {
      options.mask, options.bias, pass.training ? rate : 0, &pass.rng, wanted_of(module, options.want, pass),
      module.heads};
}

void check_shape(const char* what, const Variable& x, std::size_t width) {
  check(x.rank() == 3 && x.length(-1) == width, here, what, " have shape ", x.shape(),
        "; expected [batch, time, ", width, "]");
}

std::size_t key_value_width(const MultiHead& module) { return module.key_value_heads * module.head_width(); }

// Rows `begin` … `end`-1 of the one projection.
Variable projected(const MultiHead& module, const Variable& x, std::size_t begin, std::size_t end) {
  return linear(x, slice(module.in.weight, 0, begin, end), slice(module.in.bias, 0, begin, end));
}

bool same(const Variable& a, const Variable& b) {
  return a.shared() == b.shared() && a.node() == b.node() && a.slot() == b.slot();
}

// Queries or keys, the first of which stands at position `first`.
Variable turned(const MultiHead& module, const Variable& x, std::size_t first) {
  return module.rotary ? rotate_pairs(x, x.length(-1) / module.head_width(), first) : x;
}

// Keys and values that lie side by side.
MultiHead::Prepared parted(const MultiHead& module, const Variable& both, std::size_t first) {
  const std::vector<Variable> parts = split(both, -1, 2);
  return {turned(module, parts[0], first), parts[1]};
}

Attended joined(const MultiHead& module, const Attended& of, Pass& pass) {
  const Attended result{module.out(of.context), of.scores, of.weights, of.entropy};
  if (module.low_rank) {
    observe(module.probe, {result.context, {}, {}, result.entropy}, pass);
  } else if (all_have_weights(module)) {
    observe(module.probe, result, pass);
  }
  return result;
}

// Of projected queries and prepared keys and values.
Attended attended(const MultiHead& module, const Variable& query, const MultiHead::Prepared& prepared,
                  const AttentionOptions& options, Pass& pass) {
  const std::size_t queries = query.shape()[1], keys = prepared.keys.shape()[1];
  check(!module.rotary || keys >= queries, here, "queries ", query.shape(),
        " have no place among as many fewer keys ", prepared.keys.shape(), " for their rotary positions");
  const Variable placed = turned(module, query, keys - queries);
  return joined(module, attend_by_heads(module, placed, prepared.keys, prepared.values, options), pass);
}

// Rows [heads · D, width] of a projection as heads with this score want it.
Tensor start_of(Rng& rng, std::size_t width, std::size_t size, std::size_t heads, bool is_orthogonal) {
  if (!is_orthogonal) return xavier_uniform(rng, {heads * size, width});
  Tensor rows = uninitialized({heads * size, width});
  Real* to = rows.data();
  for (std::size_t head = 0; head < heads; ++head) {
    const Tensor one = orthogonal(rng, {size, width});
    to = std::copy_n(one.data(), one.size(), to);
  }
  return rows;
}

}  // namespace

MultiHead::MultiHead(std::size_t width, std::size_t in_heads, Rng& rng, const HeadSettings& settings,
                     double in_dropout)
    : heads(in_heads), dropout(in_dropout), pattern(settings.pattern), rotary(settings.rotary) {
  check_heads(settings, width, heads);
  check<ConfigError>(0 <= dropout && dropout < 1, here, "dropout ", dropout, "; expected 0 ≤ dropout < 1");
  scores = head_scores(settings.score, heads);
  key_value_heads = settings.key_value_heads > 0 ? settings.key_value_heads : heads;
  const std::size_t size = width / heads, few = key_value_heads * size;
  const auto additive = static_cast<std::size_t>(std::ranges::count(scores, HeadScore::additive));
  if (additive == 0 && few == width) {
    in = Linear(xavier_uniform(rng, {3 * width, width}), Bias::yes);
  } else {
    Tensor rows = uninitialized({width + 2 * few, width});
    Real* to = rows.data();
    for (const Tensor& part : {start_of(rng, width, size, heads, additive == heads),
                               start_of(rng, width, size, key_value_heads, additive == heads),
                               start_of(rng, width, size, key_value_heads, false)}) {
      to = std::copy_n(part.data(), part.size(), to);
    }
    in = Linear(std::move(rows), Bias::yes);
  }
  out = Linear(xavier_uniform(rng, {width, width}), Bias::yes);
  if (additive > 0)
    v = Param(normal(rng, {additive * size}, 0, Real(1) / std::sqrt(static_cast<Real>(size))));
  if (std::ranges::find(scores, HeadScore::random_features) != scores.end())
    features.emplace(settings.features > 0 ? settings.features : size, size, rng);
  if (settings.buckets > 0) {
    for (const std::size_t alike : sizes_of_groups(*this))
      buckets.emplace_back(settings.buckets, settings.rounds, alike, size, rng);
  }
  if (settings.rank > 0) low_rank.emplace(settings.rank, settings.longest, rng);
}

MultiHead::MultiHead(std::size_t width, std::size_t in_heads, Rng& rng, HeadScore score, double in_dropout)
    : MultiHead(width, in_heads, rng, HeadSettings{.score = name_of(score)}, in_dropout) {}

Attended MultiHead::operator()(const Variable& x, Pass& pass, const AttendOptions& options) const {
  check_shape("inputs", x, width());
  const AttentionOptions to_op = options_for(*this, options, pass);
  const Variable packed = in(x);
  if (is_packed(*this)) return joined(*this, attend_packed(*this, packed, to_op), pass);
  const Variable query = slice(packed, -1, 0, width());
  return attended(*this, query, parted(*this, slice(packed, -1, width(), packed.length(-1)), 0), to_op, pass);
}

Attended MultiHead::operator()(const Variable& query, const Variable& keys, const Variable& values,
                               Pass& pass, const AttendOptions& options) const {
  return attend_prepared(query, prepare(keys, values), pass, options);
}

MultiHead::Prepared MultiHead::prepare(const Variable& keys, const Variable& values,
                                       std::size_t first) const {
  check_shape("keys", keys, width());
  check_shape("values", values, width());
  const std::size_t begin = width(), few = key_value_width(*this);
  if (same(keys, values)) return parted(*this, projected(*this, keys, begin, begin + 2 * few), first);
  return {turned(*this, projected(*this, keys, begin, begin + few), first),
          projected(*this, values, begin + few, begin + 2 * few)};
}

Attended MultiHead::attend_prepared(const Variable& query, const Prepared& prepared, Pass& pass,
                                    const AttendOptions& options) const {
  check_shape("queries", query, width());
  check_shape("prepared keys", prepared.keys, key_value_width(*this));
  check_shape("prepared values", prepared.values, key_value_width(*this));
  const AttentionOptions to_op = options_for(*this, options, pass);
  return attended(*this, projected(*this, query, 0, width()), prepared, to_op, pass);
}

}  // namespace fovea::inline FOVEA_REAL
