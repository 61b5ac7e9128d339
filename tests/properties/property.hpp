#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "autograd/engine.hpp"
#include "autograd/ops.hpp"
#include "compare.hpp"

// Properties that hold for all shapes, axes and masks, each tried on a hundred random cases. A case that
// fails is made smaller, and its choices are printed by name. RC_PARAMS="seed=…" and "max_success=…" change
// which cases and how many; without it they are always the same.

namespace fovea::inline FOVEA_REAL {

/// Fails the running Catch test when `property` fails on one of its cases.
void hold(const std::string& what, const std::function<void()>& property);

// Choices of a case; `name` says which in a report. To be called inside a property.

/// A whole number in least … most.
std::size_t any_of(const std::string& name, std::size_t least, std::size_t most);
bool any_bool(const std::string& name);
/// Lengths in `least` … `most` of least_rank … most_rank axes.
Shape any_shape(const std::string& name, std::size_t least_rank, std::size_t most_rank, std::size_t least = 1,
                std::size_t most = 4);
/// 0 … n-1 in any order.
std::vector<std::size_t> any_order(const std::string& name, std::size_t n);
/// A leaf of normal numbers.
Variable any_leaf(const std::string& name, const Shape& shape);
/// Of yes and no. With `every_row`, each row along the last axis keeps something.
Keep any_keep(const std::string& name, const Shape& shape, bool every_row = false);
/// Numbers below `count` in this shape.
Ids any_ids(const std::string& name, const Shape& shape, std::size_t count);

// Demands; each ends the case when it is not met.

void demand(bool holds, const std::string& what);
/// Equal shapes and elements, to 1e-6 (f32) or 1e-12 (f64) relative to max(1, |x|), times `slack`.
void demand_close(const Tensor& actual, const Tensor& expected, const std::string& what, double slack = 1);
void demand_equal(const Tensor& actual, const Tensor& expected, const std::string& what);
/// That both have close values, and close gradients for each of `wrt` under the same random cotangent.
void demand_same(const Variable& actual, const Variable& expected, const std::vector<Variable>& wrt,
                 const std::string& what, double slack = 1);

/// Fixed normal numbers.
Tensor numbers_of(const Shape& shape, std::uint64_t seed);

/// As if `x` had been written out in `shape`: copies joined by concat.
Variable repeated(const Variable& x, const Shape& shape);

/// The entries of `x` at these places of an axis.
Variable picked(const Variable& x, int axis, const std::vector<std::size_t>& places);

}  // namespace fovea::inline FOVEA_REAL
