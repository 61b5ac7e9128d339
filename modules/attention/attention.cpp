#include "modules/attention/attention.hpp"

namespace fovea::inline FOVEA_REAL {

namespace {

// The query of the next hop.
Variable refined(const Variable& query, const Variable& context, const std::optional<Linear>& join) {
  const Variable found = join ? (*join)(context) : context;
  check(found.shape() == query.shape(), "hops", "what a hop found has shape ", found.shape(),
        "; expected that of the queries, ", query.shape(), ", to which it is added (see join)");
  return add(query, found);
}

}  // namespace

Attended ScoredAttention::operator()(const Variable& query, const Variable& prepared, const Variable& values,
                                     Pass& pass, AttendOptions options) const {
  options.want = wanted(options.want, pass);
  if (options.dropout == 0) options.dropout = dropout;
  if (options.normalizer.is_softmax()) options.normalizer = normalizer;
  check<ConfigError>(hops == 1 || values.defined(), "hops", "there are ", hops,
                     " of them and no values, from which a hop makes the next one's query");
  AttendOptions between = options;
  between.want = {};
  Variable asked = query;
  for (std::size_t hop = 1; hop < hops; ++hop)
    asked = refined(asked, attend_prepared(score, asked, prepared, values, pass, between).context, join);
  const Attended result = attend_prepared(score, asked, prepared, values, pass, options);
  observe(probe, result, pass);
  return result;
}

const AdditiveScore* ScoredAttention::plain_additive() const {
  return dropout == 0 && hops == 1 && normalizer.is_softmax() ? std::get_if<AdditiveScore>(&score) : nullptr;
}

ScoredAttention make_attention(const AttentionSettings& settings, const AttentionWidths& widths, Rng& rng) {
  ScoredAttention made{make_score(settings.score, widths.query, widths.key, widths.hidden, rng)};
  made.normalizer = normalizer_named(settings.normalizer);
  made.hops = settings.hops;
  check<ConfigError>(made.hops >= 1, "hops", "expected at least one, got ", made.hops);
  if (made.hops > 1 && widths.value != widths.query)
    made.join.emplace(widths.value, widths.query, rng, Bias::no);
  return made;
}

}  // namespace fovea::inline FOVEA_REAL
