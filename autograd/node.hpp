#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <tuple>
#include <vector>

#include "autograd/op.hpp"
#include "core/check.hpp"
#include "core/tensor.hpp"

namespace fovea::inline FOVEA_REAL {

/// What an op returns as a gradient: a tensor, shared or not; an empty Value stands for zero.
inline Value as_value(Tensor tensor) { return share(std::move(tensor)); }
inline Value as_value(Value value) { return value; }

/// A recorded call of an op, or a leaf. Knows where cotangents go, never the values themselves: what a
/// formula needs of them it has captured.
class Node {
 public:
  /// Output number `slot` of `node`, which this node took as an input.
  struct Edge {
    std::shared_ptr<Node> node;  // empty when the input takes no part in the graph
    std::uint32_t slot = 0;
  };
  /// One output: its shape, and the sum of the cotangents that have arrived while backward runs.
  struct Output {
    Shape shape;
    Value cotangent;
  };
  using Hook = std::function<void(const Tensor&)>;

  Node(const Op& op, std::size_t inputs, std::size_t outputs);
  virtual ~Node();
  Node(const Node&) = delete;
  Node& operator=(const Node&) = delete;

  /// Hands the cotangents of the outputs on to the inputs through `send(input, gradient)`.
  virtual void backward(const std::function<void(std::size_t, Value)>& send) = 0;
  /// Lets go of what the formulas captured.
  virtual void release() = 0;

  const Op* op;
  std::uint64_t order;     // rises with recording, so an input's node always has a smaller one
  std::uint64_t seen = 0;  // the backward pass that visited this node last
  bool freed = false;
  std::vector<Edge> inputs;
  std::vector<Output> outputs;
  std::vector<std::pair<std::uint32_t, Hook>> hooks;
};

/// Number of nodes alive: back to where it was once every handle of a graph is gone.
std::int64_t live_nodes();

/// A tensor that gradients are kept for.
class Leaf : public Node {
 public:
  explicit Leaf(const Shape& shape);
  void backward(const std::function<void(std::size_t, Value)>&) override {}
  void release() override {}
  Value gradient;
};

/// A node with one output and one formula for each input: (cotangent of the output) → gradient.
template <class... Formula>
class FormulaNode final : public Node {
 public:
  FormulaNode(const Op& called, std::optional<Formula>... formula)
      : Node(called, sizeof...(Formula), 1), formulas_(std::move(formula)...) {}

  void backward(const std::function<void(std::size_t, Value)>& send) override {
    const Value& dy = outputs[0].cotangent;
    std::apply(
        [&](auto&... formula) {
          std::size_t i = 0;
          ((formula ? send(i, apply(*formula, dy)) : void(), ++i), ...);
        },
        formulas_);
  }
  void release() override {
    std::apply([](auto&... formula) { (formula.reset(), ...); }, formulas_);
  }

 private:
  template <class F>
  static Value apply(F& formula, const Value& dy) {
    if constexpr (std::is_invocable_v<F&, const Tensor&>) {
      return as_value(formula(*dy));
    } else {
      return as_value(formula(dy));
    }
  }
  std::tuple<std::optional<Formula>...> formulas_;
};

/// Cotangents of all outputs of a joint node; an empty one is zero.
using Cotangents = std::span<const Value>;
/// Gradients for all inputs of a joint node, in their order; an empty one is zero.
using Gradients = std::vector<Value>;

/// A node whose inputs' gradients are computed together.
template <class Backward>
class JointNode final : public Node {
 public:
  JointNode(const Op& called, std::size_t input_count, std::size_t output_count, Backward backward)
      : Node(called, input_count, output_count), backward_(std::move(backward)) {}

  void backward(const std::function<void(std::size_t, Value)>& send) override {
    std::vector<Value> cotangents;
    for (const Output& output : outputs) cotangents.push_back(output.cotangent);
    Gradients gradients = (*backward_)(Cotangents(cotangents));
    check<Error>(gradients.size() == inputs.size(), *op, "backward gave ", gradients.size(),
                 " gradients for ", inputs.size(), " inputs");
    for (std::size_t i = 0; i < gradients.size(); ++i) send(i, std::move(gradients[i]));
  }
  void release() override { backward_.reset(); }

 private:
  std::optional<Backward> backward_;
};

}  // namespace fovea::inline FOVEA_REAL
