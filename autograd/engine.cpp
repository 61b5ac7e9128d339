#include "autograd/engine.hpp"

#include <algorithm>
#include <atomic>
#include <utility>

#include "autograd/inner.hpp"
#include "core/elementwise.hpp"

namespace fovea::inline FOVEA_REAL {
namespace {

constexpr std::string_view here = "backward";

std::uint64_t next_pass() {
  static std::atomic<std::uint64_t> pass{0};
  return ++pass;
}

// Every node that the roots depend on, latest recorded first: a node comes after all that used it. `meet` is
// called for each on the way.
template <class Meet>
std::vector<std::shared_ptr<Node>> reachable(std::span<const Variable> roots, const Meet& meet) {
  const std::uint64_t pass = next_pass();
  std::vector<std::shared_ptr<Node>> found;
  const auto visit = [&](const std::shared_ptr<Node>& node) {
    if (!node || node->seen == pass) return;
    meet(*node);
    node->seen = pass;
    found.push_back(node);
  };
  for (const Variable& root : roots) visit(root.node());
  for (std::size_t i = 0; i < found.size(); ++i) {
    check<Error>(!found[i]->freed, here, "the graph of ", found[i]->op->name(),
                 " was freed by an earlier pass; pass keep_graph to the first to go through it twice");
    for (const Node::Edge& input : found[i]->inputs) visit(input.node);
  }
  std::sort(found.begin(), found.end(), [](const auto& a, const auto& b) { return a->order > b->order; });
  return found;
}

// Adds `gradient` to what has arrived; in place when nobody else holds that tensor.
void accumulate(Value& sum, Value gradient) {
  if (!sum) {
    sum = std::move(gradient);
  } else if (sum.use_count() == 1) {
    numbers::add_into(const_cast<Tensor&>(*sum), *gradient);  // made as a Tensor by an op, shared by none
  } else {
    Tensor copy = *sum;
    numbers::add_into(copy, *gradient);
    sum = share(std::move(copy));
  }
}

// The one place where broadcasting is undone and where a wrong formula is caught.
Value fitted(const Op& op, std::size_t input, Value gradient, const Shape& shape) {
  if (gradient->shape() == shape) return gradient;
  check(broadcasts_to(shape, gradient->shape()), here, "the gradient of ", op.name(), " for input ", input,
        " has shape ", gradient->shape(), "; expected ", shape);
  return share(numbers::sum_to(*gradient, shape));
}

void send_on(Node& node) {
  node.backward([&](std::size_t i, Value gradient) {
    const Node::Edge& input = node.inputs[i];
    if (!gradient || !input.node) return;
    Node::Output& target = input.node->outputs[input.slot];
    accumulate(target.cotangent, fitted(*node.op, i, std::move(gradient), target.shape));
  });
}

void clear_cotangents(std::span<const std::shared_ptr<Node>> nodes) {
  for (const auto& node : nodes) {
    for (Node::Output& output : node->outputs) output.cotangent.reset();
  }
}

constexpr auto any_node = [](const Node&) {};

// Runs backward from the roots. `arrived(node)` is called for each node with its full cotangents, and before
// all that `meet(node)`.
template <class Arrived, class Meet = decltype(any_node)>
void run(std::span<const Variable> roots, std::span<const Value> cotangents, bool keep_graph,
         const Arrived& arrived, const Meet& meet = any_node) {
  const auto nodes = reachable(roots, meet);
  clear_cotangents(nodes);  // an earlier pass that threw may have left some
  for (std::size_t i = 0; i < roots.size(); ++i) {
    if (roots[i].tracked() && cotangents[i])
      accumulate(roots[i].node()->outputs[roots[i].slot()].cotangent, cotangents[i]);
  }
  for (const auto& node : nodes) {
    const bool reached = std::any_of(node->outputs.begin(), node->outputs.end(),
                                     [](const auto& o) { return o.cotangent != nullptr; });
    if (reached) {
      const auto hooks = node->hooks;  // a hook may add another
      for (const auto& [slot, hook] : hooks) {
        if (const Value& full = node->outputs[slot].cotangent) hook(*full);
      }
      arrived(*node);
      send_on(*node);
    }
    for (Node::Output& output : node->outputs) output.cotangent.reset();
    if (!keep_graph && !node->inputs.empty()) {
      node->release();
      node->freed = true;
    }
  }
}

Value cotangent_for(const Variable& output, const Tensor* given) {
  if (!given) {
    check(output.size() == 1, here, "an output of shape ", output.shape(),
          " needs a cotangent of that shape");
    return share(filled(output.shape(), Real(1)));
  }
  check(given->shape() == output.shape(), here, "the cotangent has shape ", given->shape(),
        "; expected the output's ", output.shape());
  return share(*given);
}

void backward_from(const Variable& output, const Tensor* given, bool keep_graph) {
  check<Error>(output.tracked(), here, "the output depends on no leaf, so there is nothing to differentiate");
  Value cotangent = cotangent_for(output, given);
  // Leaves are changed at the end: when a formula or a hook throws, none is.
  std::vector<std::pair<Leaf*, Value>> arrived;
  run(std::span(&output, 1), std::span(&cotangent, 1), keep_graph, [&arrived](Node& node) {
    if (auto* leaf = dynamic_cast<Leaf*>(&node)) arrived.emplace_back(leaf, leaf->outputs[0].cotangent);
  });
  for (auto& [leaf, gradient] : arrived) accumulate(leaf->gradient, std::move(gradient));
}

// What arrives at `wrt`; empty where nothing does.
template <class Meet = decltype(any_node)>
std::vector<Value> arriving(std::span<const Variable> wrt, std::span<const Variable> outputs,
                            std::span<const Value> cotangents, bool keep_graph, const Meet& meet = any_node) {
  std::vector<Value> found(wrt.size());
  const auto note = [&](Node& node) {
    for (std::size_t i = 0; i < wrt.size(); ++i) {
      if (wrt[i].node().get() == &node) found[i] = node.outputs[wrt[i].slot()].cotangent;
    }
  };
  run(outputs, cotangents, keep_graph, note, meet);
  return found;
}

// Refuses nodes that were there before the inner graph, but for its leaves.
auto own_nodes(std::span<const Variable> leaves, std::uint64_t first) {
  return [leaves, first](const Node& node) {
    const auto is_it = [&](const Variable& leaf) { return leaf.node().get() == &node; };
    check<Error>(node.order >= first || std::any_of(leaves.begin(), leaves.end(), is_it), "recompute",
                 "a variable of shape ", node.outputs[0].shape, ", made by ", node.op->name(),
                 ", is used that is neither an input nor a parameter: its gradient would be lost");
  };
}

// While one is alive, these leaves are as if no pass had come to them and nobody waited for it.
class SetAside {
 public:
  explicit SetAside(std::span<const Variable> leaves) {
    held_.reserve(leaves.size());
    for (const Variable& leaf : leaves) {
      Node* node = leaf.node().get();
      if (!node) continue;
      held_.push_back({node, std::exchange(node->outputs[0].cotangent, {}), std::exchange(node->hooks, {})});
    }
  }
  ~SetAside() {
    // Of a leaf that is named twice the first one holds what there was.
    for (auto one = held_.rbegin(); one != held_.rend(); ++one) {
      one->node->outputs[0].cotangent = std::move(one->cotangent);
      one->node->hooks = std::move(one->hooks);
    }
  }
  SetAside(const SetAside&) = delete;
  SetAside& operator=(const SetAside&) = delete;

