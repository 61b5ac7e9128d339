#include "core/kernels/kernels.hpp"
#include "core/parallel.hpp"
#include "optim/optimizer.hpp"

namespace fovea::inline FOVEA_REAL {
namespace {

class Sgd final : public Optimizer {
 public:
  Sgd(double momentum, double decay) : momentum_(momentum), decay_(decay) {}

 private:
  void update(const NamedParam& named, const Tensor& gradient, double rate, Moments& moments) override {
    Real* momentum = momentum_ != 0 ? moment(moments, "momentum", gradient.shape()) : nullptr;
    const Real decay = named.decays ? static_cast<Real>(decay_) : Real(0);
    named.param->update([&](Tensor& value) {
      parallel_for(value.size(), rows_per_range(1), [&](std::size_t begin, std::size_t end) {
        kernels().sgd(end - begin, static_cast<Real>(rate), static_cast<Real>(momentum_), decay,
                      gradient.data() + begin, momentum ? momentum + begin : nullptr, value.data() + begin);
      });
    });
  }

  double momentum_, decay_;
};

}  // namespace

std::unique_ptr<Optimizer> sgd(double momentum, double decay) {
  return std::make_unique<Sgd>(momentum, decay);
}

}  // namespace fovea::inline FOVEA_REAL
