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

void start_additive(ScoredAttention& made, const AttentionSettings& settings, Rng& rng) {
  if (settings.additive_start == "orthogonal") return;
  check<ConfigError>(settings.additive_start == "xavier", "additive-start",
                     "expected orthogonal or xavier, got \"", settings.additive_start, "\"");
  bool has_any = false;
  if (auto* hybrid = std::get_if<Hybrid>(&made.score)) {
    for (Score& score : hybrid->scores) has_any = start_as_xavier(score, rng) || has_any;
  } else {
    has_any = start_as_xavier(std::get<Score>(made.score), rng);
  }
  check<ConfigError>(has_any, "additive-start", "means nothing for ", settings.score, "; leave it out");
}

}  // namespace

std::vector<Variable> ScoredAttention::prepare(const Variable& keys) const {
  if (const auto* hybrid = std::get_if<Hybrid>(&score)) return hybrid->prepare(keys);
  return {fovea::prepare(std::get<Score>(score), keys)};
}

Attended ScoredAttention::once(const Variable& query, std::span<const Variable> prepared,
                               const Variable& values, Pass& pass, const AttendOptions& options) const {
  const auto* hybrid = std::get_if<Hybrid>(&score);
  check(hybrid || prepared.size() == 1, "attention", "there are ", prepared.size(),
        " prepared keys for one score");
  Attended found = hybrid
                       ? hybrid->attend_prepared(query, prepared, values, pass, options)
                       : attend_prepared(std::get<Score>(score), query, prepared[0], values, pass, options);
  if (value && found.context.defined()) found.context = (*value)(found.context);
  return found;
}

Attended ScoredAttention::operator()(const Variable& query, std::span<const Variable> prepared,
                                     const Variable& values, Pass& pass, AttendOptions options) const {
  const bool by_caller = options.want.scores;
  options.want = wanted(options.want, pass);
  if (prepared.size() > 1) options.want.scores = by_caller;  // who watches takes what there is
  if (options.dropout == 0) options.dropout = dropout;
  if (options.normalizer.is_softmax()) options.normalizer = normalizer;
  check<ConfigError>(hops == 1 || values.defined(), "hops", "there are ", hops,
                     " of them and no values, from which a hop makes the next one's query");
  AttendOptions between = options;
  between.want = {};
  Variable asked = query;
  for (std::size_t hop = 1; hop < hops; ++hop)
    asked = refined(asked, once(asked, prepared, values, pass, between).context, join);
  const Attended result = once(asked, prepared, values, pass, options);
  observe(probe, result, pass);
  return result;
}

const AdditiveScore* ScoredAttention::plain_additive() const {
  const bool plain = dropout == 0 && hops == 1 && normalizer.is_softmax() && !value;
  const auto* one = std::get_if<Score>(&score);
  return plain && one ? std::get_if<AdditiveScore>(one) : nullptr;
}

ScoredAttention make_attention(const AttentionSettings& settings, const AttentionWidths& widths, Rng& rng) {
  ScoredAttention made;
  if (settings.score == "hybrid") {
    made.score = Hybrid(hybrid_kind(settings.hybrid), widths.query, widths.key, widths.hidden, rng);
  } else {
    made.score = make_score(settings.score, widths.query, widths.key, widths.hidden, rng);
  }
  start_additive(made, settings, rng);
  made.normalizer = normalizer_named(settings.normalizer);
  made.hops = settings.hops;
  check<ConfigError>(made.hops >= 1, "hops", "expected at least one, got ", made.hops);
  if (made.hops > 1 && widths.value != widths.query)
    made.join.emplace(widths.value, widths.query, rng, Bias::no);
  if (settings.value_transform) made.value.emplace(widths.value, widths.value, rng, Bias::no);
  return made;
}

}  // namespace fovea::inline FOVEA_REAL
