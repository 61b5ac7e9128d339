#pragma once

#include <tuple>

#include "autograd/recompute.hpp"
#include "modules/fields.hpp"
#include "modules/pass.hpp"

namespace fovea::inline FOVEA_REAL {

namespace detail {

/// Calls a module with inputs that are variables; all else it holds.
using ModuleCall = std::function<Variable(std::span<const Variable> inputs, Pass& pass)>;
Variable recompute(ModuleCall call, Pass& pass, const std::vector<Variable>& inputs,
                   const std::vector<const Param*>& params);

/// Stands for a variable among a call's arguments.
struct InputAt {
  std::size_t index;
};

inline InputAt kept(const Variable& argument, std::vector<Variable>& inputs) {
  inputs.push_back(argument);
  return {inputs.size() - 1};
}
template <class Argument>
Argument kept(const Argument& argument, std::vector<Variable>&) {
  static_assert(!std::is_same_v<Argument, Param>,
                "a copy of a Param shares nothing: hand its variable() over");
  return argument;
}

inline const Variable& given(const InputAt& argument, std::span<const Variable> inputs) {
  return inputs[argument.index];
}
template <class Argument>
const Argument& given(const Argument& argument, std::span<const Variable>) {
  return argument;
}

}  // namespace detail

/// layer(arguments…, pass), a Variable, of whose graph nothing is kept but the arguments: what lies between
/// is computed again in the backward pass, as by `recompute` in autograd/recompute.hpp, whose contract holds
/// for the layer and its parameters.
///
///     for (const EncoderLayer& layer : layers) x = recompute(layer, pass, x, mask);
///
/// Arguments that are Variables are inputs. Others are copied and count as constants, so nothing that
/// gradients flow into may hide in them. The layer must stay where it is until the backward pass.
///
/// The second run has the pass's random numbers of the first, so dropout drops the same elements; afterwards
/// the pass stands where it would stand without. What the pass observes is seen once, and gradients flow into
/// it.
template <class Layer, class... Arguments>
Variable recompute(const Layer& layer, Pass& pass, const Arguments&... arguments) {
  std::vector<const Param*> params;
  walk(layer, [&](const std::string&, const Param& param) {
    if (param.defined()) params.push_back(&param);
  });
  std::vector<Variable> inputs;
  // In braces, because only there arguments are evaluated in their order.
  auto all = std::tuple{detail::kept(arguments, inputs)...};
  auto call = [&layer, all = std::move(all)](std::span<const Variable> again, Pass& at) {
    return std::apply([&](const auto&... one) { return layer(detail::given(one, again)..., at); }, all);
  };
  return detail::recompute(std::move(call), pass, inputs, params);
}

}  // namespace fovea::inline FOVEA_REAL
