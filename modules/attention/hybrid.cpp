#include "modules/attention/hybrid.hpp"

namespace fovea::inline FOVEA_REAL {
namespace {

Variable half_of(const Variable& a, const Variable& b) {
  return a.defined() ? scale(add(a, b), Real(0.5)) : Variable();
}

}  // namespace

HybridKind hybrid_kind(const std::string& name) {
  if (name == "mean") return HybridKind::mean;
  if (name == "by-dims") return HybridKind::by_dims;
  throw ConfigError("[hybrid] there is no hybrid \"" + name + "\"; known are mean, by-dims");
}

Hybrid::Hybrid(HybridKind in_kind, std::size_t query_width, std::size_t key_width, std::size_t hidden,
               Rng& rng)
    : kind(in_kind) {
  const bool equal = query_width == key_width;
  check<ConfigError>(kind == HybridKind::by_dims || equal, "hybrid", "queries are ", query_width,
                     " wide and keys ", key_width,
                     "; the mean needs equal widths for its dot score (project one of them, or use by-dims)");
  if (equal) scores.emplace_back(ScaledDotScore{});
  if (kind == HybridKind::mean || !equal)
    scores.emplace_back(AdditiveScore(query_width, key_width, hidden, rng));
}

Attended Hybrid::operator()(const Variable& query, const Variable& keys, const Variable& values, Pass& pass,
                            const AttendOptions& options) const {
  if (scores.size() == 1) return attend(scores[0], query, keys, values, pass, options);
  check<ConfigError>(!options.want.scores, "hybrid",
                     "the mean of two attentions has no raw scores; ask for weights");
  const Attended a = attend(scores[0], query, keys, values, pass, options);
  const Attended b = attend(scores[1], query, keys, values, pass, options);
  return {half_of(a.context, b.context), {}, half_of(a.weights, b.weights), half_of(a.entropy, b.entropy)};
}

}  // namespace fovea::inline FOVEA_REAL
