#pragma once

#include <map>
#include <memory>
#include <span>
#include <string>

#include "autograd/param.hpp"

namespace fovea::inline FOVEA_REAL {

/// Changes parameters by their gradients. Keeps its state by path, so that it follows a parameter through a
/// changed model. A parameter without a gradient is left as it is, also by weight decay.
class Optimizer {
 public:
  virtual ~Optimizer() = default;

  /// One update of every parameter at this learning rate. The gradients are finite (see clip.hpp).
  void step(std::span<const NamedParam> params, double rate);

  /// Number of steps taken: what bias corrections count by.
  std::uint64_t steps() const { return steps_; }
  void set_steps(std::uint64_t steps) { steps_ = steps; }

  /// The moments of one parameter, by the names that the method gives them (`momentum`, `first`, `second`).
  using Moments = std::map<std::string, Tensor>;
  std::map<std::string, Moments>& state() { return state_; }
  const std::map<std::string, Moments>& state() const { return state_; }

 protected:
  virtual void update(const NamedParam& named, const Tensor& gradient, double rate, Moments& moments) = 0;
  /// The moment of this name, zeros at first.
  static Real* moment(Moments& moments, const char* name, const Shape& shape);

 private:
  std::uint64_t steps_ = 0;
  std::map<std::string, Moments> state_;
};

/// p ← p - rate · v with v ← momentum · v + g; weight decay adds decay · p to g (L2), as in PyTorch.
std::unique_ptr<Optimizer> sgd(double momentum = 0, double decay = 0);

/// Adam (Kingma, Ba, 2015).
std::unique_ptr<Optimizer> adam(double beta1 = 0.9, double beta2 = 0.999, double eps = 1e-8);

/// Adam with decoupled weight decay (Loshchilov, Hutter, 2019): p shrinks by rate · decay · p.
std::unique_ptr<Optimizer> adamw(double decay = 0.01, double beta1 = 0.9, double beta2 = 0.999,
                                 double eps = 1e-8);

/// By name (`sgd`, `adam`, `adamw`) with the usual settings; ConfigError for any other.
std::unique_ptr<Optimizer> make_optimizer(const std::string& name, double decay);

}  // namespace fovea::inline FOVEA_REAL
