#include "modules/attention/hybrid.hpp"

namespace fovea::inline FOVEA_REAL {
namespace {

Variable half_of(const Variable& a, const Variable& b) {
  return a.defined() ? scale(add(a, b), Real(0.5)) : Variable();
}

// Shares [..., 1] of a and the rest of b; entropies have no last axis that they could go along.
Variable mixed(const Variable& share, const Variable& rest, const Variable& a, const Variable& b) {
  if (!a.defined()) return {};
  const bool of_rows = a.rank() + 1 == share.rank();
  const auto fitting = [&](const Variable& g) { return of_rows ? reshape(g, a.shape()) : g; };
  return add(mul(fitting(share), a), mul(fitting(rest), b));
}

}  // namespace

HybridKind hybrid_kind(const std::string& name) {
  if (name == "mean") return HybridKind::mean;
  if (name == "by-dims") return HybridKind::by_dims;
  if (name == "gate") return HybridKind::gate;
  throw ConfigError("[hybrid] there is no hybrid \"" + name + "\"; known are mean, by-dims, gate");
}

Hybrid::Hybrid(HybridKind in_kind, std::size_t query_width, std::size_t key_width, std::size_t hidden,
               Rng& rng)
    : kind(in_kind) {
  const bool equal = query_width == key_width;
  check<ConfigError>(
      kind == HybridKind::by_dims || equal, "hybrid", "queries are ", query_width, " wide and keys ",
      key_width,
      "; a mean or gate needs equal widths for its dot score (project one of them, or use by-dims)");
  if (equal) scores.emplace_back(ScaledDotScore{});
  if (kind != HybridKind::by_dims || !equal)
    scores.emplace_back(AdditiveScore(query_width, key_width, hidden, rng));
  if (kind == HybridKind::gate) gate.emplace(zeros({1, query_width}), Bias::yes);
}

std::vector<Variable> Hybrid::prepare(const Variable& keys) const {
  std::vector<Variable> prepared;
  for (const Score& score : scores) prepared.push_back(fovea::prepare(score, keys));
  return prepared;
}

Attended Hybrid::operator()(const Variable& query, const Variable& keys, const Variable& values, Pass& pass,
                            const AttendOptions& options) const {
  return attend_prepared(query, prepare(keys), values, pass, options);
}

Attended Hybrid::attend_prepared(const Variable& query, std::span<const Variable> prepared,
                                 const Variable& values, Pass& pass, const AttendOptions& options) const {
  check(prepared.size() == scores.size(), "hybrid", "there are ", prepared.size(), " prepared keys for ",
        scores.size(), " scores");
  const auto part = [&](std::size_t i) {
    return fovea::attend_prepared(scores[i], query, prepared[i], values, pass, options);
  };
  if (scores.size() == 1) return part(0);
  check<ConfigError>(!options.want.scores, "hybrid",
                     "two attentions have no raw scores in common; ask for weights");
  const Attended a = part(0), b = part(1);
  if (gate) {
    const Variable g = (*gate)(query), share = sigmoid(g), rest = sigmoid(neg(g));
    const auto mix = [&](const Variable& of_a, const Variable& of_b) {
      return mixed(share, rest, of_a, of_b);
    };
    return {mix(a.context, b.context), {}, mix(a.weights, b.weights), mix(a.entropy, b.entropy)};
  }
  return {half_of(a.context, b.context), {}, half_of(a.weights, b.weights), half_of(a.entropy, b.entropy)};
}

}  // namespace fovea::inline FOVEA_REAL
