#include <cmath>

#include "autograd/ops.hpp"
#include "autograd/record.hpp"
#include "autograd/rows.hpp"
#include "core/kernels/choose.hpp"

// Losses over distributions and classes.

namespace fovea::inline FOVEA_REAL {
namespace {

Shape without_last(const Shape& shape) { return Shape(shape.begin(), shape.end() - 1); }

// A target that counts for nothing, as the kernels take it: any row past the last class.
constexpr std::size_t left_out = static_cast<std::size_t>(-1);

using Targets = std::shared_ptr<const std::vector<std::size_t>>;

// The class of each row, `left_out` where it is the padding.
Targets classes_of(const Op& op, const Variable& logits, const Ids& targets,
                   std::optional<std::int64_t> padding) {
  check(logits.rank() >= 1, op, "scores are a scalar; expected [..., classes]");
  check(targets.shape == without_last(logits.shape()), op, "targets have shape ", targets.shape,
        "; expected ", without_last(logits.shape()), " to match ", logits.shape());
  std::vector<std::size_t> classes(targets.values.size());
  const std::size_t count = logits.shape().back();
  for (std::size_t i = 0; i < classes.size(); ++i) {
    const bool pad = padding && targets.values[i] == *padding;
    classes[i] = pad ? left_out : static_cast<std::size_t>(targets.values[i]);
    if (pad || (targets.values[i] >= 0 && classes[i] < count)) continue;
    check(false, op, "id ", targets.values[i], " at position ", position_of(i, targets.shape),
          " is outside the ", count, " classes", padding ? " and is not the padding" : "");
  }
  return std::make_shared<const std::vector<std::size_t>>(std::move(classes));
}

// What one row's loss is made of when it is not simply lse - x_target: Σ_c q_c (lse - x_c), with
// q = w_t ((1 - ε) onehot) + ε/C w.
struct Mixture {
  Real smoothing;
  std::vector<Real> weights;  // one for each class

  Real share(std::size_t c, std::size_t target) const {
    const Real spread = smoothing / static_cast<Real>(weights.size()) * weights[c];
    return c == target ? (1 - smoothing) * weights[c] + spread : spread;
  }
};

Variable mixed_cross_entropy(const Op& op, const Variable& logits, const Targets& target,
                             const Mixture& mixture, const Shape& shape) {
  const Rows rows(logits.shape());
  Tensor log_p = uninitialized(logits.shape());
  rows.for_ranges([&](std::size_t, std::size_t count, std::size_t at) {
    kernels().log_softmax(count, rows.length, logits.value().data() + at, log_p.data() + at);
  });
  Tensor loss = zeros(shape);
  for (std::size_t r = 0; r < rows.count; ++r) {
    if ((*target)[r] == left_out) continue;
    double total = 0;
    for (std::size_t c = 0; c < rows.length; ++c) {
      const Real q = mixture.share(c, (*target)[r]);
      if (q != 0) total -= static_cast<double>(q) * static_cast<double>(log_p.data()[r * rows.length + c]);
    }
    loss.data()[r] = static_cast<Real>(total);
  }
  const auto to_logits = [log_p = share(std::move(log_p)), rows, target, mixture](const Tensor& dloss) {
    Tensor dx = zeros(log_p->shape());
    for (std::size_t r = 0; r < rows.count; ++r) {
      const std::size_t t = (*target)[r];
      const Real d = dloss.data()[r];
      if (t == left_out || d == 0) continue;
      Real total = 0;
      for (std::size_t c = 0; c < rows.length; ++c) total += mixture.share(c, t);
      for (std::size_t c = 0; c < rows.length; ++c) {
        const std::size_t i = r * rows.length + c;
        dx.data()[i] = d * (total * std::exp(log_p->data()[i]) - mixture.share(c, t));
      }
    }
    return dx;
  };
  return record(op, std::move(loss), Wrt{logits, to_logits});
}

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

static const Op nll_op{"nll"};

Variable nll(const Variable& log_p, const Ids& targets, std::optional<std::int64_t> padding) {
  const Targets target = classes_of(nll_op, log_p, targets, padding);
  const std::size_t classes = log_p.shape().back();
  Tensor loss = zeros(targets.shape);
  for (std::size_t r = 0; r < target->size(); ++r) {
    if ((*target)[r] != left_out) loss.data()[r] = -log_p.value().data()[r * classes + (*target)[r]];
  }
  const auto to_log_p = [target, classes, shape = log_p.shape()](const Tensor& dloss) {
    Tensor d = zeros(shape);
    for (std::size_t r = 0; r < target->size(); ++r) {
      if ((*target)[r] != left_out) d.data()[r * classes + (*target)[r]] = -dloss.data()[r];
    }
    return d;
  };
  return record(nll_op, std::move(loss), Wrt{log_p, to_log_p});
}

static const Op cross_entropy_op{"cross_entropy"};

Variable cross_entropy(const Variable& logits, const Ids& targets, const CrossEntropyOptions& options) {
  const Targets target = classes_of(cross_entropy_op, logits, targets, options.padding);
  const Rows rows(logits.shape());
  check(0 <= options.smoothing && options.smoothing <= 1, cross_entropy_op, "smoothing is ",
        options.smoothing, "; expected 0 ≤ smoothing ≤ 1");
  check(options.class_weights.empty() || options.class_weights.size() == rows.length, cross_entropy_op,
        options.class_weights.size(), " class weights for ", rows.length, " classes");
  if (options.smoothing > 0 || !options.class_weights.empty()) {
    const Mixture mixture{options.smoothing, options.class_weights.empty() ? std::vector<Real>(rows.length, 1)
                                                                           : options.class_weights};
    return mixed_cross_entropy(cross_entropy_op, logits, target, mixture, targets.shape);
  }
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

double target_weight(const Ids& targets, const CrossEntropyOptions& options) {
  const std::vector<Real>& weights = options.class_weights;
  double total = 0;
  for (std::size_t i = 0; i < targets.values.size(); ++i) {
    const std::int64_t id = targets.values[i];
    if (options.padding && id == *options.padding) continue;
    const bool has_weight = id >= 0 && static_cast<std::size_t>(id) < weights.size();
    if (!weights.empty() && !has_weight) {
      check(false, cross_entropy_op, "id ", id, " at position ", position_of(i, targets.shape),
            " is outside the ", weights.size(), " class weights",
            options.padding ? " and is not the padding" : "");
    }
    total += has_weight ? static_cast<double>(weights[static_cast<std::size_t>(id)]) : 1;
  }
  return total;
}

}  // namespace fovea::inline FOVEA_REAL
