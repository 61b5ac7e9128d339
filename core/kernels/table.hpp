#pragma once

// The kernels of one instruction level, as a table of functions. This header is read by sources that
// are compiled for newer CPUs: it must not bring in inline code (see kernels.hpp for the choice).

#include <cstddef>
#include <cstdint>

#include "core/real.hpp"

namespace fovea::inline FOVEA_REAL {

/// Most elements that B may have in `small_gemm`.
constexpr std::size_t small_gemm_limit = 4096;

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
  /// y = x / max(norm, eps) with the row's Euclidean norm, which is a result too [R].
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

  /// Philox4x32-10 blocks `first`, `first + 1`, … of a stream (see core/random.hpp), four words each.
  void (*philox)(std::size_t blocks, std::uint64_t seed, std::uint64_t stream, std::uint64_t first,
                 std::uint32_t* out);

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
