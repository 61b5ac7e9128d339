#include "autograd/ops.hpp"
#include "autograd/record.hpp"
#include "autograd/rows.hpp"
#include "core/elementwise.hpp"
#include "core/kernels/kernels.hpp"
#include "core/reduce.hpp"

namespace fovea::inline FOVEA_REAL {
namespace {

Shape without_last(const Shape& shape) { return Shape(shape.begin(), shape.end() - 1); }

}  // namespace

static const Op entropy_op{"entropy"};

Variable entropy(const Variable& p) {
  check(p.rank() >= 1, entropy_op, "a scalar is no distribution");
  const Rows rows(p.shape());
  Tensor h = uninitialized(without_last(p.shape()));
  rows.for_ranges([&](std::size_t first, std::size_t count, std::size_t at) {
    kernels().entropy(count, rows.length, p.value().data() + at, h.data() + first);
  });
  const auto to_p = [p = p.shared(), rows](const Tensor& dh) {
    Tensor dp = uninitialized(p->shape());
    rows.for_ranges([&](std::size_t first, std::size_t count, std::size_t at) {
      kernels().entropy_grad(count, rows.length, p->data() + at, dh.data() + first, dp.data() + at);
    });
    return dp;
  };
  return record(entropy_op, std::move(h), Wrt{p, to_p});
}

static const Op cross_entropy_op{"cross_entropy"};

Variable cross_entropy(const Variable& logits, const Ids& targets) {
  check(logits.rank() >= 1, cross_entropy_op, "logits are a scalar; expected [..., classes]");
  check(targets.shape == without_last(logits.shape()), cross_entropy_op, "targets have shape ", targets.shape,
        "; expected ", without_last(logits.shape()), " to match logits ", logits.shape());
  const Rows rows(logits.shape());
  auto target =
      std::make_shared<const std::vector<std::size_t>>(rows_of(targets, rows.length, cross_entropy_op));
  auto lse = std::make_shared<std::vector<Real>>(rows.count);
  Tensor loss = uninitialized(targets.shape);
  rows.for_ranges([&](std::size_t first, std::size_t count, std::size_t at) {
    kernels().cross_entropy(count, rows.length, logits.value().data() + at, target->data() + first,
                            loss.data() + first, lse->data() + first);
  });
  const auto to_logits = [x = logits.shared(), rows, target, lse](const Tensor& dloss) {
    Tensor dx = uninitialized(x->shape());
    rows.for_ranges([&](std::size_t first, std::size_t count, std::size_t at) {
      kernels().cross_entropy_grad(count, rows.length, x->data() + at, target->data() + first,
                                   lse->data() + first, dloss.data() + first, dx.data() + at);
    });
    return dx;
  };
  return record(cross_entropy_op, std::move(loss), Wrt{logits, to_logits});
}

static const Op mse_op{"mse"};

Variable mse(const Variable& prediction, const Variable& target) {
  check(prediction.shape() == target.shape(), mse_op, "prediction has shape ", prediction.shape(),
        " and target has shape ", target.shape(), "; expected equal shapes");
  Value difference = share(numbers::binary(kernels().sub, prediction.value(), target.value()));
  const std::size_t n = difference->size();
  const double total = numbers::sum_squares(*difference);
  const Real per_element = n ? Real(2) / static_cast<Real>(n) : Real(0);
  const auto to_side = [&](Real sign) {
    return [difference, factor = sign * per_element](const Tensor& dy) {
      return numbers::binary(kernels().mul_or_zero, numbers::scale(dy, factor), *difference);
    };
  };
  return record(mse_op, scalar(static_cast<Real>(n ? total / static_cast<double>(n) : 0)),
                Wrt{prediction, to_side(Real(1))}, Wrt{target, to_side(Real(-1))});
}

}  // namespace fovea::inline FOVEA_REAL
