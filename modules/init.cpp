#include "modules/init.hpp"

#include <cmath>

#include <xtensor-blas/xlinalg.hpp>

#include "core/blas_kernel.hpp"
#include "core/check.hpp"
#include "core/draw.hpp"

namespace fovea::inline FOVEA_REAL {
namespace {

void check_weight(const Shape& shape, std::string_view where) {
  check(shape.size() == 2, where, "shape ", shape, "; expected [outputs, inputs]");
}

double fans(const Shape& shape, std::string_view where) {
  check_weight(shape, where);
  return static_cast<double>(shape[0] + shape[1]);
}

double inputs(const Shape& shape, std::string_view where) {
  check_weight(shape, where);
  return static_cast<double>(shape[1]);
}

Tensor within(Rng& rng, const Shape& shape, double limit) {
  return uniform(rng, shape, static_cast<Real>(-limit), static_cast<Real>(limit));
}

}  // namespace

Tensor xavier_uniform(Rng& rng, const Shape& shape) {
  return within(rng, shape, std::sqrt(6 / fans(shape, "xavier_uniform")));
}

Tensor xavier_normal(Rng& rng, const Shape& shape) {
  return normal(rng, shape, 0, static_cast<Real>(std::sqrt(2 / fans(shape, "xavier_normal"))));
}

Tensor he_uniform(Rng& rng, const Shape& shape) {
  return within(rng, shape, std::sqrt(6 / inputs(shape, "he_uniform")));
}

Tensor he_normal(Rng& rng, const Shape& shape) {
  return normal(rng, shape, 0, static_cast<Real>(std::sqrt(2 / inputs(shape, "he_normal"))));
}

Tensor orthogonal(Rng& rng, const Shape& shape, Real gain) {
  check_weight(shape, "orthogonal");
  const std::size_t rows = shape[0], columns = shape[1];
  const std::size_t tall = std::max(rows, columns), thin = std::min(rows, columns);
  if (thin == 0) return uninitialized(shape);
  const Tensor drawn = normal(rng, {tall, thin}, 0, 1);
  if (!drawing()) return zeros(shape);
  blas_kernel();  // LAPACK is of the same library: its kernel and its one thread are to be chosen before
  Tensor result = uninitialized(shape);
  // In double whatever Real is: the decomposition then rounds alike in both precisions.
  xt::xarray<double, xt::layout_type::column_major> matrix(std::vector<std::size_t>{tall, thin});
  for (std::size_t i = 0; i < tall; ++i) {
    for (std::size_t j = 0; j < thin; ++j) matrix(i, j) = static_cast<double>(drawn.data()[i * thin + j]);
  }
  const auto [q, r] = xt::linalg::qr(matrix);
  for (std::size_t i = 0; i < tall; ++i) {
    for (std::size_t j = 0; j < thin; ++j) {
      const Real value = static_cast<Real>(r(j, j) < 0 ? -q(i, j) : q(i, j)) * gain;
      result.data()[rows >= columns ? i * columns + j : j * columns + i] = value;
    }
  }
  return result;
}

}  // namespace fovea::inline FOVEA_REAL
