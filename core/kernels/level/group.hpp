#pragma once

#include "core/kernels/level/math.hpp"
#include "core/kernels/level/vector.hpp"

// Four registers that go through a formula side by side. One alone would wait for each of its results, and
// its chain of them fills what a CPU looks ahead, so that the next register's could not begin meanwhile.
namespace fovea::inline FOVEA_REAL {
namespace FOVEA_LEVEL {
namespace {

struct Group {
  Vector a, b, c, d;  // by name: an array would be kept in memory
};
constexpr std::size_t group_width = 4 * width;

inline Group operator+(Group x, Group y) { return {x.a + y.a, x.b + y.b, x.c + y.c, x.d + y.d}; }
inline Group operator-(Group x, Group y) { return {x.a - y.a, x.b - y.b, x.c - y.c, x.d - y.d}; }
inline Group operator*(Group x, Group y) { return {x.a * y.a, x.b * y.b, x.c * y.c, x.d * y.d}; }
inline Group operator+(Group x, Real y) { return {x.a + y, x.b + y, x.c + y, x.d + y}; }
inline Group operator-(Group x, Real y) { return {x.a - y, x.b - y, x.c - y, x.d - y}; }
inline Group operator*(Group x, Real y) { return {x.a * y, x.b * y, x.c * y, x.d * y}; }
inline Group operator*(Real x, Group y) { return y * x; }

inline Group at_least(Group x, Real limit) {
  const Vector y = all(limit);
  return {at_least(x.a, y), at_least(x.b, y), at_least(x.c, y), at_least(x.d, y)};
}

typedef Bits VectorBits __attribute__((vector_size(vector_bytes)));
inline Vector with_exponent(Vector lifted) { return (Vector)((VectorBits)lifted << Its::fraction); }
inline Group with_exponent(Group lifted) {
  return {with_exponent(lifted.a), with_exponent(lifted.b), with_exponent(lifted.c), with_exponent(lifted.d)};
}

/// The largest number of a row that is not NaN; -inf when there is none.
inline Real largest(std::size_t n, const Real* x) {
  const Vector none = all(-Its::infinity);
  Group best{none, none, none, none};
  std::size_t i = 0;
  for (; i + group_width <= n; i += group_width) {
    best.a = at_least(best.a, load(x + i));
    best.b = at_least(best.b, load(x + i + width));
    best.c = at_least(best.c, load(x + i + 2 * width));
    best.d = at_least(best.d, load(x + i + 3 * width));
  }
  for (; i < n; i += width) best.a = at_least(best.a, load_some(x + i, n - i, -Its::infinity));
  return largest_of(at_least(at_least(best.a, best.b), at_least(best.c, best.d)));
}

/// For `row_exponentials`: of the group_width numbers at x, which stand at `first` in their row.
template <class Take>
[[gnu::always_inline]] inline void group_exponentials(const Real* x, Real m, std::size_t first, std::size_t n,
                                                      const Take& take) {
  const Exponential<Group> e =
      exponential_of_negative(Group{load(x), load(x + width), load(x + 2 * width), load(x + 3 * width)} - m);
  const auto some = [n](std::size_t i) {
    const std::size_t left = n > i * width ? n - i * width : 0;
    return left < width ? left : width;
  };
  take(first, some(0), e.argument.a, e.value.a);
  take(first + width, some(1), e.argument.b, e.value.b);
  take(first + 2 * width, some(2), e.argument.c, e.value.c);
  take(first + 3 * width, some(3), e.argument.d, e.value.d);
}

/// Calls `take(first, n, argument, exp(argument))` for the registers of a row, with argument = x - m for x <=
/// m, clamped as in math.hpp. At the row's end n may be less than `width`, also 0; behind it exp is 0.
template <class Take>
[[gnu::always_inline]] inline void row_exponentials(std::size_t n, const Real* x, Real m, const Take& take) {
  std::size_t at = 0;
  for (; at + group_width <= n; at += group_width) group_exponentials(x + at, m, at, group_width, take);
  if (at == n) return;
  Real rest[group_width];
  for (std::size_t i = 0; i < group_width; i += width) store(rest + i, all(-Its::infinity));
  for (std::size_t i = at; i < n; ++i) rest[i - at] = x[i];
  group_exponentials(rest, m, at, n - at, take);
}

}  // namespace
}  // namespace FOVEA_LEVEL
}  // namespace fovea::inline FOVEA_REAL
