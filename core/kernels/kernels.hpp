#pragma once

// The kernels of one instruction level, as a table of functions. This header is read by sources that
// are compiled for newer CPUs: it must not bring in inline code (see choose.hpp for the choice).

#include <cstddef>
#include <cstdint>

#include "core/real.hpp"

namespace fovea::inline FOVEA_REAL {

/// Most elements that B may have in `small_gemm`.
constexpr std::size_t small_gemm_limit = 4096;

/// Rows of tiles (core/attention) are padded to a multiple of this many elements: a cache line.
constexpr std::size_t tile_lanes = 64 / sizeof(Real);

/// Most that 1 + e^2a e^2b may be in `additive_scores`: the product of four must stay finite.
constexpr Real additive_limit = static_cast<Real>(sizeof(Real) == 4 ? 1e9 : 1e70);

/// Arguments of e^2x are clamped to ±additive_high. That misleads where one of a and b is beyond it and the
/// other beyond additive_far with the other sign, so that their sum may be small: such a pair is `odd`.
constexpr Real additive_high = sizeof(Real) == 4 ? 43 : 350, additive_far = sizeof(Real) == 4 ? 33 : 330;

/// A tile of additive scores: `rows` queries × `columns` keys (a multiple of tile_lanes) × `hidden` units (a
/// multiple of 4; those that fill up have v = 0).
struct AdditiveShape {
  std::size_t rows, columns, hidden;
};

/// The hidden units of a tile in which some pair is odd; there tanh(a + b) itself is taken.
struct AdditiveOdd {
  const Real *a, *b;           // [rows, hidden] and [hidden, columns]
  const unsigned char* units;  // [hidden]: 1 where a pair may be odd
};

/// A row of softmax over keys that have been seen so far, for its largest score m: Σ exp(s - m), and Σ exp(s
/// - m) (s - m) where the entropy is wanted. It starts with -inf, 0, 0.
struct SoftmaxRow {
  Real max;
  double total, moment;
};

/// What backward needs to know of a row: weights are exp(s - max) · scale. `mean` is the mean of s - max
/// under the weights, `inner` the mean of the weights' cotangents, `entropy_cotangent` that of the row's
/// entropy.
struct AttentionRow {
  Real max, scale, mean, inner, entropy_cotangent;
};

/// y[i] from x[i]; `y` may be `x`.
using UnaryKernel = void (*)(std::size_t n, const Real* x, Real* y);
/// out[i] from a[i] and b[i]; `out` may be `a` or `b`.
using PairKernel = void (*)(std::size_t n, const Real* a, const Real* b, Real* out);
/// out[i] from a[i · sa] and b[i · sb]; the steps are 0 or 1.
using BinaryKernel = void (*)(std::size_t n, const Real* a, std::size_t sa, const Real* b, std::size_t sb,
                              Real* out);

/// All work on contiguous memory and on the calling thread. R rows of n elements lie one after the
/// other. NaN goes in and NaN comes out, unless a line says otherwise.
struct Kernels {
  const char* level;  ///< "plain", "v2", "v3" or "v4" (x86-64-v2 …)

  // Elementwise. exp, log, tanh and sigmoid are within 3 ulp, with exact limits: exp(-inf) = 0, tanh(±inf) =
  // ±1.
  UnaryKernel exp, log, sqrt, tanh, sigmoid;
  UnaryKernel relu;  ///< x <= 0 ? 0 : x, so relu(NaN) is NaN
  UnaryKernel abs;
  UnaryKernel softplus;  ///< log(1 + exp(x)), without overflow
  UnaryKernel gelu;      ///< x Φ(x), with the exact normal distribution

  // Their derivatives. dy = 0 gives exactly 0, even where the factor is infinite or NaN.
  PairKernel exp_grad;       ///< (y, dy): dy · y
  PairKernel log_grad;       ///< (x, dy): dy / x
  PairKernel sqrt_grad;      ///< (y, dy): dy / (2 y)
  PairKernel tanh_grad;      ///< (y, dy): dy · (1 - y²)
  PairKernel sigmoid_grad;   ///< (y, dy): dy · y · (1 - y)
  PairKernel relu_grad;      ///< (y, dy): 0 where y <= 0, else dy; NaN where y is NaN
  PairKernel abs_grad;       ///< (x, dy): dy · sign(x), 0 at 0
  PairKernel square_grad;    ///< (x, dy): 2 x · dy
  PairKernel softplus_grad;  ///< (x, dy): dy / (1 + exp(-x))
  PairKernel gelu_grad;      ///< (x, dy): dy · (Φ(x) + x φ(x))

