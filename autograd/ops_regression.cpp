#include <cmath>

#include "autograd/ops.hpp"
#include "autograd/record.hpp"
#include "core/elementwise.hpp"
#include "core/kernels/choose.hpp"
#include "core/reduce.hpp"

// Losses that compare a prediction with a target of the same shape and return their mean.

namespace fovea::inline FOVEA_REAL {
namespace {

void check_equal(const Op& op, const Variable& prediction, const Variable& target) {
  check(prediction.shape() == target.shape(), op, "prediction has shape ", prediction.shape(),
        " and target has shape ", target.shape(), "; expected equal shapes");
}

// The mean over elements of `loss(p, t)`, with its derivatives by p and t. The mean of nothing is 0.
template <class Loss, class ByPrediction, class ByTarget>
Variable mean_of(const Op& op, const Variable& prediction, const Variable& target, Loss loss,
                 ByPrediction by_prediction, ByTarget by_target) {
  check_equal(op, prediction, target);
  const std::size_t n = prediction.size();
  double total = 0;
  for (std::size_t i = 0; i < n; ++i) {
    total += static_cast<double>(loss(prediction.value().data()[i], target.value().data()[i]));
  }
  const auto gradient = [p = prediction.shared(), t = target.shared(), n](auto derivative) {
    return [p, t, n, derivative](const Tensor& dy) {
      const Real each = n ? dy.data()[0] / static_cast<Real>(n) : Real(0);
      if (each == 0) return zeros(p->shape());
      Tensor d = uninitialized(p->shape());
      for (std::size_t i = 0; i < n; ++i) d.data()[i] = each * derivative(p->data()[i], t->data()[i]);
      return d;
    };
  };
  return record(op, scalar(static_cast<Real>(n ? total / static_cast<double>(n) : 0)),
                Wrt{prediction, gradient(by_prediction)}, Wrt{target, gradient(by_target)});
}

// The same for losses of the difference p - t alone.
template <class Loss, class Derivative>
Variable mean_of_difference(const Op& op, const Variable& prediction, const Variable& target, Loss loss,
                            Derivative derivative) {
  return mean_of(
      op, prediction, target, [loss](Real p, Real t) { return loss(p - t); },
      [derivative](Real p, Real t) { return derivative(p - t); },
      [derivative](Real p, Real t) { return -derivative(p - t); });
}

Real sign(Real x) { return x > 0 ? Real(1) : (x < 0 ? Real(-1) : x); }  // of NaN: NaN

Real positive(Real x) { return x <= 0 ? Real(0) : x; }  // of NaN: NaN

}  // namespace

static const Op mse_op{"mse"};

Variable mse(const Variable& prediction, const Variable& target) {
  return mean_of_difference(
      mse_op, prediction, target, [](Real d) { return d * d; }, [](Real d) { return 2 * d; });
}

static const Op mae_op{"mae"};

Variable mae(const Variable& prediction, const Variable& target) {
  return mean_of_difference(
      mae_op, prediction, target, [](Real d) { return std::abs(d); }, sign);
}

static const Op huber_op{"huber"};

Variable huber(const Variable& prediction, const Variable& target, Real delta) {
  check(delta > 0, huber_op, "delta is ", delta, "; expected a positive number");
  return mean_of_difference(
      huber_op, prediction, target,
      [delta](Real d) { return std::abs(d) <= delta ? d * d / 2 : delta * (std::abs(d) - delta / 2); },
      [delta](Real d) { return std::abs(d) <= delta ? d : delta * sign(d); });
}

static const Op pinball_op{"pinball"};

Variable pinball(const Variable& prediction, const Variable& target, Real quantile) {
  check(0 < quantile && quantile < 1, pinball_op, "quantile is ", quantile, "; expected 0 < quantile < 1");
  return mean_of_difference(
      pinball_op, prediction, target,
      [quantile](Real d) { return d > 0 ? (1 - quantile) * d : -quantile * d; },
      [quantile](Real d) { return d > 0 ? 1 - quantile : (d < 0 ? -quantile : d); });
}

static const Op binary_cross_entropy_op{"binary_cross_entropy"};

Variable binary_cross_entropy(const Variable& logits, const Variable& target) {
  // -t log σ(x) - (1 - t) log(1 - σ(x)) in the form that neither overflows nor cancels.
  return mean_of(
      binary_cross_entropy_op, logits, target,
      [](Real x, Real t) { return positive(x) - x * t + std::log1p(std::exp(-std::abs(x))); },
      [](Real x, Real t) { return (x >= 0 ? 1 / (1 + std::exp(-x)) : std::exp(x) / (1 + std::exp(x))) - t; },
      [](Real x, Real) { return -x; });
}

}  // namespace fovea::inline FOVEA_REAL
