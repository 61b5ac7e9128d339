#include "training/divergence.hpp"

#include <algorithm>
#include <cmath>
#include <deque>
#include <map>
#include <set>
#include <unordered_map>

#include "autograd/engine.hpp"
#include "autograd/trace.hpp"

namespace fovea::inline FOVEA_REAL {
namespace {

using Call = Trace::Call;

// How far a tensor is from finite. NaN is worse: an infinity may be meant, as in a mask.
enum class State { finite, infinite, nan };

State state_of(const Tensor& tensor) {
  if (all_finite(tensor)) return State::finite;
  const bool nan = std::any_of(tensor.data(), tensor.data() + tensor.size(), [](Real x) { return x != x; });
  return nan ? State::nan : State::infinite;
}

// Which call made a value. Values are told apart by their place in memory: the trace keeps them all.
class Makers {
 public:
  explicit Makers(const Trace& trace) {
    for (const Call& call : trace.calls()) {
      for (const Variable& result : call.results) {
        const bool handed_on = std::any_of(call.inputs.begin(), call.inputs.end(),
                                           [&](const Variable& x) { return x.shared() == result.shared(); });
        if (!handed_on) makers_.emplace(result.shared().get(), &call);
      }
    }
  }
  const Call* of(const Variable& value) const {
    const auto found = makers_.find(value.shared().get());
    return found == makers_.end() ? nullptr : found->second;
  }

 private:
  std::unordered_map<const Tensor*, const Call*> makers_;
};

const NamedParam* nearest(std::span<const NamedParam> params, const Makers& makers, const Call& from) {
  std::deque<const Call*> waiting{&from};
  std::set<const Call*> seen{&from};
  for (; !waiting.empty(); waiting.pop_front()) {
    for (const Variable& input : waiting.front()->inputs) {
      if (!input.defined()) continue;
      for (const NamedParam& named : params) {
        if (named.param->variable().shared() == input.shared()) return &named;
      }
      const Call* maker = makers.of(input);
      if (maker && seen.insert(maker).second) waiting.push_back(maker);
    }
  }
  return nullptr;
}

std::string place_of(const Call& call, std::span<const NamedParam> params, const Makers& makers) {
  const NamedParam* named = nearest(params, makers, call);
  return join("[", call.op->name(), "], whose result has shape ", call.results.front().shape(),
              named ? "; the nearest parameter is " + named->path : "; there is no parameter before it");
}

// The input of `call` that is furthest from finite; the number of inputs when all are finite.
std::size_t worst_input(const Call& call) {
  std::size_t worst = call.inputs.size();
  State most = State::finite;
  for (std::size_t i = 0; i < call.inputs.size(); ++i) {
    if (!call.inputs[i].defined()) continue;
    const State state = state_of(call.inputs[i].value());
    if (state <= most) continue;
    worst = i;
    most = state;
  }
  return worst;
}

// What the calls gave as gradients, once backward has run over a graph that was kept.
class Backward {
 public:
  Backward(const Trace& trace, const Variable& loss, std::span<const NamedParam> params) : trace_(trace) {
    for (const Call& call : trace.calls()) {
      for (const Variable& result : call.results) {
        if (!result.tracked()) continue;
        result.on_gradient([this, key = key_of(result)](const Tensor& dy) { arrived_[key] = share(dy); });
      }
    }
    std::vector<Variable> leaves;
    for (const NamedParam& named : params) leaves.push_back(named.param->variable());
    gradients_ = gradients(std::span(&loss, 1), {}, leaves, true);
  }

  const std::vector<Tensor>& of_params() const { return gradients_; }

  // Follows a gradient that is not finite from `at` back to the call that made it out of finite ones; null
  // when there is none.
  const Call* origin(Variable at) const {
    while (true) {
      const Call *giver = nullptr, *any = nullptr;
      for (const Call& call : trace_.calls()) {
        if (!reached(call) || !takes(call, at)) continue;
        any = any ? any : &call;
        if (!gives_finite(call, at)) {
          giver = &call;
          break;
        }
      }
      if (!giver) return any;  // finite ones that summed up to an infinity
      const auto bad = std::find_if(giver->results.begin(), giver->results.end(), [&](const Variable& y) {
        const Value dy = gradient_of(y);
        return dy && !all_finite(*dy);
      });
      if (bad == giver->results.end()) return giver;
      at = *bad;
    }
  }

 private:
  using Key = std::pair<const Node*, std::uint32_t>;
  static Key key_of(const Variable& x) { return {x.node().get(), x.slot()}; }

  Value gradient_of(const Variable& y) const {
    const auto found = arrived_.find(key_of(y));
    return found == arrived_.end() ? nullptr : found->second;
  }
  bool reached(const Call& call) const {
    return std::any_of(call.results.begin(), call.results.end(),
                       [&](const Variable& y) { return y.tracked() && gradient_of(y); });
  }
  static bool takes(const Call& call, const Variable& x) {
    return std::any_of(call.inputs.begin(), call.inputs.end(),
                       [&](const Variable& input) { return key_of(input) == key_of(x); });
  }
  // What the call gives to `x`, from the gradients that its results got.
  bool gives_finite(const Call& call, const Variable& x) const {
    Node& node = *call.results.front().node();
    for (const Variable& y : call.results) node.outputs[y.slot()].cotangent = gradient_of(y);
    bool finite = true;
    node.backward([&](std::size_t i, const Value& dx) {
      const Node::Edge& edge = node.inputs[i];
      if (dx && Key{edge.node.get(), edge.slot} == key_of(x)) finite = finite && all_finite(*dx);
    });
    for (Node::Output& output : node.outputs) output.cotangent.reset();
    return finite;
  }

  const Trace& trace_;
  std::map<Key, Value> arrived_;
  std::vector<Tensor> gradients_;
};

}  // namespace

void explain_loss(const std::function<Loss()>& forward, std::span<const NamedParam> params, double loss) {
  for (const NamedParam& named : params) {
    check<DivergedError>(all_finite(named.param->value()), "loss", "it is ", loss, ", and ", named.path,
                         " is not finite");
  }
  const Trace trace;
  const Variable again = forward().value;
  const Makers makers(trace);
  const Call* call = makers.of(again);
  if (!call || all_finite(again.value())) {
    throw DivergedError(
        join("[loss] it is ", loss, ", and came from no op, or was finite when it was computed once more"));
  }
  std::size_t worst = worst_input(*call);
  while (worst < call->inputs.size() && makers.of(call->inputs[worst])) {
    call = makers.of(call->inputs[worst]);
    worst = worst_input(*call);
  }
  const std::string given =
      worst < call->inputs.size() ? join(" (its input ", worst, " was not finite)") : std::string();
  throw DivergedError(join("[loss] it is ", loss, "; the first value that is not finite was made by ",
                           place_of(*call, params, makers), given));
}

void explain_gradient(const std::function<Loss()>& forward, std::span<const NamedParam> params,
                      const DivergedError& fault) {
  const Trace trace;
  const Variable loss = forward().value;
  if (!loss.tracked() || !all_finite(loss.value())) throw fault;
  const Backward backward(trace, loss, params);
  for (std::size_t i = 0; i < params.size(); ++i) {
    if (all_finite(backward.of_params()[i])) continue;
    const Call* call = backward.origin(params[i].param->variable());
    if (!call) break;
    throw DivergedError(join(fault.what(), "; the first gradient that is not finite was made by ",
                             place_of(*call, params, Makers(trace))));
  }
  throw fault;
}

}  // namespace fovea::inline FOVEA_REAL
