#include "core/tensor.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "core/check.hpp"
#include "core/kernels/choose.hpp"

namespace fovea::inline FOVEA_REAL {

Tensor uninitialized(const Shape& shape) { return Tensor(shape); }

Tensor filled(const Shape& shape, Real value) {
  Tensor result(shape);
  std::fill_n(result.data(), result.size(), value);
  return result;
}

Tensor zeros(const Shape& shape) { return filled(shape, Real(0)); }

Tensor tensor(const Shape& shape, std::initializer_list<Real> values) {
  check(volume(shape) == values.size(), "tensor", values.size(), " values do not fill shape ", shape);
  Tensor result(shape);
  std::copy(values.begin(), values.end(), result.data());
  return result;
}

Tensor scalar(Real value) { return filled(Shape{}, value); }

bool same_bits(const Tensor& a, const Tensor& b) {
  return a.shape() == b.shape() &&
         (a.size() == 0 || std::memcmp(a.data(), b.data(), a.size() * sizeof(Real)) == 0);
}

bool all_finite(const Tensor& tensor) {
  constexpr std::size_t block = 4096;  // so that a NaN at the start is found at once
  for (std::size_t i = 0; i < tensor.size(); i += block) {
    if (!kernels().finite(std::min(block, tensor.size() - i), tensor.data() + i)) return false;
  }
  return true;
}

}  // namespace fovea::inline FOVEA_REAL
