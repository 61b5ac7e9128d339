#include "training/step.hpp"

#include <algorithm>
#include <cmath>

#include "autograd/engine.hpp"

namespace fovea::inline FOVEA_REAL {
namespace {

void clear_gradients(std::span<const NamedParam> params) {
  for (const NamedParam& named : params) named.param->clear_grad();
}

// The same numbers again (a batch and its randomness are fixed), this time looking at each op's result.
[[noreturn]] void explain(const std::function<Loss()>& forward, std::span<const NamedParam> params,
                          double loss) {
  for (const NamedParam& named : params) {
    check<DivergedError>(all_finite(named.param->value()), "loss", "it is ", loss, ", and ", named.path,
                         " is not finite");
  }
  const NoGrad no_graph;
  const FiniteGuard guard;
  forward();
  throw DivergedError(join("[loss] it is ", loss, " though every op's result is finite"));
}

}  // namespace

bool all_finite(std::span<const NamedParam> params) {
  return std::all_of(params.begin(), params.end(),
                     [](const NamedParam& p) { return all_finite(p.param->value()); });
}

double descend(const std::function<Loss()>& forward, std::span<const NamedParam> params, Optimizer& optimizer,
               double rate, double max_norm) {
  clear_gradients(params);
  const Variable loss = forward().value;
  const double value = static_cast<double>(loss.item());
  if (!std::isfinite(value)) explain(forward, params, value);
  try {
    backward(loss);
    clip_norm(params, max_norm);
  } catch (...) {
    clear_gradients(params);
    throw;
  }
  optimizer.step(params, rate);
  clear_gradients(params);
  return value;
}

}  // namespace fovea::inline FOVEA_REAL
