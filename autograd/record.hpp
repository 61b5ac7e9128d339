#pragma once

#include <initializer_list>

#include "autograd/variable.hpp"

namespace fovea::inline FOVEA_REAL {

/// An input of an op beside the formula of its gradient: `(const Tensor& dy) → Tensor`, or with Values on
/// either side where nothing has to be copied. The result may have the output's shape instead of the
/// input's when the op broadcast that input: the engine sums it back.
template <class Formula>
struct Wrt {
  const Variable& input;
  Formula formula;
};
template <class Formula>
Wrt(const Variable&, Formula) -> Wrt<Formula>;

/// The gradient of an input that enters unchanged.
inline constexpr auto pass_on = [](const Value& dy) { return dy; };

namespace detail {
/// Whether a Trace is alive, and its note of a call.
bool tracing();
void note(const Op& op, std::vector<Variable> inputs, std::vector<Variable> results);
void connect(Node& node, std::size_t input, const Variable& variable);
}  // namespace detail

/// Makes `value` the result of `op`. Where an input takes part in a graph (and no NoGrad is alive) the
/// call is recorded; a formula whose input takes no part is dropped, with all that it captured.
template <class... Formula>
Variable record(const Op& op, Value value, Wrt<Formula>... wrt) {
  std::shared_ptr<Node> node;
  if (recording() && (wrt.input.tracked() || ...)) {
    node = std::make_shared<FormulaNode<Formula...>>(
        op, (wrt.input.tracked() ? std::optional<Formula>(std::move(wrt.formula)) : std::nullopt)...);
    node->outputs[0].shape = value->shape();
    std::size_t i = 0;
    (detail::connect(*node, i++, wrt.input), ...);
  }
  Variable result(std::move(value), std::move(node), 0);
  if (detail::tracing()) [[unlikely]]
    detail::note(op, {wrt.input...}, {result});
  return result;
}
template <class... Formula>
Variable record(const Op& op, Tensor value, Wrt<Formula>... wrt) {
  return record(op, share(std::move(value)), std::move(wrt)...);
}

/// As above for an op with several outputs, or whose inputs' gradients are computed together:
/// `backward(Cotangents) → Gradients`.
template <class Backward>
std::vector<Variable> record_joint(const Op& op, std::vector<Value> values, std::span<const Variable> inputs,
                                   Backward backward) {
  bool tracked = false;
  for (const Variable& input : inputs) tracked = tracked || input.tracked();
  std::shared_ptr<Node> node;
  if (recording() && tracked) {
    node = std::make_shared<JointNode<Backward>>(op, inputs.size(), values.size(), std::move(backward));
    for (std::size_t i = 0; i < inputs.size(); ++i) detail::connect(*node, i, inputs[i]);
  }
  std::vector<Variable> results;
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (node) node->outputs[i].shape = values[i]->shape();
    results.emplace_back(std::move(values[i]), node, static_cast<std::uint32_t>(i));
  }
  if (detail::tracing()) [[unlikely]]
    detail::note(op, {inputs.begin(), inputs.end()}, results);
  return results;
}
template <class Backward>
Variable record_joint(const Op& op, Tensor value, std::initializer_list<Variable> inputs, Backward backward) {
  return record_joint(op, std::vector<Value>{share(std::move(value))},
                      std::span(inputs.begin(), inputs.size()), std::move(backward))[0];
}

}  // namespace fovea::inline FOVEA_REAL
