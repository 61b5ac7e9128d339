#pragma once

#include <span>
#include <vector>

#include "autograd/variable.hpp"

namespace fovea::inline FOVEA_REAL {

/// Computes d output / d leaf for every leaf that `output` depends on and adds it to `leaf.grad()`.
/// `output` has one element. Each node lets go of what it saved as soon as it was used, so a second pass
/// over the same graph throws Error, unless `keep_graph` was set.
void backward(const Variable& output, bool keep_graph = false);
/// As above for an output of any shape, with `cotangent` = d(something) / d output, of the same shape.
void backward(const Variable& output, Tensor cotangent, bool keep_graph = false);

/// The functional form: Σ over outputs of cotangent · d output / d wrt, one tensor for each of `wrt`
/// (zeros where nothing depends on it). No `grad()` is touched. An empty `cotangents` stands for ones
/// where every output has one element.
std::vector<Tensor> gradients(std::span<const Variable> outputs, std::span<const Tensor> cotangents,
                              std::span<const Variable> wrt, bool keep_graph = false);

}  // namespace fovea::inline FOVEA_REAL
