#pragma once

#include "core/random.hpp"
#include "core/tensor.hpp"

namespace fovea::inline FOVEA_REAL {

// Start values of parameters, for weights [outputs, inputs]. (core/draw.hpp has plain uniform, normal and
// truncated normal numbers.)

/// Uniform in ±√(6 / (inputs + outputs)) (Glorot, Bengio, 2010): keeps the variance of activations and
/// gradients. `shape` is [outputs, inputs].
Tensor xavier_uniform(Rng& rng, const Shape& shape);
/// Normal with deviation √(2 / (inputs + outputs)).
Tensor xavier_normal(Rng& rng, const Shape& shape);
/// Uniform in ±√(6 / inputs), normal with deviation √(2 / inputs) (He et al., 2015): keeps the variance
/// through layers of relu.
Tensor he_uniform(Rng& rng, const Shape& shape);
Tensor he_normal(Rng& rng, const Shape& shape);
/// gain · Q with orthonormal rows (or columns, whichever are fewer), uniform over such matrices: the Q of a
/// normal matrix's QR decomposition with the signs of R's diagonal (Saxe et al., 2014; Mezzadri, 2007).
Tensor orthogonal(Rng& rng, const Shape& shape, Real gain = 1);

}  // namespace fovea::inline FOVEA_REAL
