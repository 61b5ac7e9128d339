// An operation of your own: its value, and one formula for each input.
#include <cstdio>

#include "autograd/gradcheck.hpp"
#include "autograd/ops.hpp"
#include "autograd/record.hpp"

using namespace fovea;

static const Op swish_op{"swish"};

// x σ(x), with the derivative σ(x) (1 + x (1 - σ(x))).
Variable swish(const Variable& x) {
  const Tensor s = sigmoid(x.detach()).value();
  Tensor y = x.value();
  for (std::size_t i = 0; i < y.size(); ++i) y.data()[i] *= s.data()[i];
  // The formula captures what it needs: values, never Variables.
  return record(swish_op, y, Wrt{x, [x = x.shared(), s](const Tensor& dy) {
                                   Tensor dx = dy;
                                   for (std::size_t i = 0; i < dx.size(); ++i) {
                                     dx.data()[i] *= s.data()[i] * (1 + x->data()[i] * (1 - s.data()[i]));
                                   }
                                   return dx;
                                 }});
}

int main() {
  // Checked against differences, in double precision.
  const GradcheckReport report =
      gradcheck([](std::span<const Variable> in) { return swish(in[0]); }, {tensor({4}, {-2, -0.5, 0.3, 2})});
  std::printf("%s", report.text().c_str());
  return report.passed ? 0 : 1;
}
