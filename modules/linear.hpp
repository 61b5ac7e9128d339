#pragma once

#include "autograd/ops.hpp"
#include "core/random.hpp"
#include "modules/fields.hpp"

namespace fovea::inline FOVEA_REAL {

enum class Bias { no, yes };

/// y = x Wᵀ + b: [..., inputs] → [..., outputs]. The weight [outputs, inputs] starts as Xavier uniform,
/// the bias at zero.
struct Linear {
  Param weight, bias;
  FIELDS(weight, bias)

  Linear() = default;
  Linear(std::size_t inputs, std::size_t outputs, Rng& rng, Bias with = Bias::yes);
  /// Of a given weight [outputs, inputs].
  Linear(Tensor start, Bias with);

  std::size_t inputs() const { return weight.shape()[1]; }
  std::size_t outputs() const { return weight.shape()[0]; }
  Variable operator()(const Variable& x) const;
};

}  // namespace fovea::inline FOVEA_REAL
