#include "modules/attention/score.hpp"

#include <algorithm>
#include <cmath>

#include "core/draw.hpp"
#include "modules/attention/head_settings.hpp"
#include "modules/init.hpp"

namespace fovea::inline FOVEA_REAL {
namespace {

// Σ_h v_h tanh(a_ih + b_jh), with an array for all h.
Variable composed_additive(const Variable& a, const Variable& prepared, const Variable& v) {
  check(a.rank() == 3 && prepared.rank() == 3, "additive score", "queries have shape ", a.shape(),
        " and prepared keys ", prepared.shape(), "; expected [batch, time, width] for both");
  const std::size_t hidden = v.size();
  const Variable at_query = reshape(a, {a.shape()[0], a.shape()[1], 1, hidden});
  const Variable at_key = reshape(prepared, {prepared.shape()[0], 1, prepared.shape()[1], hidden});
  // [B, Tq, Tk, H] × [1, H] → [B, Tq, Tk, 1]
  const Variable s = linear(tanh(add(at_query, at_key)), reshape(v, {1, hidden}));
  return reshape(s, {s.shape()[0], s.shape()[1], s.shape()[2]});
}

Param start_of_v(std::size_t hidden, Rng& rng) {
  return Param(normal(rng, {hidden}, 0, Real(1) / std::sqrt(static_cast<Real>(hidden))));
}

}  // namespace

void check_dot_widths(const Variable& query, const Variable& keys) {
  constexpr std::string_view here = "dot score";
  check(query.rank() == 3 && keys.rank() == 3, here, "queries have shape ", query.shape(), " and keys ",
        keys.shape(), "; expected [batch, time, width] for both");
  check(query.length(-1) == keys.length(-1), here, "keys have shape ", keys.shape(), "; expected width ",
        query.length(-1), " to match queries ", query.shape(),
        " (project one of them, or use the additive score)");
}

Variable DotScore::operator()(const Variable& query, const Variable& prepared) const {
  check_dot_widths(query, prepared);
  return matmul(query, prepared, false, true);
}

Variable ScaledDotScore::operator()(const Variable& query, const Variable& prepared) const {
  check_dot_widths(query, prepared);
  return scale(matmul(query, prepared, false, true),
               Real(1) / std::sqrt(static_cast<Real>(query.length(-1))));
}

Variable GeneralScore::operator()(const Variable& query, const Variable& prepared) const {
  check_dot_widths(query, prepared);
  return matmul(query, prepared, false, true);
}

AdditiveScore::AdditiveScore(std::size_t query_width, std::size_t key_width, std::size_t hidden, Rng& rng)
    : query(orthogonal(rng, {hidden, query_width}), Bias::no),
      key(orthogonal(rng, {hidden, key_width}), Bias::yes),
      v(start_of_v(hidden, rng)) {}

Variable AdditiveScore::operator()(const Variable& queries, const Variable& prepared) const {
  return additive_scores(query(queries), prepared, v);
}

Variable AdditiveScore::composed(const Variable& queries, const Variable& prepared) const {
  return composed_additive(query(queries), prepared, v);
}

CosineScore::CosineScore() : log_scale(filled({1}, std::log(Real(10))), Param::Decay::no) {}

Variable CosineScore::scaled(const Variable& query) const {
  return mul(l2_normalize(query, 0), exp(log_scale));
}

Variable CosineScore::operator()(const Variable& query, const Variable& prepared) const {
  check_dot_widths(query, prepared);
  return matmul(scaled(query), prepared, false, true);
}

AdditiveNormScore::AdditiveNormScore(std::size_t query_width, std::size_t key_width, std::size_t hidden,
                                     Rng& rng)
    : query(orthogonal(rng, {hidden, query_width}), Bias::no),
      key(orthogonal(rng, {hidden, key_width}), Bias::no),
      query_norm(hidden),
      key_norm(hidden),
      v(start_of_v(hidden, rng)) {}

Variable AdditiveNormScore::operator()(const Variable& queries, const Variable& prepared) const {
  return additive_scores(projected(queries), prepared, v);
}

Variable AdditiveNormScore::composed(const Variable& queries, const Variable& prepared) const {
  return composed_additive(projected(queries), prepared, v);
}

bool start_as_xavier(Score& score, Rng& rng) {
  const auto draw = [&rng](auto& additive) {
    for (Linear* projection : {&additive.query, &additive.key})
      projection->weight = Param(xavier_uniform(rng, projection->weight.shape()));
  };
  auto* additive = std::get_if<AdditiveScore>(&score);
  auto* normed = std::get_if<AdditiveNormScore>(&score);
  if (additive) draw(*additive);
  if (normed) draw(*normed);
  return additive || normed;
}

Score make_score(const std::string& name, std::size_t query_width, std::size_t key_width, std::size_t hidden,
                 Rng& rng) {
  if (name == "dot") return DotScore{};
  if (name == "scaled_dot") return ScaledDotScore{};
  if (name == "general") return GeneralScore(query_width, key_width, rng);
  if (name == "additive") return AdditiveScore(query_width, key_width, hidden, rng);
  if (name == "cosine") return CosineScore();
  if (name == "additive_norm") return AdditiveNormScore(query_width, key_width, hidden, rng);
  const bool is_of_heads = std::ranges::find(head_score_names(), name) != head_score_names().end();
  throw ConfigError("[score] there is no score \"" + name +
                    "\"; known are dot, scaled_dot, general, additive, cosine, additive_norm" +
                    (is_of_heads ? "; heads of a Transformer have that one (--model transformer)" : ""));
}

}  // namespace fovea::inline FOVEA_REAL
