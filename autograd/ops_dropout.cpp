#include "autograd/ops.hpp"
#include "autograd/record.hpp"
#include "core/draw.hpp"
#include "core/elementwise.hpp"
#include "core/kernels/choose.hpp"

namespace fovea::inline FOVEA_REAL {

static const Op dropout_op{"dropout"};

Variable dropout(const Variable& x, double rate, Rng& rng) {
  check(0 <= rate && rate < 1, dropout_op, "rate ", rate, "; expected 0 ≤ rate < 1");
  Value factors =
      share(numbers::scale(keep_mask(rng, x.shape(), 1 - rate), static_cast<Real>(1 / (1 - rate))));
  // A dropped element is dropped whatever it holds: 0 · inf would be NaN, so the mask comes first.
  return record(
      dropout_op, numbers::binary(kernels().mul_or_zero, *factors, x.value()),
      Wrt{x, [factors](const Tensor& dy) { return numbers::binary(kernels().mul_or_zero, *factors, dy); }});
}

}  // namespace fovea::inline FOVEA_REAL