  BinaryKernel add, sub, mul, div;
  BinaryKernel mul_or_zero;  ///< a == 0 ? 0 : a · b
  BinaryKernel div_or_zero;  ///< a == 0 ? 0 : a / b

  void (*scale)(std::size_t n, Real factor, const Real* x, Real* y);       ///< y = factor · x
  void (*add_scaled)(std::size_t n, Real factor, const Real* x, Real* y);  ///< y += factor · x
  void (*add_into)(std::size_t n, const Real* x, Real* y);                 ///< y += x

  // Sums, accumulated in double.
  double (*sum)(std::size_t n, const Real* x);
  double (*sum_squares)(std::size_t n, const Real* x);
  bool (*finite)(std::size_t n, const Real* x);  ///< true when no element is NaN or infinite
  /// out[n] = Σ over rows; row r starts at x + r · stride.
  void (*sum_columns)(std::size_t rows, std::size_t n, const Real* x, std::size_t stride, Real* out);
  /// The same, added to totals in double.
  void (*add_columns)(std::size_t rows, std::size_t n, const Real* x, std::size_t stride, double* total);

  /// Transposes: out[j · out_stride + i] = x[i · x_stride + j] for i < rows, j < columns.
  void (*transpose)(std::size_t rows, std::size_t columns, const Real* x, std::size_t x_stride, Real* out,
                    std::size_t out_stride);
  /// A product for small sizes, as `gemm` in core/blas.hpp; k · n <= small_gemm_limit.
  void (*small_gemm)(std::size_t m, std::size_t n, std::size_t k, Real alpha, const Real* a,
                     std::size_t a_stride, bool a_transposed, const Real* b, std::size_t b_stride,
                     bool b_transposed, Real beta, Real* c, std::size_t c_stride);

  // To bf16, which is the upper half of an f32 (8 bits of exponent, 7 of mantissa): the one that is nearest
  // to the f32, of two the even one. NaN comes to 0x7FC0.
  void (*to_bf16)(std::size_t n, const Real* x, std::uint16_t* y);
  UnaryKernel round_to_bf16;

  void (*softmax)(std::size_t R, std::size_t n, const Real* x, Real* y);
  /// Softmax over the elements whose `keep` is not 0; the others get 0 and have no influence, whatever they
  /// hold. Row r reads keep + r · keep_step. A row is exactly 0 when it keeps nothing, or only -inf.
  void (*masked_softmax)(std::size_t R, std::size_t n, const Real* x, const unsigned char* keep,
                         std::size_t keep_step, Real* y);
  /// dx = y (dy - Σ y dy). Where y = 0: dx is exactly 0, and dy is not looked at. Serves both softmaxes.
  void (*softmax_grad)(std::size_t R, std::size_t n, const Real* y, const Real* dy, Real* dx);
  void (*log_softmax)(std::size_t R, std::size_t n, const Real* x, Real* y);
  void (*log_softmax_grad)(std::size_t R, std::size_t n, const Real* y, const Real* dy, Real* dx);

  /// y = (x - mean) · rstd · gain + bias with rstd = 1 / sqrt(variance + eps), per row. `gain` and
  /// `bias` have n elements; `mean` and `rstd` [R] are results.
  void (*layer_norm)(std::size_t R, std::size_t n, const Real* x, const Real* gain, const Real* bias,
                     Real eps, Real* y, Real* mean, Real* rstd);
  /// `dgain` and `dbias` [n] are added to.
  void (*layer_norm_grad)(std::size_t R, std::size_t n, const Real* x, const Real* gain, const Real* mean,
                          const Real* rstd, const Real* dy, Real* dx, double* dgain, double* dbias);
  /// y = x / max(norm, eps) with the row's Euclidean norm, which is a result too [R]; with both 0: zeros.
  void (*l2_normalize)(std::size_t R, std::size_t n, const Real* x, Real eps, Real* y, Real* norm);
  void (*l2_normalize_grad)(std::size_t R, std::size_t n, const Real* y, const Real* norm, Real eps,
                            const Real* dy, Real* dx);

