#include "modules/attention/attend.hpp"

#include <cmath>

#include "modules/dropout.hpp"

namespace fovea::inline FOVEA_REAL {
namespace {

constexpr std::string_view here = "attention";

void check_shapes(const Variable& query, const Variable& keys, const Variable& values) {
  check(query.rank() == 2 || query.rank() == 3, here, "queries have shape ", query.shape(),
        "; expected [batch, queries, width], or [batch, width] for one query each");
  const std::size_t batch = query.shape()[0];
  const auto shared = [batch](const Variable& x) {
    return x.rank() == 2 || (x.rank() == 3 && x.shape()[0] == batch);
  };
  check(shared(keys), here, "keys have shape ", keys.shape(), "; expected [", batch,
        ", keys, width], or [keys, width] shared by the batch, to match queries ", query.shape());
  check(!values.defined() || (shared(values) && values.length(-2) == keys.length(-2)), here,
        "values have shape ", values.defined() ? values.shape() : Shape{}, "; expected ", keys.length(-2),
        " of them to match keys ", keys.shape());
}

// [T, D] → [1, T, D]: shared by the batch.
Variable with_batch(const Variable& x) {
  return x.defined() && x.rank() == 2 ? reshape(x, {1, x.shape()[0], x.shape()[1]}) : x;
}

// Without the axis of the one query that each item had.
Variable without_queries(const Variable& x) {
  return x.defined() ? reshape(x, without_axis(x.shape(), 1, false)) : x;
}

Variable normalised(const Variable& scores, const Mask& mask, const Normalizer& by) {
  std::optional<Keep> keep;
  if (!mask.allows_all()) keep = mask.expand(scores.shape()[0], scores.shape()[1], scores.shape()[2]);
  if (by.kind == Normalizer::Kind::sparsemax) return sparsemax(scores, keep);
  if (by.kind == Normalizer::Kind::top_k) return top_k_softmax(scores, by.k, keep);
  return keep ? masked_softmax(scores, *keep) : softmax(scores, -1);
}

template <class Kind>
Variable raw_scores(const Kind& kind, const Variable& query, const Variable& prepared, bool composed) {
  if constexpr (requires { kind.composed(query, prepared); }) {
    if (composed) return kind.composed(query, prepared);
  }
  return kind(query, prepared);
}

// The streaming driver's op for each score.
struct Stream {
  const Variable& query;
  const Variable& prepared;
  const Variable& values;
  const AttentionOptions& options;

  Attended operator()(const DotScore&) const { return dot(1); }
  Attended operator()(const GeneralScore&) const { return dot(1); }
  Attended operator()(const ScaledDotScore&) const {
    return dot(Real(1) / std::sqrt(static_cast<Real>(query.length(-1))));
  }
  Attended operator()(const AdditiveScore& score) const {
    return additive_attention(score.query(query), prepared, score.v, values, options);
  }
  Attended operator()(const AdditiveNormScore& score) const {
    return additive_attention(score.projected(query), prepared, score.v, values, options);
  }
  Attended operator()(const CosineScore& score) const {
    check_dot_widths(query, prepared);
    return dot_attention(score.scaled(query), prepared, values, 1, options);
  }
  template <class Other>
  Attended operator()(const Other&) const {
    static_assert(sizeof(Other) == 0,
                  "Stream does not say how this score is streamed: see CONTRIBUTING, Add a score");
    return {};
  }
  Attended dot(Real scale) const {
    check_dot_widths(query, prepared);
    return dot_attention(query, prepared, values, scale, options);
  }
};

}  // namespace

Variable prepare(const Score& score, const Variable& keys) {
  return std::visit([&](const auto& kind) { return kind.prepare(keys); }, score);
}

Attended attend(const Score& score, const Variable& query, const Variable& keys, const Variable& values,
                Pass& pass, const AttendOptions& options) {
  check_shapes(query, keys, values);
  return attend_prepared(score, query, prepare(score, keys), values, pass, options);
}

Attended attend_prepared(const Score& score, const Variable& query, const Variable& prepared,
                         const Variable& values, Pass& pass, const AttendOptions& options) {
  check_shapes(query, prepared, values);
  if (query.rank() == 2) {
    const Variable one_each = reshape(query, {query.shape()[0], 1, query.shape()[1]});
    const Attended a = attend_prepared(score, one_each, prepared, values, pass, options);
    return {without_queries(a.context), without_queries(a.scores), without_queries(a.weights),
            without_queries(a.entropy)};
  }
  const Variable keys = with_batch(prepared);
  const bool scores_alone = !values.defined() && !options.want.weights && !options.want.entropy;
  if (options.composed || scores_alone) {
    const Variable scores =
        std::visit([&](const auto& kind) { return raw_scores(kind, query, keys, options.composed); }, score);
    return attend_scores(scores, values, pass, options);
  }
  if (!options.normalizer.is_softmax()) {
    // Scores by the stream, too: in backward it leaves out what is masked, where a product would make NaN of
    // 0 · NaN.
    const Stream raw{query, keys, {}, {options.mask, {}, 0, nullptr, {.scores = true}}};
    return attend_scores(std::visit(raw, score).scores, values, pass, options);
  }
  const bool drop = pass.training && options.dropout > 0 && values.defined();
  return std::visit(Stream{query,
                           keys,
                           with_batch(values),
                           {options.mask, options.bias, drop ? options.dropout : 0, &pass.rng, options.want}},
                    score);
}

Attended attend_scores(const Variable& scores, const Variable& values, Pass& pass,
                       const AttendOptions& options) {
  check(scores.rank() == 3, here, "scores have shape ", scores.shape(), "; expected [batch, queries, keys]");
  check(!options.bias.defined() || broadcasts_to(options.bias.shape(), scores.shape()), here,
        "the bias has shape ", options.bias.defined() ? options.bias.shape() : Shape{},
        ", which does not broadcast to the scores' ", scores.shape());
  Attended result;
  if (options.want.scores) result.scores = scores;
  if (!values.defined() && !options.want.weights && !options.want.entropy) {
    options.mask.view(scores.shape()[0], scores.shape()[1], scores.shape()[2]);  // does it fit?
    return result;
  }
  const Variable weights = normalised(options.bias.defined() ? add(scores, options.bias) : scores,
                                      options.mask, options.normalizer);
  if (options.want.weights) result.weights = weights;
  if (options.want.entropy) result.entropy = entropy(weights);
  if (values.defined())
    result.context = weighted_sum(Dropout{options.dropout}(weights, pass), with_batch(values));
  return result;
}

}  // namespace fovea::inline FOVEA_REAL
