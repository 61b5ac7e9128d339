#pragma once

#include "core/tensor.hpp"

namespace fovea::inline FOVEA_REAL::numbers {

// Reductions, ordered by shape alone and accumulated in double.

/// Sum along an axis, which is left with length 1 when `keep` is set, else dropped. An empty axis gives 0.
Tensor sum(const Tensor& x, std::size_t axis, bool keep);
/// Sum of all elements, as a scalar tensor.
Tensor sum_all(const Tensor& x);
double sum_squares(const Tensor& x);

/// out[outer, inner] = Σ over the middle axis of x[outer, length, inner].
void sum_middle(const AxisView& view, const Real* x, Real* out);

}  // namespace fovea::inline FOVEA_REAL::numbers
