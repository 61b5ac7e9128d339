// Training by hand: a small network learns a sine.
#include <cmath>
#include <cstdio>

#include "autograd/engine.hpp"
#include "modules/mlp.hpp"
#include "optim/clip.hpp"
#include "optim/optimizer.hpp"
#include "optim/schedule.hpp"

using namespace fovea;

int main() {
  constexpr std::size_t points = 64, steps = 1500;
  Tensor x = uninitialized({points, 1}), target = uninitialized({points, 1});
  for (std::size_t i = 0; i < points; ++i) {
    x.data()[i] = Real(-3) + Real(6) * static_cast<Real>(i) / points;
    target.data()[i] = std::sin(x.data()[i]);
  }

  Rng rng(1);
  Mlp model({1, 32, 1}, Activation::tanh, rng);
  const std::vector<NamedParam> params = parameters(model);
  const auto method = adam();
  const Schedule schedule{Schedule::Kind::cosine, 0.02, 20, steps};

  double first = 0, last = 0;
  for (std::size_t step = 0; step < steps; ++step) {
    const Variable loss = mse(model(Variable(x)), Variable(target));
    last = static_cast<double>(loss.item());
    if (step == 0) first = last;
    for (const NamedParam& named : params) named.param->clear_grad();
    backward(loss);
    clip_norm(params, 1);
    method->step(params, schedule.rate(step));
  }
  std::printf("%zu parameters, loss from %.4f to %.6f\n", parameter_count(model), first, last);
  return last < 0.001 ? 0 : 1;
}
