#include <cmath>
#include <cstdio>
#include <fovea/autograd/engine.hpp>
#include <fovea/autograd/ops.hpp>
#include <type_traits>

// A folder of the user's that is called like one of Fovea's must not get in the way.
#include "core/tensor.hpp"

static_assert(std::is_same_v<fovea::Real, float>);
static_assert(users_own_tensor);

// loss = Σ tanh(x W), by hand: d loss / d W = xᵀ (1 - tanh²)
int main() {
  const auto x = fovea::Variable(fovea::tensor({1, 2}, {0.5f, -1.0f}));
  const auto w = fovea::Variable::leaf(fovea::tensor({2, 1}, {0.3f, 0.2f}));
  const auto loss = fovea::sum(fovea::tanh(fovea::matmul(x, w)));
  fovea::backward(loss);

  const float y = std::tanh(0.5f * 0.3f - 1.0f * 0.2f);
  const float expected[] = {0.5f * (1 - y * y), -1.0f * (1 - y * y)};
  bool good = std::abs(loss.item() - y) < 1e-6f && w.grad() && w.grad()->size() == 2;
  for (std::size_t i = 0; good && i < 2; ++i) good = std::abs(w.grad()->data()[i] - expected[i]) < 1e-6f;
  std::puts(good ? "ok" : "the gradient is wrong");
  return good ? 0 : 1;
}
