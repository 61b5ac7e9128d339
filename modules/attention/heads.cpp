#include "modules/attention/heads.hpp"

#include <algorithm>
#include <cmath>

#include "core/draw.hpp"

namespace fovea::inline FOVEA_REAL {
namespace {

constexpr std::string_view here = "multi-head";

// Shorter sequences have too few tiles for it to pay that positions of a stride are sorted.
constexpr std::size_t worth_sorting = 256;

// Neighbours that are alike: heads begin … end-1.
struct Group {
  std::size_t number, begin, end;
  HeadScore score;
  bool has_pattern;
};

std::vector<Group> groups_of(const MultiHead& module) {
  const std::size_t patterned = module.pattern.heads_of(module.heads);
  std::vector<Group> groups;
  for (std::size_t head = 0; head < module.heads; ++head) {
    const HeadScore score = module.scores[head];
    const bool has_pattern = head < patterned;
    if (!groups.empty() && groups.back().score == score && groups.back().has_pattern == has_pattern) {
      ++groups.back().end;
    } else {
      groups.push_back({groups.size(), head, head + 1, score, has_pattern});
    }
  }
  return groups;
}

Real scale_of(const MultiHead& module, HeadScore score) {
  return score == HeadScore::dot ? Real(1) : Real(1) / std::sqrt(static_cast<Real>(module.head_width()));
}

// Additive heads before this one: its part of `v` begins behind theirs.
std::size_t additive_before(const MultiHead& module, std::size_t head) {
  return static_cast<std::size_t>(std::count(
      module.scores.begin(), module.scores.begin() + static_cast<std::ptrdiff_t>(head), HeadScore::additive));
}

// Heads without weights.
Attended summed(const MultiHead& module, const Group& group, const Variable& query, const Variable& keys,
                const Variable& values, const AttentionOptions& options) {
  check<ConfigError>(!options.bias.defined(), here,
                     "a bias is for heads with weights, to whose scores it is added");
  const FeatureMap map =
      group.score == HeadScore::linear ? FeatureMap(EluFeatures{}) : FeatureMap(*module.features);
  return {linear_attention(map, query, keys, values, options.mask, options.heads), {}, {}, {}};
}

// Heads with weights, of which some positions may be left out.
Attended scored(const MultiHead& module, const Group& group, const HeadScoring& how, const Variable& query,
                const Variable& keys, const Variable& values, AttentionOptions options) {
  if (!module.buckets.empty()) {
    check(group.number < module.buckets.size(), here, "heads are of more kinds than when their ",
          module.buckets.size(), " sets of buckets were made");
    Mask beside = Mask::window(0, 0);
    if (group.has_pattern) beside = beside | module.pattern.mask();
    return bucketed_attention(module.buckets[group.number], how, query, keys, values, options, beside);
  }
  const std::size_t shorter = std::min(query.shape()[1], keys.shape()[1]);
  if (group.has_pattern && module.pattern.stride > 1 && shorter >= worth_sorting && !options.bias.defined())
    return strided_attention(module.pattern.stride, how, query, keys, values, module.pattern.beside_stride(),
                             options);
  if (group.has_pattern) options.mask = options.mask & module.pattern.mask();
  return how.v.defined() ? additive_attention(query, keys, how.v, values, options)
                         : dot_attention(query, keys, values, how.scale, options);
}

Attended attend_group(const MultiHead& module, const Group& group, const Variable& query,
                      const Variable& keys, const Variable& values, AttentionOptions options) {
  const std::size_t width = module.head_width();
  const auto cut = [&](const Variable& x) {
    return group.end - group.begin == module.heads ? x : slice(x, -1, group.begin * width, group.end * width);
  };
  options.heads = group.end - group.begin;
  if (!has_weights(group.score)) return summed(module, group, cut(query), cut(keys), cut(values), options);
  HeadScoring how{scale_of(module, group.score), {}};
  if (group.score == HeadScore::additive) {
    const std::size_t first = additive_before(module, group.begin) * width,
                      end = first + options.heads * width;
    how.v = end - first == module.v.shape()[0] ? module.v : slice(module.v, 0, first, end);
  }
  return scored(module, group, how, cut(query), cut(keys), cut(values), options);
}

// With an axis for the heads, also of one.
Attended with_heads(const Attended& of) {
  return {of.context, by_head(of.scores, 4), by_head(of.weights, 4), by_head(of.entropy, 3)};
}

// Each of a few heads of keys or values, for the neighbours that share it: [B, T, few · D] → [B, T, heads ·
// D].
Variable shared(const MultiHead& module, const Variable& x) {
  if (module.key_value_heads == module.heads) return x;
  const std::size_t items = x.shape()[0], length = x.shape()[1], width = module.head_width();
  const Variable each(zeros({module.heads / module.key_value_heads, 1}));
  return reshape(reshape(x, {items, length, module.key_value_heads, 1, width}) + each,
                 {items, length, module.width()});
}

}  // namespace

Attended attend_by_heads(const MultiHead& module, const Variable& query, const Variable& few_keys,
                         const Variable& few_values, const AttentionOptions& options) {
  const std::vector<Group> groups = groups_of(module);
  check<ConfigError>(groups.size() == 1 || !options.bias.defined() || options.bias.rank() < 4 ||
                         options.bias.shape()[1] == 1,
                     here,
                     "a bias for each head is not for heads of which some have a pattern or another score");
  AttentionOptions own = options;
  Variable keys = few_keys, values = few_values;
  if (module.low_rank) {
    const LowRank::Slots slots = (*module.low_rank)(keys, values, options.mask, query.shape()[1]);
    keys = slots.keys;
    values = slots.values;
    own.mask = slots.mask;
  }
  keys = shared(module, keys);
  values = shared(module, values);
  if (groups.size() == 1) return with_heads(attend_group(module, groups[0], query, keys, values, own));
  std::vector<Variable> contexts, scores, weights, entropies;
  for (const Group& group : groups) {
    const Attended one = with_heads(attend_group(module, group, query, keys, values, own));
    contexts.push_back(one.context);
    if (options.want.scores) scores.push_back(one.scores);
    if (options.want.weights) weights.push_back(one.weights);
    if (options.want.entropy) entropies.push_back(one.entropy);
  }
  const auto beside = [](const std::vector<Variable>& parts) {
    return parts.empty() ? Variable() : concat(parts, 1);
  };
  return {concat(contexts, -1), beside(scores), beside(weights), beside(entropies)};
}

std::vector<std::size_t> sizes_of_groups(const MultiHead& module) {
  std::vector<std::size_t> sizes;
  for (const Group& group : groups_of(module)) sizes.push_back(group.end - group.begin);
  return sizes;
}

bool is_packed(const MultiHead& module) {
  const HeadScore score = module.scores.front();
  return (score == HeadScore::dot || score == HeadScore::scaled_dot) && groups_of(module).size() == 1 &&
         module.key_value_heads == module.heads && !module.rotary && !module.low_rank &&
         module.buckets.empty() && module.pattern.stride == 0;
}

Attended attend_packed(const MultiHead& module, const Variable& packed, AttentionOptions options) {
  options.mask = options.mask & module.pattern.mask();
  return with_heads(packed_attention(packed, scale_of(module, module.scores.front()), options));
}

}  // namespace fovea::inline FOVEA_REAL
