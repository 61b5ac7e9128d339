#include <cmath>

#include "core/kernels/choose.hpp"
#include "optim/optimizer.hpp"

namespace fovea::inline FOVEA_REAL {
namespace {

// m = β1 m + (1 - β1) g    v = β2 v + (1 - β2) g²    p = p (1 - rate λ) - rate · m̂ / (√v̂ + ε)
// with m̂ = m / (1 - β1ᵗ), v̂ = v / (1 - β2ᵗ) at the parameter's step t. Adam is the case λ = 0.
class Adam final : public Optimizer {
 public:
  Adam(double beta1, double beta2, double eps, double decay)
      : Optimizer(decay), beta1_(beta1), beta2_(beta2), eps_(eps) {}

 private:
  std::vector<const char*> moment_names() const override { return {"first", "second"}; }
  bool counts() const override { return true; }
  void update(const Stretch& s) const override {
    const double t = s.step;
    kernels().adam(s.size, s.rate, static_cast<Real>(beta1_), static_cast<Real>(beta2_),
                   static_cast<Real>(eps_), static_cast<Real>(1 - std::pow(beta1_, t)),
                   static_cast<Real>(1 - std::pow(beta2_, t)), s.decay, s.gradient, s.moments[0],
                   s.moments[1], s.value);
  }

  double beta1_, beta2_, eps_;
};

}  // namespace

std::unique_ptr<Optimizer> adam(double beta1, double beta2, double eps) {
  return std::make_unique<Adam>(beta1, beta2, eps, 0);
}
std::unique_ptr<Optimizer> adamw(double decay, double beta1, double beta2, double eps) {
  return std::make_unique<Adam>(beta1, beta2, eps, decay);
}

}  // namespace fovea::inline FOVEA_REAL
