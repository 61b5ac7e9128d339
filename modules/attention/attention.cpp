#include "modules/attention/attention.hpp"

namespace fovea::inline FOVEA_REAL {

Attended ScoredAttention::operator()(const Variable& query, const Variable& prepared, const Variable& values,
                                     Pass& pass, AttendOptions options) const {
  options.want = wanted(options.want, pass);
  if (options.dropout == 0) options.dropout = dropout;
  const Attended result = attend_prepared(score, query, prepared, values, pass, options);
  observe(probe, result, pass);
  return result;
}

ScoredAttention make_attention(const AttentionSettings& settings, const AttentionWidths& widths, Rng& rng) {
  return {make_score(settings.score, widths.query, widths.key, widths.hidden, rng)};
}

}  // namespace fovea::inline FOVEA_REAL
