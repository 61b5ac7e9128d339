#include "autograd/ops.hpp"
#include "autograd/record.hpp"
#include "core/draw.hpp"

namespace fovea::inline FOVEA_REAL {

static const Op dropout_op{"dropout"};

Variable dropout(const Variable& x, double rate, Rng& rng) {
  check(0 <= rate && rate < 1, dropout_op, "rate ", rate, "; expected 0 ≤ rate < 1");
  auto keep = std::make_shared<KeptElements>();
  Tensor y = drop(rng, x.value(), 1 - rate, *keep);
  return record(dropout_op, std::move(y),
                Wrt{x, [keep, rate](const Tensor& dy) { return drop_as_before(dy, 1 - rate, *keep); }});
}

}  // namespace fovea::inline FOVEA_REAL
