#pragma once

#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "autograd/param.hpp"
#include "optim/optimizer_names.hpp"

namespace fovea::inline FOVEA_REAL {

/// Changes parameters by their gradients. Keeps its state by path, so that it follows a parameter through a
/// changed model. A parameter without a gradient is left as it is, also by weight decay.
class Optimizer {
 public:
  explicit Optimizer(double decay) : decay_(decay) {}
  virtual ~Optimizer() = default;

  /// One update of every parameter at this learning rate. The gradients are finite (see clip.hpp).
  void step(std::span<const NamedParam> params, double rate);

  /// Number of steps taken.
  std::uint64_t steps() const { return steps_; }
  void set_steps(std::uint64_t steps) { steps_ = steps; }

  /// True for the moments that this method keeps.
  bool keeps(std::string_view moment) const;
  /// The shape of a moment of a parameter: its own, or that of a scalar for the count of its steps.
  Shape moment_shape(std::string_view moment, const Shape& parameter) const;

  /// The moments of one parameter, by the names that the method gives them (`momentum`, `first`, `second`).
  using Moments = std::map<std::string, Tensor>;
  std::map<std::string, Moments>& state() { return state_; }
  const std::map<std::string, Moments>& state() const { return state_; }

 protected:
  /// One parameter's part of a step: numbers that lie next to each other.
  struct Stretch {
    std::size_t size;
    double step;  // number of this step, counted from the parameter's first gradient on; 0 if not `counts`
    Real rate, decay;
    const Real* gradient;
    Real* value;
    std::vector<Real*> moments;  // in the order of `moment_names`
  };
  /// What the method keeps of each parameter; all start at zero.
  virtual std::vector<const char*> moment_names() const = 0;
  /// True when the method corrects by the number of a parameter's own steps, kept as the moment `steps` (a
  /// scalar).
  virtual bool counts() const { return false; }
  virtual void update(const Stretch& stretch) const = 0;

 private:
  double decay_;
  std::uint64_t steps_ = 0;
  std::map<std::string, Moments> state_;
};

/// v ← momentum · v + g; p ← p - rate · v. With `nesterov` p ← p - rate · (g + momentum · v) (Sutskever et
/// al., 2013). Weight decay adds decay · p to g (L2), as in PyTorch.
std::unique_ptr<Optimizer> sgd(double momentum = 0, double decay = 0, bool nesterov = false);

/// Adam (Kingma, Ba, 2015).
std::unique_ptr<Optimizer> adam(double beta1 = 0.9, double beta2 = 0.999, double eps = 1e-8);

/// Adam with decoupled weight decay (Loshchilov, Hutter, 2019): p shrinks by rate · decay · p.
std::unique_ptr<Optimizer> adamw(double decay = 0.01, double beta1 = 0.9, double beta2 = 0.999,
                                 double eps = 1e-8);

/// v ← α v + (1 - α) g²; p ← p - rate · g / (√v + ε), through a momentum if that is not 0 (Tieleman, Hinton,
/// 2012). Decay is L2.
std::unique_ptr<Optimizer> rmsprop(double alpha = 0.99, double momentum = 0, double decay = 0,
                                   double eps = 1e-8);

/// v ← v + g²; p ← p - rate · g / (√v + ε) (Duchi, Hazan, Singer, 2011). Decay is L2.
std::unique_ptr<Optimizer> adagrad(double decay = 0, double eps = 1e-10);

/// p ← p - rate · (sign(β1 m + (1 - β1) g) + decay · p); m ← β2 m + (1 - β2) g (Chen et al., 2023). Wants a
/// rate three to ten times smaller than Adam's.
std::unique_ptr<Optimizer> lion(double decay = 0, double beta1 = 0.9, double beta2 = 0.99);

/// By one of `optimizer_names()`, with the usual settings (`sgd` and `nesterov` with momentum 0.9);
/// ConfigError for any other, and for a decay with `adam`, which has none.
std::unique_ptr<Optimizer> make_optimizer(const std::string& name, double decay);

}  // namespace fovea::inline FOVEA_REAL
