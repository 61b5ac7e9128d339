#pragma once

#include <functional>

#include "autograd/param.hpp"

namespace fovea::inline FOVEA_REAL {

/// A function of variables, of any number of results.
using Recomputed = std::function<std::vector<Variable>(std::span<const Variable> inputs)>;

/// function(inputs), of whose graph nothing is kept but the inputs (gradient checkpointing: Chen, Xu, Zhang,
/// Guestrin, "Training Deep Nets with Sublinear Memory Cost", 2016): the function runs once more in the
/// backward pass, which goes through the graph of that run. A chain of n functions takes memory for n inputs
/// and the graph of one function, and the time of one more forward pass.
///
/// The function must compute the same each time, from its `inputs`, from constants and from `params`; it and
/// they stay where they are as long as the graph does. Gradients are the same bits as without, where each
/// variable outside is used by one function; where several use it, sums are grouped by function.
///
/// Error at once when the function uses another variable that gradients flow into; in the backward pass, with
/// no leaf changed, when a parameter has another value by then, or when the results have other shapes.
///
/// Functions may be nested. Where nothing is recorded the function is just called, also while a Trace is
/// alive, which keeps all values anyway.
std::vector<Variable> recompute(Recomputed function, const std::vector<Variable>& inputs,
                                const std::vector<const Param*>& params);

}  // namespace fovea::inline FOVEA_REAL
