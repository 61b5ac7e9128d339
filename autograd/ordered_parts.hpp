#pragma once

#include "autograd/attention_parts.hpp"
#include "autograd/op.hpp"
#include "core/attention/parts.hpp"

namespace fovea::inline FOVEA_REAL::detail {

struct PartSizes {
  std::size_t items, heads, queries, keys;
};

/// What the driver is told of the parts of an attention: each with what options.mask allows of it, and with
/// its own random numbers, by which options.rng moves on where there is dropout. ShapeError where an order
/// is no permutation of so many.
std::vector<AttentionPart> ordered_parts(const Op& op, std::span<const OrderedPairs> parts,
                                         const PartSizes& sizes, const AttentionOptions& options);

}  // namespace fovea::inline FOVEA_REAL::detail
