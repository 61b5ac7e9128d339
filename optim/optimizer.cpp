#include "optim/optimizer.hpp"

#include <algorithm>

#include "core/check.hpp"
#include "core/parallel.hpp"

namespace fovea::inline FOVEA_REAL {

namespace {
constexpr const char* count_name = "steps";
}

Shape Optimizer::moment_shape(std::string_view moment, const Shape& parameter) const {
  return moment == count_name ? Shape{} : parameter;
}

bool Optimizer::keeps(std::string_view moment) const {
  const auto names = moment_names();
  return (counts() && moment == count_name) || std::find(names.begin(), names.end(), moment) != names.end();
}

void Optimizer::step(std::span<const NamedParam> params, double rate) {
  // Everything is checked before anything changes.
  for (const NamedParam& named : params) {
    const auto moments = state_.find(named.path);
    if (!named.param->grad() || moments == state_.end()) continue;
    for (const auto& [name, moment] : moments->second) {
      const Shape expected = moment_shape(name, named.param->shape());
      check(moment.shape() == expected, "optimizer", name, " of ", named.path, " has shape ", moment.shape(),
            "; expected ", expected);
    }
  }
  ++steps_;
  for (const NamedParam& named : params) {
    const Value gradient = named.param->grad();
    if (!gradient) continue;
    std::vector<Real*> kept;
    Moments& moments = state_[named.path];
    const bool fresh = moments.empty();
    for (const char* name : moment_names()) {
      auto found = moments.find(name);
      if (found == moments.end()) found = moments.emplace(name, zeros(gradient->shape())).first;
      kept.push_back(found->second.data());
    }
    double own_step = 0;
    if (counts()) {
      // Moments without a count are of an older file, where all parameters were counted together.
      const Real before = fresh ? Real(0) : static_cast<Real>(steps_ - 1);
      Tensor& count = moments.try_emplace(count_name, scalar(before)).first->second;
      own_step = static_cast<double>(count.data()[0] += 1);
    }
    const double decay = named.decay.value_or(named.decays ? decay_ : 0);
    named.param->update([&](Tensor& value) {
      parallel_for(value.size(), rows_per_range(1), [&](std::size_t begin, std::size_t end) {
        Stretch stretch{end - begin,
                        own_step,
                        static_cast<Real>(rate * named.rate),
                        static_cast<Real>(decay),
                        gradient->data() + begin,
                        value.data() + begin,
                        kept};
        for (Real*& moment : stretch.moments) moment += begin;
        update(stretch);
      });
    });
  }
}

std::unique_ptr<Optimizer> make_optimizer(const std::string& name, double decay) {
  if (name == "sgd" || name == "nesterov") return sgd(0.9, decay, name == "nesterov");
  if (name == "adamw") return adamw(decay);
  if (name == "rmsprop") return rmsprop(0.99, 0, decay);
  if (name == "adagrad") return adagrad(decay);
  if (name == "lion") return lion(decay);
  std::string known;
  for (const std::string& other : optimizer_names()) known += (known.empty() ? "" : ", ") + other;
  check<ConfigError>(name == "adam", "optimizer", "\"", name, "\" is not one of ", known);
  check<ConfigError>(decay == 0, "optimizer", "adam takes no weight decay; adamw does");
  return adam();
}

}  // namespace fovea::inline FOVEA_REAL
