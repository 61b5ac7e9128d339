#include "optim/optimizer.hpp"

#include "core/check.hpp"

namespace fovea::inline FOVEA_REAL {

void Optimizer::step(std::span<const NamedParam> params, double rate) {
  // Everything is checked before anything changes.
  for (const NamedParam& named : params) {
    const Value gradient = named.param->grad();
    if (!gradient) continue;
    const auto moments = state_.find(named.path);
    if (moments == state_.end()) continue;
    for (const auto& [name, moment] : moments->second) {
      check(moment.shape() == named.param->shape(), "optimizer", name, " of ", named.path, " has shape ",
            moment.shape(), "; expected ", named.param->shape());
    }
  }
  ++steps_;
  for (const NamedParam& named : params) {
    const Value gradient = named.param->grad();
    if (gradient) update(named, *gradient, rate, state_[named.path]);
  }
}

Real* Optimizer::moment(Moments& moments, const char* name, const Shape& shape) {
  auto found = moments.find(name);
  if (found == moments.end()) found = moments.emplace(name, zeros(shape)).first;
  return found->second.data();
}

std::unique_ptr<Optimizer> make_optimizer(const std::string& name, double decay) {
  if (name == "sgd") return sgd(0.9, decay);
  if (name == "adamw") return adamw(decay);
  check<ConfigError>(name == "adam", "optimizer", "\"", name, "\" is not one of sgd, adam, adamw");
  check<ConfigError>(decay == 0, "optimizer", "adam takes no weight decay; adamw does");
  return adam();
}

}  // namespace fovea::inline FOVEA_REAL
