#include <algorithm>
#include <cmath>

#include "autograd/ops.hpp"
#include "autograd/record.hpp"
#include "autograd/rows.hpp"
#include "core/kernels/choose.hpp"

namespace fovea::inline FOVEA_REAL {
namespace {

// Mean and 1 / deviation of each row: what the backward pass needs beside the input.
struct Moments {
  std::vector<Real> mean, rstd;
};

Gradients layer_norm_grad(const Tensor& x, const Tensor& gain, const Moments& moments, const Tensor& dy) {
  const Rows rows(x.shape());
  Tensor dx = uninitialized(x.shape());
  // Each range sums its rows; the ranges are fixed by the shape and put together in order.
  const std::size_t grain = rows_per_range(rows.length), ranges = (rows.count + grain - 1) / grain;
  std::vector<double> dgain(ranges * rows.length, 0), dbias(ranges * rows.length, 0);
  rows.for_ranges([&](std::size_t first, std::size_t count, std::size_t at) {
    const std::size_t mine = first / grain * rows.length;
    kernels().layer_norm_grad(count, rows.length, x.data() + at, gain.data(), moments.mean.data() + first,
                              moments.rstd.data() + first, dy.data() + at, dx.data() + at,
                              dgain.data() + mine, dbias.data() + mine);
  });
  const auto total = [&](const std::vector<double>& parts) {
    Tensor result = uninitialized({rows.length});
    for (std::size_t i = 0; i < rows.length; ++i) {
      double sum = 0;
      for (std::size_t range = 0; range < ranges; ++range) sum += parts[range * rows.length + i];
      result.data()[i] = static_cast<Real>(sum);
    }
    return share(std::move(result));
  };
  return {share(std::move(dx)), total(dgain), total(dbias)};
}

}  // namespace

static const Op layer_norm_op{"layer_norm"};

Variable layer_norm(const Variable& x, const Variable& gain, const Variable& bias, Real eps) {
  check(x.rank() >= 1 && x.length(-1) > 0, layer_norm_op, "the input has shape ", x.shape(),
        "; expected a last axis with at least one element");
  const Shape width{x.shape().back()};
  check(gain.shape() == width && bias.shape() == width, layer_norm_op, "gain ", gain.shape(), " and bias ",
        bias.shape(), "; expected ", width, " to match the input's ", x.shape());
  check(eps > 0, layer_norm_op, "eps is ", eps, "; expected a positive number");
  const Rows rows(x.shape());
  auto moments =
      std::make_shared<Moments>(Moments{std::vector<Real>(rows.count), std::vector<Real>(rows.count)});
  Tensor y = uninitialized(x.shape());
  rows.for_ranges([&](std::size_t first, std::size_t count, std::size_t at) {
    kernels().layer_norm(count, rows.length, x.value().data() + at, gain.value().data(), bias.value().data(),
                         eps, y.data() + at, moments->mean.data() + first, moments->rstd.data() + first);
  });
  return record_joint(layer_norm_op, std::move(y), {x, gain, bias},
                      [x = x.shared(), gain = gain.shared(), moments](Cotangents dy) {
                        return layer_norm_grad(*x, *gain, *moments, *dy[0]);
                      });
}

static const Op norm_op{"norm"};

Variable norm(const Variable& x) {
  check(x.rank() >= 1, norm_op, "a scalar has no axis to take the norm over");
  const Rows rows(x.shape());
  Tensor norms = uninitialized(without_axis(x.shape(), x.rank() - 1, false));
  rows.for_ranges([&](std::size_t first, std::size_t count, std::size_t at) {
    const Real* from = x.value().data() + at;
    for (std::size_t r = 0; r < count; ++r, from += rows.length) {
      double squares = 0;
      for (std::size_t i = 0; i < rows.length; ++i) {
        squares += static_cast<double>(from[i]) * static_cast<double>(from[i]);
      }
      norms.data()[first + r] = static_cast<Real>(std::sqrt(squares));
    }
  });
  Value y = share(std::move(norms));
  const auto to_x = [x = x.shared(), y, rows](const Tensor& dy) {
    Tensor dx = uninitialized(x->shape());
    rows.for_ranges([&](std::size_t first, std::size_t count, std::size_t at) {
      for (std::size_t r = 0; r < count; ++r, at += rows.length) {
        const Real d = dy.data()[first + r], length = y->data()[first + r];
        // At zero the norm has a tip: of the slopes that fit there, 0 is taken.
        const bool flat = d == 0 || length == 0;
        for (std::size_t i = at; i < at + rows.length; ++i)
          dx.data()[i] = flat ? Real(0) : d * (x->data()[i] / length);
      }
    });
    return dx;
  };
  return record(norm_op, y, Wrt{x, to_x});
}

static const Op l2_normalize_op{"l2_normalize"};

Variable l2_normalize(const Variable& x, Real eps) {
  check(x.rank() >= 1, l2_normalize_op, "a scalar has no axis to normalise over");
  check(eps >= 0, l2_normalize_op, "eps is ", eps, "; expected 0 or a positive number");
  const Rows rows(x.shape());
  auto norms = std::make_shared<std::vector<Real>>(rows.count);
  Tensor result = uninitialized(x.shape());
  rows.for_ranges([&](std::size_t first, std::size_t count, std::size_t at) {
    kernels().l2_normalize(count, rows.length, x.value().data() + at, eps, result.data() + at,
                           norms->data() + first);
  });
  Value y = share(std::move(result));
  const auto to_x = [y, norms, rows, eps](const Tensor& dy) {
    Tensor dx = uninitialized(y->shape());
    rows.for_ranges([&](std::size_t first, std::size_t count, std::size_t at) {
      kernels().l2_normalize_grad(count, rows.length, y->data() + at, norms->data() + first, eps,
                                  dy.data() + at, dx.data() + at);
    });
    return dx;
  };
  return record(l2_normalize_op, y, Wrt{x, to_x});
}

}  // namespace fovea::inline FOVEA_REAL
