#pragma once

#include <span>

#include "core/tensor.hpp"

namespace fovea::inline FOVEA_REAL::numbers {

// Functions that only move elements (and their adjoints). Callers have checked shapes and ranges.

/// Axis i of the result is axis `axes[i]` of `x`.
Tensor permute(const Tensor& x, std::span<const std::size_t> axes);
/// [..., m, n] → [..., n, m]
Tensor transpose_last_two(const Tensor& x);
/// The same elements under another shape of the same volume.
Tensor reshape(Tensor x, const Shape& shape);

/// Elements `begin` … `end`-1 along an axis.
Tensor slice(const Tensor& x, std::size_t axis, std::size_t begin, std::size_t end);
/// Assigns `part` to the elements of `into` from `begin` on along an axis.
void place_slice(Tensor& into, std::size_t axis, std::size_t begin, const Tensor& part);
Tensor concat(std::span<const Tensor* const> parts, std::size_t axis);

/// table [V, D], n ids → [n, D]
Tensor gather_rows(const Tensor& table, std::span<const std::size_t> ids);
/// into[ids[i]] += rows[i] in the order of i: into [V, D]; rows [..., D], of any shape with n rows. Ids may
/// repeat.
void scatter_add_rows(Tensor& into, std::span<const std::size_t> ids, const Tensor& rows);

/// Row b is the sum (mean) of the table's rows ids[offsets[b]] … ids[offsets[b+1]-1]; an empty bag gives 0.
/// table [V, D], bags + 1 offsets → [bags, D]
Tensor bag_sum(const Tensor& table, std::span<const std::size_t> ids, std::span<const std::size_t> offsets);
Tensor bag_mean(const Tensor& table, std::span<const std::size_t> ids, std::span<const std::size_t> offsets);
/// Their adjoints: bags [bags, D] is added to the rows of `into` [V, D] that it came from.
void scatter_bag_sum(Tensor& into, std::span<const std::size_t> ids, std::span<const std::size_t> offsets,
                     const Tensor& bags);
void scatter_bag_mean(Tensor& into, std::span<const std::size_t> ids, std::span<const std::size_t> offsets,
                      const Tensor& bags);

}  // namespace fovea::inline FOVEA_REAL::numbers
