#include <cmath>
#include <cstdio>
#include <fovea/autograd/engine.hpp>
#include <fovea/autograd/ops.hpp>
#include <type_traits>

static_assert(std::is_same_v<fovea::Real, double>);

// d softmax cross-entropy / d logits = softmax - onehot, to the precision of double.
int main() {
  const auto logits = fovea::Variable::leaf(fovea::tensor({1, 3}, {1.0, -2.0, 0.5}));
  const auto probabilities = fovea::softmax(logits, -1);
  const auto picked = fovea::Variable(fovea::tensor({1, 3}, {0, 1, 0}));
  const auto loss = -fovea::sum(fovea::log(fovea::sum(probabilities * picked, -1)));
  fovea::backward(loss);

  const double total = std::exp(1.0) + std::exp(-2.0) + std::exp(0.5);
  const double expected[] = {std::exp(1.0) / total, std::exp(-2.0) / total - 1, std::exp(0.5) / total};
  bool good = std::abs(loss.item() - (std::log(total) + 2.0)) < 1e-12 && logits.grad();
  for (std::size_t i = 0; good && i < 3; ++i) good = std::abs(logits.grad()->data()[i] - expected[i]) < 1e-12;
  std::puts(good ? "ok" : "the gradient is wrong");
  return good ? 0 : 1;
}
