#pragma once

#include <string>
#include <variant>

#include "modules/layer_norm.hpp"
#include "modules/linear.hpp"

namespace fovea::inline FOVEA_REAL {

// How well a query fits a key: queries [B, Tq, Dq] × keys [B, Tk, Dk] → scores [B, Tq, Tk]; keys [1, Tk, Dk]
// are shared by the batch. What depends on the keys alone is computed by `prepare`, once for as many queries
// as there are.

/// s = q · k (Luong et al., 2015). Needs Dq = Dk.
struct DotScore {
  FIELDS()
  Variable prepare(const Variable& keys) const { return keys; }
  Variable operator()(const Variable& query, const Variable& prepared) const;
};

/// s = q · k / √D (Vaswani et al., 2017): the factor keeps the variance of scores at 1 where that of the
/// components is 1. Needs Dq = Dk.
struct ScaledDotScore {
  FIELDS()
  Variable prepare(const Variable& keys) const { return keys; }
  Variable operator()(const Variable& query, const Variable& prepared) const;
};

/// s = q W k (Luong et al., 2015). W [Dq, Dk] starts as Xavier uniform.
struct GeneralScore {
  Linear key;  // W, from keys to the queries' width
  FIELDS(key)

  GeneralScore() = default;
  GeneralScore(std::size_t query_width, std::size_t key_width, Rng& rng)
      : key(key_width, query_width, rng, Bias::no) {}

  Variable prepare(const Variable& keys) const { return key(keys); }
  Variable operator()(const Variable& query, const Variable& prepared) const;
};

/// s = v · tanh(W_q q + W_k k + b) (Bahdanau et al., 2015). Dq, Dk and the hidden width H are free. The
/// projections start orthogonal, v normal with deviation 1/√H, b at zero.
struct AdditiveScore {
  Linear query, key;  // the bias b is the key's
  Param v;            // [H]
  FIELDS(query, key, v)

  AdditiveScore() = default;
  AdditiveScore(std::size_t query_width, std::size_t key_width, std::size_t hidden, Rng& rng);

  Variable prepare(const Variable& keys) const { return key(keys); }
  Variable operator()(const Variable& queries, const Variable& prepared) const;
  /// The same from plain ops, with an array [B, Tq, Tk, H]: what the formula says, to compare with.
  Variable composed(const Variable& queries, const Variable& prepared) const;
};

/// s = τ q̂ · k̂, the cosine of the angle between them, with vectors x̂ = x / ‖x‖ and a learned scale τ = exp(t)
/// that starts at 10 (Radford et al., 2021, whose logit scale it is; theirs is held below 100, this one is
/// not). A zero vector scores 0 against everything and gets a gradient of 0. Needs Dq = Dk.
struct CosineScore {
  Param log_scale;  // t, [1]
  FIELDS(log_scale)

  CosineScore();

  Variable prepare(const Variable& keys) const { return l2_normalize(keys, 0); }
  /// τ q̂, so that a plain dot is left.
  Variable scaled(const Variable& query) const;
  Variable operator()(const Variable& query, const Variable& prepared) const;
};

/// s = v · tanh(LN(W_q q) + LN(W_k k)), each projection with its own layer norm (Ba et al., 2016): neither
/// can drown the other, and however large queries and keys are, tanh is not driven to its ends. (Of one layer
/// norm of the sum every pair would have its own scale, and the streamed tanh needs the two parts apart.)
/// Bias and gain are the norms'. Dq, Dk and H are free; start values as of the additive score.
struct AdditiveNormScore {
  Linear query, key;
  LayerNorm query_norm, key_norm;
  Param v;  // [H]
  FIELDS(query, key, query_norm, key_norm, v)

  AdditiveNormScore() = default;
  AdditiveNormScore(std::size_t query_width, std::size_t key_width, std::size_t hidden, Rng& rng);

  Variable prepare(const Variable& keys) const { return key_norm(key(keys)); }
  /// LN(W_q q)
  Variable projected(const Variable& queries) const { return query_norm(query(queries)); }
  Variable operator()(const Variable& queries, const Variable& prepared) const;
  /// The same from plain ops, as of AdditiveScore.
  Variable composed(const Variable& queries, const Variable& prepared) const;
};

/// Throws ShapeError unless a product of queries and keys exists.
void check_dot_widths(const Variable& query, const Variable& keys);

/// Any of the scores.
using Score =
    std::variant<DotScore, ScaledDotScore, GeneralScore, AdditiveScore, CosineScore, AdditiveNormScore>;

/// Lets the projections of an additive score start as Xavier uniform (Glorot, Bengio, 2010) in place of
/// orthogonal; returns whether it has any.
bool start_as_xavier(Score& score, Rng& rng);

/// By name: `dot`, `scaled_dot`, `general`, `additive`, `cosine`, `additive_norm` (attention_names() in
/// settings.hpp); ConfigError for any other. `hidden` is H of the additive ones.
Score make_score(const std::string& name, std::size_t query_width, std::size_t key_width, std::size_t hidden,
                 Rng& rng);

}  // namespace fovea::inline FOVEA_REAL
