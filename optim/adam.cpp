#include <cmath>

#include "core/kernels/kernels.hpp"
#include "core/parallel.hpp"
#include "optim/optimizer.hpp"

namespace fovea::inline FOVEA_REAL {
namespace {

// m = β1 m + (1 - β1) g    v = β2 v + (1 - β2) g²    p = p (1 - rate λ) - rate · m̂ / (√v̂ + ε)
// with m̂ = m / (1 - β1ᵗ), v̂ = v / (1 - β2ᵗ) at step t. Adam is the case λ = 0.
class Adam final : public Optimizer {
 public:
  Adam(double beta1, double beta2, double eps, double decay)
      : beta1_(beta1), beta2_(beta2), eps_(eps), decay_(decay) {}

 private:
  void update(const NamedParam& named, const Tensor& gradient, double rate, Moments& moments) override {
    Real* first = moment(moments, "first", gradient.shape());
    Real* second = moment(moments, "second", gradient.shape());
    const double t = static_cast<double>(steps());
    const Real correction1 = static_cast<Real>(1 - std::pow(beta1_, t));
    const Real correction2 = static_cast<Real>(1 - std::pow(beta2_, t));
    const Real decay = named.decays ? static_cast<Real>(decay_) : Real(0);
    named.param->update([&](Tensor& value) {
      parallel_for(value.size(), rows_per_range(1), [&](std::size_t begin, std::size_t end) {
        kernels().adam(end - begin, static_cast<Real>(rate), static_cast<Real>(beta1_),
                       static_cast<Real>(beta2_), static_cast<Real>(eps_), correction1, correction2, decay,
                       gradient.data() + begin, first + begin, second + begin, value.data() + begin);
      });
    });
  }

  double beta1_, beta2_, eps_, decay_;
};

}  // namespace

std::unique_ptr<Optimizer> adam(double beta1, double beta2, double eps) {
  return std::make_unique<Adam>(beta1, beta2, eps, 0);
}
std::unique_ptr<Optimizer> adamw(double decay, double beta1, double beta2, double eps) {
  return std::make_unique<Adam>(beta1, beta2, eps, decay);
}

}  // namespace fovea::inline FOVEA_REAL
