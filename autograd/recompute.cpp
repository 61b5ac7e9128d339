#include "autograd/recompute.hpp"

#include <algorithm>

#include "autograd/inner.hpp"
#include "autograd/record.hpp"

namespace fovea::inline FOVEA_REAL {

static const Op recompute_op{"recompute"};

namespace {

// An input as the function gets it: a leaf of its own where gradients flow into it.
struct Input {
  Value value;
  bool tracked;
  std::size_t first;  // of the inputs that are this very variable; they stay one: a function may treat keys
                      // that are the values, too, in another way

  Variable again() const {
    return tracked ? Variable(value, std::make_shared<Leaf>(value->shape()), 0) : Variable(value);
  }
};

// What is left of a call until its backward pass.
class Kept {
 public:
  Kept(Recomputed function, std::span<const Variable> inputs, std::vector<const Param*> params)
      : function_(std::move(function)), params_(std::move(params)) {
    for (std::size_t i = 0; i < inputs.size(); ++i) {
      const auto same = [&](const Variable& other) {
        return other.tracked() && other.node() == inputs[i].node() && other.slot() == inputs[i].slot();
      };
      const auto found = std::find_if(inputs.begin(), inputs.begin() + static_cast<std::ptrdiff_t>(i), same);
      inputs_.push_back({inputs[i].shared(), inputs[i].tracked(),
                         static_cast<std::size_t>(std::distance(inputs.begin(), found))});
    }
    for (const Param* param : params_) values_.push_back(param->variable().shared());
  }

  // The first run. Its graph could serve as well as that of the second; to forget it is what this is about.
  std::vector<Value> values() {
    const Run run(*this);
    detail::check_inner(run.results, run.leaves, run.first);
    std::vector<Value> values;
    for (const Variable& result : run.results) {
      shapes_.push_back(result.shape());
      values.push_back(result.shared());
    }
    return values;
  }

  // For the inputs, then the parameters.
  Gradients gradients(Cotangents dy) const {
    check_params();
    const Run run(*this);
    check<Error>(std::equal(run.results.begin(), run.results.end(), shapes_.begin(), shapes_.end(),
                            [](const Variable& y, const Shape& shape) { return y.shape() == shape; }),
                 recompute_op, "the function gave other results, or of other shapes, when it ran again");
    Gradients found = detail::inner_gradients(run.results, dy, run.leaves, run.first);
    for (std::size_t i = 0; i < inputs_.size(); ++i) {
      if (inputs_[i].first < i) found[i].reset();  // all of it has arrived at the first
    }
    return found;
  }

 private:
  // Both runs are recorded, and so go the same way.
  struct Run {
    explicit Run(const Kept& kept) {
      const detail::Recording recording;
      for (const Input& input : kept.inputs_) {
        leaves.push_back(input.first < leaves.size() ? leaves[input.first] : input.again());
      }
      results = kept.function_(leaves);
      for (const Param* param : kept.params_) leaves.push_back(param->variable());
    }
    std::uint64_t first = detail::nodes_made();
    std::vector<Variable> leaves, results;
  };

  void check_params() const {
    for (std::size_t i = 0; i < params_.size(); ++i) {
      check<Error>(params_[i]->variable().shared() == values_[i], recompute_op, "a parameter of shape ",
                   params_[i]->shape(),
                   " was changed between the forward and the backward pass: what was computed with it cannot "
                   "be computed again");
    }
  }

  Recomputed function_;
  std::vector<Input> inputs_;
  std::vector<const Param*> params_;
  std::vector<Value> values_;  // of the parameters; while these are held an update makes a copy
  std::vector<Shape> shapes_;  // of the results
};

}  // namespace

std::vector<Variable> recompute(Recomputed function, const std::vector<Variable>& inputs,
                                const std::vector<const Param*>& params) {
  std::vector<Variable> sources = inputs;
  for (const Param* param : params) sources.push_back(param->variable());
  const bool tracked = std::any_of(sources.begin(), sources.end(), [](const auto& x) { return x.tracked(); });
  if (!recording() || !tracked || detail::tracing()) return function(inputs);
  Kept kept(std::move(function), inputs, params);
  std::vector<Value> values = kept.values();
  return record_joint(recompute_op, std::move(values), sources,
                      [kept = std::move(kept)](Cotangents dy) { return kept.gradients(dy); });
}

}  // namespace fovea::inline FOVEA_REAL
