#pragma once

#include <optional>
#include <vector>

#include "autograd/variable.hpp"
#include "core/attention/mask.hpp"
#include "core/random.hpp"

// Every differentiable function. Each throws ShapeError with its name and the shapes when they do not fit.
// Shapes broadcast as in numpy where two tensors meet elementwise. A zero cotangent gives a zero gradient,
// also where the derivative is infinite. The suite fails when a function declared here has no row in
// tests/autograd/op_rows_*.cpp.

namespace fovea::inline FOVEA_REAL {

// ---- elementwise, two inputs (ops_arithmetic.cpp) ----

Variable add(const Variable& a, const Variable& b);
Variable sub(const Variable& a, const Variable& b);
Variable mul(const Variable& a, const Variable& b);
/// a / b
Variable div(const Variable& a, const Variable& b);

// ---- elementwise, one input (ops_elementwise.cpp) ----

Variable neg(const Variable& x);
/// factor · x
Variable scale(const Variable& x, Real factor);
Variable exp(const Variable& x);
/// Natural logarithm.
Variable log(const Variable& x);
Variable sqrt(const Variable& x);
/// |x|; the derivative at 0 is 0.
Variable abs(const Variable& x);
/// x to a constant power. The derivative of x⁰ is 0.
Variable pow(const Variable& x, Real exponent);

// ---- activations (ops_activation.cpp) ----

Variable tanh(const Variable& x);
/// 1 / (1 + exp(-x))
Variable sigmoid(const Variable& x);
/// max(x, 0); the derivative at 0 is 0.
Variable relu(const Variable& x);
/// x Φ(x) with the standard normal distribution Φ, exact, not its tanh approximation (Hendrycks, Gimpel,
/// 2016).
Variable gelu(const Variable& x);
/// log(1 + exp(x))
Variable softplus(const Variable& x);

// ---- choices (ops_select.cpp) ----

/// Largest element along an axis, NaN when there is one. The gradient goes to the first that is largest.
Variable max(const Variable& x, int axis, bool keep = false);
/// a where `condition` holds, else b; all three broadcast. What is not chosen has no influence, also when
/// it is NaN, and gets a gradient of 0.
Variable where(const Keep& condition, const Variable& a, const Variable& b);

// ---- products (ops_product.cpp) ----

/// Matrix product over the last two axes: [..., M, K] × [..., K, N] → [..., M, N]; the axes before them
/// broadcast. `transpose_a` reads a as [..., K, M], `transpose_b` reads b as [..., N, K].
Variable matmul(const Variable& a, const Variable& b, bool transpose_a = false, bool transpose_b = false);
/// Σ_j weights_ij values_j: [B, Tq, Tk] × [B, Tk, D] → [B, Tq, D]; values [1, Tk, D] are shared. A weight of
/// 0 leaves its value out, whatever that holds: 0 · NaN is 0 here, forward and backward.
Variable weighted_sum(const Variable& weights, const Variable& values);
/// x Wᵀ + b: [..., I] × [O, I] (+ [O]) → [..., O]. An undefined `bias` is left out.
Variable linear(const Variable& x, const Variable& weight, const Variable& bias = {});

// ---- sums (ops_sum.cpp) ----

/// Over all elements → scalar. Accumulated in double, as every sum here.
Variable sum(const Variable& x);
Variable sum(const Variable& x, int axis, bool keep = false);
/// Of no elements: 0.
Variable mean(const Variable& x);
Variable mean(const Variable& x, int axis, bool keep = false);

// ---- layout (ops_layout.cpp) ----

/// The same elements in row-major order.
Variable reshape(const Variable& x, const Shape& shape);
/// Axis i of the result is axis axes[i] of x.
Variable permute(const Variable& x, const std::vector<std::size_t>& axes);
/// Elements begin … end-1 along an axis.
Variable slice(const Variable& x, int axis, std::size_t begin, std::size_t end);
/// Joined along an axis; all other lengths are equal.
Variable concat(const std::vector<Variable>& parts, int axis);
/// Parts of equal length along an axis.
std::vector<Variable> split(const Variable& x, int axis, std::size_t parts);
/// Joined along a new axis; all shapes are equal.
Variable stack(const std::vector<Variable>& parts, int axis);

// ---- tables (ops_table.cpp) ----

/// Rows of `table` [V, D] by id → [..., D]. An id outside 0 … V-1 is an error that names it. The row of
/// `padding` gets no gradient.
Variable gather(const Variable& table, const Ids& ids, std::optional<std::int64_t> padding = {});
enum class Bag { sum, mean };
/// Rows of `table` [V, D] put together bag by bag: bag b holds ids[offsets[b]] … ids[offsets[b+1]-1], so
/// there is one offset more than bags → [bags, D]. An empty bag is zero.
Variable embedding_bag(const Variable& table, const Ids& ids, const std::vector<std::size_t>& offsets,
                       Bag kind);

// ---- random (ops_dropout.cpp) ----

/// Each element is zero with probability `rate`, else x / (1 - rate). Moves `rng` on by the draws it takes.
Variable dropout(const Variable& x, double rate, Rng& rng);

// ---- normalisers (ops_softmax.cpp, ops_sparse.cpp, ops_norm.cpp) ----

/// exp(x_i) / Σ_j exp(x_j) along an axis.
Variable softmax(const Variable& x, int axis);
/// x_i - log Σ_j exp(x_j) along an axis.
Variable log_softmax(const Variable& x, int axis);
/// Softmax along the last axis over the elements that `keep` allows (its shape broadcasts to x's).
/// Others are exactly 0, whatever x holds there, also NaN; so is a row in which nothing is kept, and
/// every gradient that belongs to them.
Variable masked_softmax(const Variable& x, const Keep& keep);
/// max(x - τ, 0) along the last axis, with the τ for which a row sums to 1: the distribution that is nearest
/// to x. What lies 1 or more below the largest is exactly 0 (Martins, Astudillo, 2016). `keep` as of
/// masked_softmax; without one all is kept.
Variable sparsemax(const Variable& x, const std::optional<Keep>& keep = {});
/// Softmax along the last axis over the k largest elements of those that `keep` allows, of equal ones the
/// first; all others are exactly 0. With k at least the number of elements it is softmax, or masked_softmax,
/// to the bit.
Variable top_k_softmax(const Variable& x, std::size_t k, const std::optional<Keep>& keep = {});
/// gain · (x - mean) / √(variance + eps) + bias over the last axis (Ba, Kiros, Hinton, 2016); the variance
/// is the population's. x: [..., D], gain and bias: [D].
Variable layer_norm(const Variable& x, const Variable& gain, const Variable& bias, Real eps = Real(1e-5));
/// ‖x‖ = √Σ x² over the last axis, summed in double: [..., N] → [...]. The gradient of a zero row is 0.
Variable norm(const Variable& x);
/// x / max(‖x‖, eps) over the last axis; the gradient of a zero row is finite. With an eps of 0 a zero row
/// stays zero and its gradient is 0.
Variable l2_normalize(const Variable& x, Real eps = Real(1e-12));

// ---- attention (ops_attention.cpp): queries [B, Tq, heads · D], keys [B, Tk, heads · D], values [B, Tk,
// heads · Dv]; keys and values [1, Tk, …] are shared by the batch. In memory that is linear in Tq and Tk ----

/// What to return beside the context. Each costs memory for [B, Tq, Tk] numbers, but for entropy.
struct Want {
  bool scores = false, weights = false, entropy = false;
};

/// The result of an attention. What was not asked for is undefined. With several heads scores and weights are
/// [B, heads, Tq, Tk] and entropy [B, heads, Tq].
struct Attended {
  Variable context;  // [B, Tq, heads · Dv]; undefined when no values were given
  Variable scores;   // [B, Tq, Tk], before bias and mask
  Variable weights;  // [B, Tq, Tk], before dropout; rows sum to 1, or are 0 where no key is allowed
  Variable entropy;  // [B, Tq], of the weights, in nats
};

struct AttentionOptions {
  Mask mask = {};
  Variable bias = {};  // added to the scores; broadcasts to their shape
  double dropout = 0;  // of the weights; moves `rng` on by half a draw for each weight
  Rng* rng = nullptr;
  Want want = {};
  std::size_t heads = 1;
};

/// context = softmax(scale · q · k + bias, mask) values (Vaswani et al., 2017). A query without an allowed
/// key gets results and gradients of exactly 0, and what lies under a mask has no influence, whatever it
/// holds. `values` may be undefined.
Attended dot_attention(const Variable& query, const Variable& keys, const Variable& values, Real scale,
                       const AttentionOptions& options = {});
/// The same of queries, keys and values that lie side by side, as one product makes them: [B, T, 3 · heads ·
/// D].
Attended packed_attention(const Variable& packed, Real scale, const AttentionOptions& options = {});
/// As dot_attention, with the scores Σ_h v_h tanh(a_ih + b_jh) (Bahdanau et al., 2015): `a` and `b` are
/// projections of queries and keys, v [heads · H].
Attended additive_attention(const Variable& a, const Variable& b, const Variable& v, const Variable& values,
                            const AttentionOptions& options = {});
/// Those scores alone: a [B, Tq, H], b [B or 1, Tk, H], v [H] → [B, Tq, Tk].
Variable additive_scores(const Variable& a, const Variable& b, const Variable& v);

// ---- recurrence (ops_recurrent.cpp, ops_attentive.cpp): a whole sequence at once. `inputs` are what a
// layer's input has to say to its gates, W x + b, for each step; `weight` is what its last output has ----

struct RecurrenceOptions {
  std::vector<std::size_t> lengths = {};  // of each item, 0 … T; empty: all T. Later outputs are 0
  bool reverse = false;                   // from each item's own last step to its first
};

/// The outputs of all steps, and the state after the last one of each item.
struct Recurrence {
  Variable outputs;        // [B, T, H]; 0 beyond an item's length
  Variable hidden;         // [B, H]
  Variable cell;           // [B, H]; undefined for gru
  Variable contexts = {};  // [B, T, C], of attentive_lstm alone
};

/// Long short-term memory (Hochreiter, Schmidhuber, 1997; Gers et al., 2000), with the gates i, f, g, o of
/// inputs_t + h weightᵀ: c' = σ(f) c + σ(i) tanh(g), h' = σ(o) tanh(c'). inputs [B, T, 4H], weight [4H, H];
/// `hidden` and `cell` [B, H] are the state before the first step, 0 when undefined.
Recurrence lstm(const Variable& inputs, const Variable& weight, const Variable& hidden = {},
                const Variable& cell = {}, const RecurrenceOptions& options = {});
/// lstm of linear(x, input_weight, bias), without ever having these in memory for all steps: x [B, T, I],
/// input_weight [4H, I], bias [4H] or undefined.
Recurrence lstm_layer(const Variable& x, const Variable& input_weight, const Variable& weight,
                      const Variable& bias, const Variable& hidden = {}, const Variable& cell = {},
                      const RecurrenceOptions& options = {});
/// What attentive_lstm is made of.
struct AttentiveWeights {
  Variable recurrent, context, query, v;  // [4H, H], [4H, C], [A, H], [A]
};
/// lstm of inputs_t + context_t · weights.contextᵀ, the context being what the last output h finds before
/// each step (Bahdanau et al., 2015): additive_attention of h · weights.queryᵀ over `keys` [B, S, A], which
/// are projected, and `values` [B, S, C], with weights.v and a mask for T queries.
Recurrence attentive_lstm(const Variable& inputs, const AttentiveWeights& weights, const Variable& keys,
                          const Variable& values, const Variable& hidden = {}, const Variable& cell = {},
                          const Mask& mask = {});
/// Gated recurrent unit (Cho et al., 2014, as PyTorch and cuDNN have it), with the gates r, z, n: of u = h
/// weightᵀ + bias and x = inputs_t: r = σ(x_r + u_r), z = σ(x_z + u_z), n = tanh(x_n + r u_n), h' = (1 - z) n
/// + z h. inputs [B, T, 3H], weight [3H, H], bias [3H].
Recurrence gru(const Variable& inputs, const Variable& weight, const Variable& bias,
               const Variable& hidden = {}, const RecurrenceOptions& options = {});

// ---- losses (ops_loss.cpp) ----

/// -Σ p log p over the last axis, in nats, with 0 log 0 = 0: [..., N] → [...].
Variable entropy(const Variable& p);
/// -log p of each target: log_p [..., C] with targets [...] → [...]. Where the target is `padding`: 0.
Variable nll(const Variable& log_p, const Ids& targets, std::optional<std::int64_t> padding = {});

struct CrossEntropyOptions {
  std::optional<std::int64_t> padding = {};  // targets with this id count for nothing; need not be a class
  Real smoothing = 0;  // ε: the target's 1 becomes 1 - ε + ε/C, each other 0 becomes ε/C
  std::vector<Real> class_weights = {};  // one for each class; empty: all 1
};
/// log Σ_j exp(x_j) - x_target over the last axis: [..., C] with targets [...] → [...]. Not averaged: divide
/// the sum by `target_weight` for the mean. A target outside the classes that is not the padding is an error.
Variable cross_entropy(const Variable& logits, const Ids& targets, const CrossEntropyOptions& options = {});
/// What the losses of these targets are averaged over: the number of targets that are not padding, or the sum
/// of their class weights. A target without a class weight, where there are any, is an error.
double target_weight(const Ids& targets, const CrossEntropyOptions& options = {});

// ---- losses of a prediction and a target of equal shapes: the mean over elements, 0 of none
// (ops_regression.cpp) ----

/// (p - t)²
Variable mse(const Variable& prediction, const Variable& target);
/// |p - t|
Variable mae(const Variable& prediction, const Variable& target);
/// (p - t)² / 2 up to a distance of `delta`, from there on linear: delta (|p - t| - delta / 2) (Huber, 1964).
Variable huber(const Variable& prediction, const Variable& target, Real delta = 1);
/// quantile · (t - p) where p is too low, (1 - quantile) · (p - t) where it is too high: least for the
/// quantile of t (Koenker, Bassett, 1978).
Variable pinball(const Variable& prediction, const Variable& target, Real quantile);
/// -t log σ(x) - (1 - t) log(1 - σ(x)) of logits x and targets t in 0 … 1.
Variable binary_cross_entropy(const Variable& logits, const Variable& target);

// ---- sugar ----

inline Variable operator+(const Variable& a, const Variable& b) { return add(a, b); }
inline Variable operator-(const Variable& a, const Variable& b) { return sub(a, b); }
inline Variable operator*(const Variable& a, const Variable& b) { return mul(a, b); }
inline Variable operator/(const Variable& a, const Variable& b) { return div(a, b); }
inline Variable operator-(const Variable& x) { return neg(x); }
inline Variable operator*(Real factor, const Variable& x) { return scale(x, factor); }
inline Variable operator*(const Variable& x, Real factor) { return scale(x, factor); }

}  // namespace fovea::inline FOVEA_REAL
