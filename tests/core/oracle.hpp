#pragma once

#include <cmath>
#include <limits>
#include <vector>

#include <catch2/catch.hpp>

#include "core/kernels/choose.hpp"
#include "core/parallel.hpp"
#include "core/random.hpp"
#include "core/tensor.hpp"

// What the tests of this folder share: awkward lengths, random numbers, and comparisons in double.
namespace fovea::inline FOVEA_REAL {
namespace oracle {

using Reals = std::vector<Real>;

inline constexpr Real infinity = std::numeric_limits<Real>::infinity();
inline constexpr Real not_a_number = std::numeric_limits<Real>::quiet_NaN();
inline constexpr double epsilon = std::numeric_limits<Real>::epsilon();
inline const std::vector<std::size_t> lengths{0, 1, 7, 8, 9, 15, 16, 17, 33, 1000};

inline Reals random(std::size_t n, std::uint64_t seed, double lo = -2, double hi = 2) {
  Rng rng(seed, n);
  Reals x(n);
  for (Real& v : x) v = static_cast<Real>(rng.uniform(lo, hi));
  return x;
}

inline Tensor random_tensor(const Shape& shape, std::uint64_t seed) {
  Tensor x = uninitialized(shape);
  Rng rng(seed);
  for (std::size_t i = 0; i < x.size(); ++i) x.data()[i] = static_cast<Real>(rng.uniform(-2, 2));
  return x;
}

/// True when `got` is `want`, both NaN, the same infinity, or within `ulps` and `absolute`.
inline bool near(double got, double want, double ulps, double absolute = 0) {
  if (std::isnan(want) || std::isnan(got)) return std::isnan(want) && std::isnan(got);
  const double rounded = static_cast<double>(static_cast<Real>(want));
  if (std::isinf(rounded) || std::isinf(got)) return got == rounded;
  const double unit =
      std::max(std::abs(want) * epsilon, static_cast<double>(std::numeric_limits<Real>::denorm_min()));
  return std::abs(got - want) <= ulps * unit + absolute;
}

/// Runs `body(kernels of a level)` for each level of this CPU.
template <class Body>
void at_each_level(const Body& body) {
  for (const Kernels* table : supported_kernels()) {
    INFO("level " << table->level);
    body(*table);
  }
}

/// The results of `make()` with one thread and with several must have the same bits.
template <class Make>
void same_for_any_threads(const Make& make) {
  const std::size_t before = threads();
  set_threads(1);
  const Tensor one = make();
  set_threads(4);
  const Tensor four = make();
  set_threads(before);
  REQUIRE(one.shape() == four.shape());
  CHECK(same_bits(one, four));
}

/// Compares a tensor with values in double.
inline void check_values(const Tensor& got, const std::vector<double>& want, double ulps, double absolute) {
  REQUIRE(got.size() == want.size());
  for (std::size_t i = 0; i < want.size(); ++i) {
    INFO("element " << i << " is " << got.data()[i] << ", expected " << want[i]);
    REQUIRE(near(got.data()[i], want[i], ulps, absolute));
  }
}

}  // namespace oracle
}  // namespace fovea::inline FOVEA_REAL
