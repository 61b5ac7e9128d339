#pragma once

#include <span>

#include "autograd/param.hpp"

namespace fovea::inline FOVEA_REAL {

/// √ Σ g² over the gradients of all parameters, accumulated in double. Throws DivergedError that names the
/// first parameter whose gradient is not finite; nothing is changed then.
double gradient_norm(std::span<const NamedParam> params);

/// Scales all gradients by max_norm / norm where the norm is larger; returns the norm before. Throws as
/// `gradient_norm`. A `max_norm` of 0 only measures.
double clip_norm(std::span<const NamedParam> params, double max_norm);

/// Limits every element of every gradient to ±limit. Throws as `gradient_norm`.
void clip_value(std::span<const NamedParam> params, double limit);

/// Multiplies all gradients.
void scale_gradients(std::span<const NamedParam> params, double factor);

}  // namespace fovea::inline FOVEA_REAL
