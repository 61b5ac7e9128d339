#include "training/step.hpp"

#include <algorithm>
#include <cmath>

#include "autograd/engine.hpp"
#include "training/divergence.hpp"

namespace fovea::inline FOVEA_REAL {
namespace {

// No gradients before a step and none after it, however it ends.
class Cleared {
 public:
  explicit Cleared(std::span<const NamedParam> params) : params_(params) { clear(); }
  ~Cleared() { clear(); }
  Cleared(const Cleared&) = delete;
  Cleared& operator=(const Cleared&) = delete;

 private:
  void clear() const {
    for (const NamedParam& named : params_) named.param->clear_grad();
  }
  std::span<const NamedParam> params_;
};

}  // namespace

const NamedParam* first_not_finite(std::span<const NamedParam> params) {
  const auto found = std::find_if(params.begin(), params.end(),
                                  [](const NamedParam& p) { return !all_finite(p.param->value()); });
  return found == params.end() ? nullptr : &*found;
}

double descend(const std::function<Loss()>& forward, std::span<const NamedParam> params, Optimizer& optimizer,
               double rate, double max_norm) {
  const Cleared gradients(params);
  const Variable loss = forward().value;
  const double value = static_cast<double>(loss.item());
  if (!std::isfinite(value)) explain_loss(forward, params, value);
  try {
    backward(loss);
    clip_norm(params, max_norm);
  } catch (const DivergedError& fault) {
    explain_gradient(forward, params, fault);
  }
  optimizer.step(params, rate);
  return value;
}

}  // namespace fovea::inline FOVEA_REAL
