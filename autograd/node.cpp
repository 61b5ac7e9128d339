#include "autograd/node.hpp"

#include <atomic>

#include "autograd/inner.hpp"

namespace fovea::inline FOVEA_REAL {
namespace {

const Op*& first_op() {
  static const Op* first = nullptr;
  return first;
}

std::atomic<std::int64_t> alive{0};
std::atomic<std::uint64_t> recorded{0};

// Nodes that wait to be freed. Freeing a chain node by node through destructors would need a stack frame for
// each; here a destructor only hands its inputs over, and the outermost one, which owns the list, empties it.
// A plain pointer, because graphs of static lifetime are freed after a thread's own objects.
thread_local std::vector<std::shared_ptr<Node>>* waiting = nullptr;

const Op leaf_op{"leaf"};

}  // namespace

Op::Op(const char* name) : name_(name), next_(first_op()) { first_op() = this; }
const Op* Op::first() { return first_op(); }

std::int64_t live_nodes() { return alive; }
std::uint64_t detail::nodes_made() { return recorded; }

Node::Node(const Op& called, std::size_t input_count, std::size_t output_count)
    : op(&called), order(recorded++), inputs(input_count), outputs(output_count) {
  ++alive;
}

Node::~Node() {
  --alive;
  std::vector<std::shared_ptr<Node>> mine;
  const bool outermost = waiting == nullptr;
  if (outermost) waiting = &mine;
  for (Edge& input : inputs) {
    // Others may still hold it: then nothing is freed here.
    if (input.node) waiting->push_back(std::move(input.node));
  }
  if (!outermost) return;
  while (!mine.empty()) {
    const std::shared_ptr<Node> next = std::move(mine.back());
    mine.pop_back();
  }
  waiting = nullptr;
}

Leaf::Leaf(const Shape& shape) : Node(leaf_op, 0, 1) { outputs[0].shape = shape; }

}  // namespace fovea::inline FOVEA_REAL
