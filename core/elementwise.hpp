#pragma once

#include "core/kernels/choose.hpp"
#include "core/tensor.hpp"

namespace fovea::inline FOVEA_REAL::numbers {

// Functions of plain tensors (namespace `numbers`; the ops of autograd have the same names). Kernels over
// whole tensors, spread over the threads; the bits do not depend on their number.

/// y[i] = kernel(x[i]), of the shape of `x`.
Tensor map(UnaryKernel kernel, const Tensor& x);
/// out[i] = kernel(a[i], b[i]). The shapes must be equal; the caller has checked.
Tensor map2(PairKernel kernel, const Tensor& a, const Tensor& b);
/// kernel(a, b) under numpy's broadcasting. The caller has checked that a common shape exists.
Tensor binary(BinaryKernel kernel, const Tensor& a, const Tensor& b);

/// Repeats `x` to fill `target`; `broadcasts_to(x.shape(), target)` holds.
Tensor broadcast_to(const Tensor& x, const Shape& target);
/// The adjoint of broadcasting: sums `g` over what was repeated to get from `target` to its shape.
/// Accumulated in double.
Tensor sum_to(const Tensor& g, const Shape& target);

Tensor scale(const Tensor& x, Real factor);
/// acc += g, of equal shapes.
void add_into(Tensor& acc, const Tensor& g);

}  // namespace fovea::inline FOVEA_REAL::numbers
