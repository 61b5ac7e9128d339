#pragma once

#include <memory>
#include <new>

#include <xtensor/xarray.hpp>

#include "core/memory.hpp"
#include "core/real.hpp"
#include "core/shape.hpp"

namespace fovea {

/// Takes memory from core/memory.hpp, on 64-byte boundaries. Fixed here, because xtensor's own default
/// changes with the compiler's flags and so would the type of every tensor.
template <class T>
struct AlignedAllocator {
  using value_type = T;

  AlignedAllocator() = default;
  template <class U>
  AlignedAllocator(const AlignedAllocator<U>&) {}

  T* allocate(std::size_t n) {
    if (n > static_cast<std::size_t>(-1) / 2 / sizeof(T)) throw std::bad_alloc();
    return static_cast<T*>(memory::take(n * sizeof(T)));
  }
  void deallocate(T* block, std::size_t n) { memory::give(block, n * sizeof(T)); }
  template <class U>
  bool operator==(const AlignedAllocator<U>&) const {
    return true;
  }
};

}  // namespace fovea

namespace fovea::inline FOVEA_REAL {

/// A dense row-major array of `Real`: the container that holds every number here.
using Tensor =
    xt::xarray_container<xt::uvector<Real, AlignedAllocator<Real>>, xt::layout_type::row_major, Shape>;

/// A tensor that is shared and therefore never changed.
using Value = std::shared_ptr<const Tensor>;

inline Value share(Tensor tensor) { return std::make_shared<Tensor>(std::move(tensor)); }

/// A tensor whose elements are not set yet.
Tensor uninitialized(const Shape& shape);
Tensor filled(const Shape& shape, Real value);
Tensor zeros(const Shape& shape);
/// `values` in row-major order; their number must fit `shape`.
Tensor tensor(const Shape& shape, std::initializer_list<Real> values);
Tensor scalar(Real value);

inline const Shape& shape_of(const Tensor& tensor) { return tensor.shape(); }

/// True when the shapes and every bit of the elements agree (so NaN equals the same NaN).
bool same_bits(const Tensor& a, const Tensor& b);

/// True when no element is NaN or infinite.
bool all_finite(const Tensor& tensor);

}  // namespace fovea::inline FOVEA_REAL
