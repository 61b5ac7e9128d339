#pragma once

#include "autograd/variable.hpp"

namespace fovea::inline FOVEA_REAL {

// ---- positions (ops_rotation.cpp) ----

/// Turns each pair of numbers (x_2i, x_2i+1) of a head by the angle t · base^(-2i / D), where t is its
/// row's position, first + 0, 1, …: rotary positions (Su et al., 2021). The product of two turned vectors
/// depends on the distance of their positions alone. x [B, T, heads · D] → the same shape; ShapeError for an
/// odd D.
Variable rotate_pairs(const Variable& x, std::size_t heads, std::size_t first = 0, double base = 10000);

}  // namespace fovea::inline FOVEA_REAL
