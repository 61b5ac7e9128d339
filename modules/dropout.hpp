#pragma once

#include "autograd/ops.hpp"
#include "modules/fields.hpp"
#include "modules/pass.hpp"

namespace fovea::inline FOVEA_REAL {

/// While training, zeroes each element with probability `rate` and scales the others by 1 / (1 - rate)
/// (Srivastava et al., 2014); otherwise hands its input on.
struct Dropout {
  double rate = 0;
  FIELDS()

  Variable operator()(const Variable& x, Pass& pass) const {
    return pass.training && rate > 0 ? dropout(x, rate, pass.rng) : x;
  }
};

}  // namespace fovea::inline FOVEA_REAL
