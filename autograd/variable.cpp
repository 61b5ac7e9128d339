#include "autograd/variable.hpp"

#include "autograd/inner.hpp"
#include "autograd/record.hpp"

namespace fovea::inline FOVEA_REAL {
namespace {

thread_local bool record_calls = true;

Leaf* leaf_of(const std::shared_ptr<Node>& node) { return dynamic_cast<Leaf*>(node.get()); }

}  // namespace

Variable Variable::leaf(Tensor value) {
  auto node = std::make_shared<Leaf>(value.shape());
  return Variable(share(std::move(value)), std::move(node), 0);
}

std::size_t Variable::length(int axis) const {
  check(in_range(axis, rank()), "length", "axis ", axis, " is outside ", shape());
  return shape()[axis_of(axis, rank())];
}

Real Variable::item() const {
  check(size() == 1, "item", "shape ", shape(), " has ", size(), " elements; expected exactly one");
  return value_->data()[0];
}

Value Variable::grad() const {
  const Leaf* leaf = leaf_of(node_);
  return leaf ? leaf->gradient : nullptr;
}

void Variable::clear_grad() {
  if (Leaf* leaf = leaf_of(node_)) leaf->gradient.reset();
}

void Variable::on_gradient(Node::Hook hook) const {
  check<Error>(tracked(), "on_gradient", "this variable takes no part in a graph, so it gets no gradient");
  node_->hooks.emplace_back(slot_, std::move(hook));
}

NoGrad::NoGrad() : before_(record_calls) { record_calls = false; }
NoGrad::~NoGrad() { record_calls = before_; }
bool recording() { return record_calls; }

detail::Recording::Recording() : before_(record_calls) { record_calls = true; }
detail::Recording::~Recording() { record_calls = before_; }

void detail::connect(Node& node, std::size_t input, const Variable& variable) {
  node.inputs[input] = {variable.node(), variable.slot()};
}

}  // namespace fovea::inline FOVEA_REAL
