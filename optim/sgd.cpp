#include "core/kernels/choose.hpp"
#include "optim/optimizer.hpp"

namespace fovea::inline FOVEA_REAL {
namespace {

class Sgd final : public Optimizer {
 public:
  Sgd(double momentum, double decay, bool nesterov)
      : Optimizer(decay), momentum_(momentum), nesterov_(nesterov) {}

 private:
  std::vector<const char*> moment_names() const override {
    return momentum_ != 0 ? std::vector<const char*>{"momentum"} : std::vector<const char*>{};
  }
  void update(const Stretch& s) const override {
    kernels().sgd(s.size, s.rate, static_cast<Real>(momentum_), nesterov_, s.decay, s.gradient,
                  s.moments.empty() ? nullptr : s.moments[0], s.value);
  }

  double momentum_;
  bool nesterov_;
};

}  // namespace

std::unique_ptr<Optimizer> sgd(double momentum, double decay, bool nesterov) {
  return std::make_unique<Sgd>(momentum, decay, nesterov);
}

}  // namespace fovea::inline FOVEA_REAL
