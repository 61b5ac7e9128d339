#pragma once

#include <limits>

#include "autograd/engine.hpp"
#include "core/draw.hpp"
#include "modules/attention/score.hpp"

// What the tests of the streaming driver share.
namespace fovea::inline FOVEA_REAL {
namespace streamed {

inline constexpr Real inf = std::numeric_limits<Real>::infinity(),
                      nan_value = std::numeric_limits<Real>::quiet_NaN();
inline constexpr double tolerance = sizeof(Real) == 8 ? 1e-12 : 1e-5;

inline Tensor drawn(const Shape& shape, std::uint64_t seed, Real deviation = 1) {
  Rng rng(seed);
  return normal(rng, shape, 0, deviation);
}

/// Of one output under one cotangent.
inline std::vector<Tensor> gradients_of(const Variable& y, const Tensor& dy,
                                        const std::vector<Variable>& wrt) {
  return gradients(std::span(&y, 1), std::span(&dy, 1), wrt);
}

/// Width 2, identity projections: the pre-activations are the inputs.
inline AdditiveScore given_sums() {
  Rng rng(2);
  AdditiveScore score(2, 2, 2, rng);
  score.query.weight.set(tensor({2, 2}, {1, 0, 0, 1}));
  score.key.weight.set(tensor({2, 2}, {1, 0, 0, 1}));
  score.v.set(tensor({2}, {Real(0.5), Real(-0.8)}));
  return score;
}

}  // namespace streamed
}  // namespace fovea::inline FOVEA_REAL
