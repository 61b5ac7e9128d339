#include "modules/attention/attention.hpp"

namespace fovea::inline FOVEA_REAL {

Attended ScoredAttention::operator()(const Variable& query, const Variable& prepared, const Variable& values,
                                     Pass& pass, AttendOptions options) const {
  options.want = wanted(options.want, pass);
  if (options.dropout == 0) options.dropout = dropout;
  if (options.normalizer.is_softmax()) options.normalizer = normalizer;
  const Attended result = attend_prepared(score, query, prepared, values, pass, options);
  observe(probe, result, pass);
  return result;
}

const AdditiveScore* ScoredAttention::plain_additive() const {
  return dropout == 0 && normalizer.is_softmax() ? std::get_if<AdditiveScore>(&score) : nullptr;
}

ScoredAttention make_attention(const AttentionSettings& settings, const AttentionWidths& widths, Rng& rng) {
  ScoredAttention made{make_score(settings.score, widths.query, widths.key, widths.hidden, rng)};
  made.normalizer = normalizer_named(settings.normalizer);
  return made;
}

}  // namespace fovea::inline FOVEA_REAL
