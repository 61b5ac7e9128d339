#include "autograd/engine.hpp"

#include <algorithm>
#include <atomic>

#include "core/elementwise.hpp"

namespace fovea::inline FOVEA_REAL {
namespace {

constexpr std::string_view here = "backward";

std::uint64_t next_pass() {
  static std::atomic<std::uint64_t> pass{0};
  return ++pass;
}

// Every node that the roots depend on, latest recorded first: a node comes after all that used it.
std::vector<std::shared_ptr<Node>> reachable(std::span<const Variable> roots) {
  const std::uint64_t pass = next_pass();
  std::vector<std::shared_ptr<Node>> found;
  const auto visit = [&](const std::shared_ptr<Node>& node) {
    if (!node || node->seen == pass) return;
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

// Runs backward from the roots. `arrived(node)` is called for each node with its full cotangents.
template <class Arrived>
void run(std::span<const Variable> roots, std::span<Value> cotangents, bool keep_graph, Arrived arrived) {
  const auto nodes = reachable(roots);
  clear_cotangents(nodes);  // an earlier pass that threw may have left some
  for (std::size_t i = 0; i < roots.size(); ++i) {
    if (roots[i].tracked()) accumulate(roots[i].node()->outputs[roots[i].slot()].cotangent, cotangents[i]);
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
  std::vector<Value> found(wrt.size());
  run(outputs, given, keep_graph, [&](Node& node) {
    for (std::size_t i = 0; i < wrt.size(); ++i) {
      if (wrt[i].node().get() == &node) found[i] = node.outputs[wrt[i].slot()].cotangent;
    }
  });
  std::vector<Tensor> results;
  for (std::size_t i = 0; i < wrt.size(); ++i)
    results.push_back(found[i] ? *found[i] : zeros(wrt[i].shape()));
  return results;
}

}  // namespace fovea::inline FOVEA_REAL