 private:
  struct Held {
    Node* node;
    Value cotangent;
    decltype(Node::hooks) hooks;
  };
  std::vector<Held> held_;
};

}  // namespace

void backward(const Variable& output, bool keep_graph) { backward_from(output, nullptr, keep_graph); }

void backward(const Variable& output, Tensor cotangent, bool keep_graph) {
  backward_from(output, &cotangent, keep_graph);
}

std::vector<Tensor> gradients(std::span<const Variable> outputs, std::span<const Tensor> cotangents,
                              std::span<const Variable> wrt, bool keep_graph) {
  check(cotangents.empty() || cotangents.size() == outputs.size(), "gradients", cotangents.size(),
        " cotangents for ", outputs.size(), " outputs");
  std::vector<Value> given;
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    given.push_back(cotangent_for(outputs[i], cotangents.empty() ? nullptr : &cotangents[i]));
  }
  for (const Variable& variable : wrt) {
    check<Error>(variable.tracked(), "gradients", "a variable of shape ", variable.shape(),
                 " takes no part in a graph; make it a leaf");
  }
  const std::vector<Value> found = arriving(wrt, outputs, given, keep_graph);
  std::vector<Tensor> results;
  for (std::size_t i = 0; i < wrt.size(); ++i)
    results.push_back(found[i] ? *found[i] : zeros(wrt[i].shape()));
  return results;
}

void detail::check_inner(std::span<const Variable> outputs, std::span<const Variable> leaves,
                         std::uint64_t first) {
  reachable(outputs, own_nodes(leaves, first));
}

std::vector<Value> detail::inner_gradients(std::span<const Variable> outputs,
                                           std::span<const Value> cotangents,
                                           std::span<const Variable> leaves, std::uint64_t first) {
  const SetAside waiting(leaves);
  return arriving(leaves, outputs, cotangents, false, own_nodes(leaves, first));
}

}  // namespace fovea::inline FOVEA_REAL
