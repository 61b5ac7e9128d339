// Gradients: leaves, operations on them, and a backward pass.
#include <cstdio>

#include "autograd/engine.hpp"
#include "autograd/ops.hpp"

using namespace fovea;

int main() {
  // A leaf is a tensor that gradients are kept for; a plain tensor is a constant.
  const Variable w = Variable::leaf(tensor({2, 2}, {1, 2, 3, 4}));
  const Variable x = tensor({2, 1}, {10, 1});

  // Shapes broadcast as in numpy; every operation is documented in autograd/ops.hpp.
  const Variable y = tanh(Real(0.01) * matmul(w, x));
  const Variable loss = mean(y * y);

  backward(loss);
  const Value gradient = w.grad();
  std::printf("loss %.6f, d loss / d w = {%.6f, %.6f, %.6f, %.6f}\n", static_cast<double>(loss.item()),
              static_cast<double>(gradient->at(0, 0)), static_cast<double>(gradient->at(0, 1)),
              static_cast<double>(gradient->at(1, 0)), static_cast<double>(gradient->at(1, 1)));

  // A shape that does not fit is an error that names the operation and all shapes.
  try {
    matmul(w, tensor({3, 1}, {1, 2, 3}));
  } catch (const ShapeError& error) {
    std::printf("%s\n", error.what());
    return 0;
  }
  return 1;
}
