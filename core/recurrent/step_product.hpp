#pragma once

#include "core/tensor.hpp"

namespace fovea::inline FOVEA_REAL::recurrence {

/// What a product is for: outputs go through the weight [n, k] transposed, cotangents through that of [k, n]
/// as it is. There a 0 leaves out what it would be multiplied with, as in the gradients of matmul and linear.
enum class Through { outputs, cotangents };

/// The product with a layer's weight that each step makes anew, with the weight laid out for it once where
/// there are steps enough to pay for that.
class StepProduct {
 public:
  StepProduct(Through through, const Real* weight, std::size_t k, std::size_t n, std::size_t steps);

  /// Whether the weight is laid out. Where it is not, few large products are better than many small ones.
  bool laid_out() const { return laid_out_; }
  /// Elements from row to row of C: n, filled up.
  std::size_t stride() const { return stride_; }

  /// C = A B, or C += A B, for B [k, n], with rows of A `a_stride` apart. What fills a row of C up may be
  /// overwritten.
  void operator()(std::size_t rows, const Real* a, std::size_t a_stride, bool add, Real* c) const;

 private:
  void lay_out();
  void skip_zeros(std::size_t rows, const Real* a, std::size_t a_stride, bool add, Real* c) const;

  const Real* weight_;
  std::size_t k_, n_, stride_;
  bool transposed_, laid_out_, skips_zeros_;
  Tensor blocks_;
};

}  // namespace fovea::inline FOVEA_REAL::recurrence
