#pragma once

#include "autograd/ops.hpp"
#include "modules/fields.hpp"

namespace fovea::inline FOVEA_REAL {

/// Normalises the last axis to mean 0 and variance 1, then scales and shifts it (see layer_norm in
/// ops.hpp). Gain starts at one, bias at zero.
struct LayerNorm {
  Param gain, bias;
  Real eps = Real(1e-5);
  FIELDS(gain, bias)

  LayerNorm() = default;
  explicit LayerNorm(std::size_t width)
      : gain(filled({width}, 1), Param::Decay::no), bias(zeros({width}), Param::Decay::no) {}

  Variable operator()(const Variable& x) const { return layer_norm(x, gain, bias, eps); }
};

}  // namespace fovea::inline FOVEA_REAL