  /// h = -Σ p log p, where 0 log 0 = 0.
  void (*entropy)(std::size_t R, std::size_t n, const Real* p, Real* h);
  /// dp = -dh (log p + 1), and 0 where p = 0.
  void (*entropy_grad)(std::size_t R, std::size_t n, const Real* p, const Real* dh, Real* dp);
  /// loss = lse - x[target] with lse = log Σ exp x. A row whose target is >= n counts as nothing: loss, lse
  /// 0.
  void (*cross_entropy)(std::size_t R, std::size_t n, const Real* x, const std::size_t* target, Real* loss,
                        Real* lse);
  /// dx = dloss (softmax - onehot); 0 where dloss = 0 or the target is >= n.
  void (*cross_entropy_grad)(std::size_t R, std::size_t n, const Real* x, const std::size_t* target,
                             const Real* lse, const Real* dloss, Real* dx);

  // Tiles of the attention driver (core/attention). `n` of products is a multiple of tile_lanes.
  /// C = alpha A B, or C += alpha A B: element (i, p) of A [m, k] is a[i · a_row + p · a_step], B is [k, n].
  /// An element of C has the same bits wherever it lies in the tile.
  void (*tile_product)(std::size_t m, std::size_t n, std::size_t k, Real alpha, const Real* a,
                       std::size_t a_row, std::size_t a_step, const Real* b, std::size_t b_stride, bool add,
                       Real* c, std::size_t c_stride);
  /// out = e^2x with x clamped to ±additive_high; NaN stays. `least` and `most` [n] take in what they see but
  /// NaN.
  void (*additive_exponentials)(std::size_t n, const Real* x, Real* out, Real* least, Real* most);
  /// s_ij = Σ_h v_h (1 - 2 r_ijh) with r_ijh = 1 / (1 + ea_ih eb_hj): ea [rows, hidden], eb [hidden,
  /// columns], s [rows, columns]. `careful` where a product may exceed additive_limit, or something may be
  /// NaN; `odd` may be null. Neither changes a bit of a pair that did not need it.
  void (*additive_scores)(const AdditiveShape& tile, const Real* ea, const Real* eb, const Real* v,
                          bool careful, const AdditiveOdd* odd, Real* s);
  /// With t = ds (r - r²): da_ih += Σ_j t, db_hj += Σ_i t, dv_h += Σ_ij ds r. da [rows, hidden,
  /// additive_lanes] and dv [hidden, additive_lanes] are partial sums that are still to be added up. A ds of
  /// 0 leaves a pair out, also when its r is NaN.
  void (*additive_grad)(const AdditiveShape& tile, const Real* ea, const Real* eb, const Real* ds,
                        bool careful, const AdditiveOdd* odd, Real* da, Real* db, Real* dv);
  std::size_t additive_lanes;
  /// Whether a tile is neither careful nor odd for sure: all a + b <= limit, no |a| > additive_far. Of each
  /// unit's largest and smallest a, and largest b.
  bool (*additive_plain)(std::size_t n, const Real* a_least, const Real* a_most, const Real* b_most,
                         Real limit);
  /// out[n] = Σ of each n's additive_lanes partial sums.
  void (*additive_sums)(std::size_t n, const Real* partial, Real* out);
  /// x = exp(x - m) with m the largest score of the row so far; what came before counts `shrink[r]` times
  /// now.
  void (*online_softmax)(std::size_t R, std::size_t n, Real* x, std::size_t stride, bool entropy,
                         SoftmaxRow* rows, Real* shrink);
  /// x = exp(x - max) · scale, the weights; exactly 0 where x is -inf, whatever `scale` is.
  void (*softmax_weights)(std::size_t R, std::size_t n, Real* x, std::size_t stride,
                          const AttentionRow* rows);
  /// Σ y dy in double, for a result y and its cotangent; a 0 of either leaves a term out. `any` becomes true
  /// where some dy is not 0.
  double (*inner_product)(std::size_t n, const Real* y, const Real* dy, bool& any);
  /// dp = p (dp - inner - entropy_cotangent (s - max - mean)), and 0 where p = 0. `s` may be null: no
  /// entropy.
  void (*attention_grad)(std::size_t R, std::size_t n, const Real* p, const Real* s, Real* dp,
                         std::size_t stride, const AttentionRow* rows);

