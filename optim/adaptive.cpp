#include "core/kernels/choose.hpp"
#include "optim/optimizer.hpp"

// Methods that scale each element's step by what its gradients were.

namespace fovea::inline FOVEA_REAL {
namespace {

class RmsProp final : public Optimizer {
 public:
  RmsProp(double alpha, double momentum, double decay, double eps)
      : Optimizer(decay), alpha_(alpha), momentum_(momentum), eps_(eps) {}

 private:
  std::vector<const char*> moment_names() const override {
    return momentum_ != 0 ? std::vector<const char*>{"squares", "momentum"}
                          : std::vector<const char*>{"squares"};
  }
  void update(const Stretch& s) const override {
    kernels().rmsprop(s.size, s.rate, static_cast<Real>(alpha_), static_cast<Real>(eps_),
                      static_cast<Real>(momentum_), s.decay, s.gradient, s.moments[0],
                      s.moments.size() > 1 ? s.moments[1] : nullptr, s.value);
  }

  double alpha_, momentum_, eps_;
};

class Adagrad final : public Optimizer {
 public:
  Adagrad(double decay, double eps) : Optimizer(decay), eps_(eps) {}

 private:
  std::vector<const char*> moment_names() const override { return {"squares"}; }
  void update(const Stretch& s) const override {
    kernels().adagrad(s.size, s.rate, static_cast<Real>(eps_), s.decay, s.gradient, s.moments[0], s.value);
  }

  double eps_;
};

class Lion final : public Optimizer {
 public:
  Lion(double decay, double beta1, double beta2) : Optimizer(decay), beta1_(beta1), beta2_(beta2) {}

 private:
  std::vector<const char*> moment_names() const override { return {"momentum"}; }
  void update(const Stretch& s) const override {
    kernels().lion(s.size, s.rate, static_cast<Real>(beta1_), static_cast<Real>(beta2_), s.decay, s.gradient,
                   s.moments[0], s.value);
  }

  double beta1_, beta2_;
};

}  // namespace

std::unique_ptr<Optimizer> rmsprop(double alpha, double momentum, double decay, double eps) {
  return std::make_unique<RmsProp>(alpha, momentum, decay, eps);
}
std::unique_ptr<Optimizer> adagrad(double decay, double eps) { return std::make_unique<Adagrad>(decay, eps); }
std::unique_ptr<Optimizer> lion(double decay, double beta1, double beta2) {
  return std::make_unique<Lion>(decay, beta1, beta2);
}

}  // namespace fovea::inline FOVEA_REAL
