#pragma once

#include <string>

#include "autograd/node.hpp"
#include "core/check.hpp"

namespace fovea::inline FOVEA_REAL {

/// A cheap handle to a tensor and, when it takes part in a graph, to the node that made it. The tensor
/// never changes once it is shared, so a backward pass always sees the value that was recorded.
class Variable {
 public:
  Variable() = default;
  /// A constant: no gradient flows into it.
  Variable(Tensor value) : value_(share(std::move(value))) {}
  Variable(Value value) : value_(std::move(value)) {}
  /// Output `slot` of a recorded node. (For `record`; ops have no need of it.)
  Variable(Value value, std::shared_ptr<Node> node, std::uint32_t slot)
      : value_(std::move(value)), node_(std::move(node)), slot_(slot) {}

  /// A leaf: `backward` adds its gradient to `grad()`.
  static Variable leaf(Tensor value);

  bool defined() const { return value_ != nullptr; }
  const Tensor& value() const { return *value_; }
  const Value& shared() const { return value_; }
  const Shape& shape() const { return value_->shape(); }
  std::size_t rank() const { return shape().size(); }
  std::size_t size() const { return value_->size(); }
  /// Length of an axis; -1 is the last.
  std::size_t length(int axis) const;
  /// The only element, as a plain number. Throws ShapeError when there is not exactly one.
  Real item() const;

  /// True when gradients flow into it.
  bool tracked() const { return node_ != nullptr; }
  /// The same value outside of any graph.
  Variable detach() const { return Variable(value_); }

  /// The gradient that `backward` has accumulated in this leaf; empty before the first.
  Value grad() const;
  void clear_grad();

  /// Calls `hook(gradient)` once in each backward pass, with the full gradient of this variable.
  void on_gradient(Node::Hook hook) const;

  const std::shared_ptr<Node>& node() const { return node_; }
  std::uint32_t slot() const { return slot_; }

 private:
  friend class Param;
  Value value_;
  std::shared_ptr<Node> node_;
  std::uint32_t slot_ = 0;
};

/// While one is alive, this thread records nothing: results are constants.
class NoGrad {
 public:
  NoGrad();
  ~NoGrad();
  NoGrad(const NoGrad&) = delete;
  NoGrad& operator=(const NoGrad&) = delete;

 private:
  bool before_;
};
bool recording();

}  // namespace fovea::inline FOVEA_REAL