  // One item's step of a recurrent layer of n units; gates lie side by side, [n] each.
  /// Of a = x + u: i = σ(a_i), f = σ(a_f), g = tanh(a_g), o = σ(a_o); c_after = f c + i g, h = o
  /// tanh(c_after). x, u and `gates` [4n]; `gates` may be `u`, c_after may be `c`.
  void (*lstm_cell)(std::size_t n, const Real* x, const Real* u, const Real* c, Real* gates, Real* c_after,
                    Real* h);
  /// From the cotangent dout + dh of h and that of c_after in `dc`: d [4n] of a, and that of `c` in `dc`.
  void (*lstm_cell_grad)(std::size_t n, const Real* gates, const Real* c, const Real* c_after,
                         const Real* dout, const Real* dh, Real* dc, Real* d);
  /// Of v = u + bias: r = σ(x_r + v_r), z = σ(x_z + v_z), g = tanh(x_n + r v_n), h_after = g + z (h - g). x,
  /// u and bias [3n]; `gates` [4n] are r, z, g and v_n; h_after may be `h`.
  void (*gru_cell)(std::size_t n, const Real* x, const Real* u, const Real* bias, const Real* h, Real* gates,
                   Real* h_after);
  /// From the cotangent dout + dh of h_after: dv [3n] of v, dx_n [n] of x_n (those of x_r and x_z are dv's),
  /// and in `dh` what reaches h past the product, z times it.
  void (*gru_cell_grad)(std::size_t n, const Real* gates, const Real* h, const Real* dout, Real* dh, Real* dv,
                        Real* dx_n);

  /// Philox4x32-10 blocks `first`, `first + 1`, … of a stream (see core/random.hpp), four words each.
  void (*philox)(std::size_t blocks, std::uint64_t seed, std::uint64_t stream, std::uint64_t first,
                 std::uint32_t* out);
  // What random words keep: a word that is at most `last`. What is not kept has no influence.
  /// out = 1 where a word keeps its element, else 0.
  void (*keep_words)(std::size_t n, const std::uint32_t* word, std::uint32_t last, Real* out);
  /// y = factor · x and keep = 1 where a word keeps its element, else 0 and 0.
  void (*dropout)(std::size_t n, const std::uint32_t* word, std::uint32_t last, Real factor, const Real* x,
                  Real* y, unsigned char* keep);
  /// y = factor · x where `keep` is not 0, else 0.
  void (*scale_kept)(std::size_t n, const unsigned char* keep, Real factor, const Real* x, Real* y);

  // Steps of an optimiser, in place.
  /// d = g + decay · p; m = momentum · m + d; p -= lr · m, or with `nesterov` p -= lr · (d + momentum · m).
  /// `m` may be null when `momentum` is 0.
  void (*sgd)(std::size_t n, Real lr, Real momentum, bool nesterov, Real decay, const Real* g, Real* m,
              Real* p);
  /// d = g + decay · p; v = alpha · v + (1 - alpha) d²; u = d / (sqrt(v) + eps); p -= lr · u, or with a
  /// momentum m = momentum · m + u; p -= lr · m. `m` may be null.
  void (*rmsprop)(std::size_t n, Real lr, Real alpha, Real eps, Real momentum, Real decay, const Real* g,
                  Real* v, Real* m, Real* p);
  /// d = g + decay · p; v += d²; p -= lr · d / (sqrt(v) + eps)
  void (*adagrad)(std::size_t n, Real lr, Real eps, Real decay, const Real* g, Real* v, Real* p);
  /// p = p (1 - lr · decay) - lr · sign(beta1 m + (1 - beta1) g); m = beta2 m + (1 - beta2) g
  void (*lion)(std::size_t n, Real lr, Real beta1, Real beta2, Real decay, const Real* g, Real* m, Real* p);
  /// m = beta1 m + (1 - beta1) g; v = beta2 v + (1 - beta2) g²;
  /// p = p (1 - lr · decay) - lr · (m / correction1) / (sqrt(v / correction2) + eps)
  void (*adam)(std::size_t n, Real lr, Real beta1, Real beta2, Real eps, Real correction1, Real correction2,
               Real decay, const Real* g, Real* m, Real* v, Real* p);
};

}  // namespace fovea::inline FOVEA_REAL
