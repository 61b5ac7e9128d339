#include "core/kernels/level/math.hpp"
#include "core/kernels/level/parts.hpp"
#include "core/kernels/level/vector.hpp"

// tanh(a + b) = 1 - 2r with r = 1 / (1 + e^2a e^2b): the exponentials belong to rows and columns, and what is
// left to do for each pair and hidden unit is a multiply-add and a reciprocal.
namespace fovea::inline FOVEA_REAL {
namespace FOVEA_LEVEL {
namespace {

// What a tile needs: nothing special; a limit; also tanh itself for odd pairs.
enum class Mode { plain, careful, odd };

bool is_odd(Real a, Real b) {
  return (a > additive_high && b < -additive_far) || (a > additive_far && b < -additive_high) ||
         (a < -additive_high && b > additive_far) || (a < -additive_far && b > additive_high);
}

/// r with that of odd pairs in place of what the clamped exponentials gave.
inline Vector with_odd(Vector r, Real a, const Real* b) {
  Real lanes[width];
  store(lanes, r);
#pragma omp simd
  for (std::size_t i = 0; i < width; ++i) {
    const Real exact = Real(0.5) - Real(0.5) * tanh_of(a + b[i]);
    lanes[i] = is_odd(a, b[i]) ? exact : lanes[i];
  }
  return load(lanes);
}

// Four hidden units share one reciprocal: 1/x = yzw / (xyzw). So that the product of four stays a normal
// number, each is limited; a tanh that far out is 1 to the last bit. Returns their r.
struct Four {
  Vector r[4];
};
template <Mode mode>
inline Four reciprocals(const AdditiveShape& t, const Real* ea, const Real* eb, const AdditiveOdd& odd) {
  Vector x[4];
  for (std::size_t u = 0; u < 4; ++u) {
    x[u] = Real(1) + ea[u] * load(eb + u * t.columns);
    if constexpr (mode != Mode::plain) x[u] = at_most(x[u], all(additive_limit));
  }
  const Vector x01 = x[0] * x[1], x23 = x[2] * x[3];
  const Vector all_four = reciprocal(x01 * x23);
  const Vector r01 = x23 * all_four, r23 = x01 * all_four;
  Four four{{x[1] * r01, x[0] * r01, x[3] * r23, x[2] * r23}};
  if constexpr (mode == Mode::odd) {
    for (std::size_t u = 0; u < 4; ++u) {
      if (odd.units[u]) four.r[u] = with_odd(four.r[u], odd.a[u], odd.b + u * t.columns);
    }
  }
  return four;
}

/// `odd` for the units from h on, of query i and the keys from j on.
template <Mode mode>
inline AdditiveOdd from(const AdditiveShape& t, const AdditiveOdd* odd, std::size_t i, std::size_t h,
                        std::size_t j) {
  if constexpr (mode != Mode::odd) return {};
  return {odd->a + i * t.hidden + h, odd->b + h * t.columns + j, odd->units + h};
}

template <Mode mode, std::size_t vectors>
void pairs(const AdditiveShape& t, const Real* ea, const Real* eb, const Real* v, const AdditiveOdd* odd,
           std::size_t i, std::size_t j, Real* s) {
  Vector sum[vectors] = {};
  for (std::size_t h = 0; h < t.hidden; h += 4) {
    for (std::size_t g = 0; g < vectors; ++g) {
      const std::size_t key = j + g * width;
      const Four four = reciprocals<mode>(t, ea + h, eb + h * t.columns + key, from<mode>(t, odd, i, h, key));
      for (std::size_t u = 0; u < 4; ++u) sum[g] += v[h + u] * four.r[u];
    }
  }
  for (std::size_t g = 0; g < vectors; ++g) store(s + j + g * width, t.total - Real(2) * sum[g]);
}

template <Mode mode>
void scores(const AdditiveShape& t, const Real* ea, const Real* eb, const Real* v, const AdditiveOdd* odd,
            Real* s) {
  constexpr std::size_t most = 2;
  for (std::size_t i = 0; i < t.rows; ++i, ea += t.hidden, s += t.columns) {
    std::size_t j = 0;
    for (; j + most * width <= t.columns; j += most * width) pairs<mode, most>(t, ea, eb, v, odd, i, j, s);
    for (; j < t.columns; j += width) pairs<mode, 1>(t, ea, eb, v, odd, i, j, s);
  }
}

void additive_scores(const AdditiveShape& t, const Real* ea, const Real* eb, const Real* v, bool careful,
                     const AdditiveOdd* odd, Real* s) {
  (odd ? scores<Mode::odd> : careful ? scores<Mode::careful> : scores<Mode::plain>)(t, ea, eb, v, odd, s);
}

// The reciprocals are computed again: that takes less time than to write and read them.
template <Mode mode>
void four_units(const AdditiveShape& t, std::size_t h, const Real* ea, const Real* eb, const Real* ds,
                const AdditiveOdd* odd, Real* da, Real* db, Real* dv) {
  Vector to_v[4];
  for (std::size_t u = 0; u < 4; ++u) to_v[u] = load(dv + u * width);
  for (std::size_t i = 0; i < t.rows; ++i, ea += t.hidden, ds += t.columns, da += t.hidden * width) {
    Vector to_a[4];
    for (std::size_t u = 0; u < 4; ++u) to_a[u] = load(da + u * width);
    for (std::size_t j = 0; j < t.columns; j += width) {
      const Four four = reciprocals<mode>(t, ea, eb + j, from<mode>(t, odd, i, h, j));
      const Vector d = load(ds + j);
      for (std::size_t u = 0; u < 4; ++u) {
        Vector dr = d * four.r[u];
        if constexpr (mode != Mode::plain) dr = d == Real(0) ? Vector{} : dr;  // r may be NaN
        Vector slope = dr - dr * four.r[u];                                    // ds (r - r²)
        if constexpr (mode != Mode::plain) slope = d == Real(0) ? Vector{} : slope;
        to_v[u] += dr;
        to_a[u] += slope;
        store(db + u * t.columns + j, load(db + u * t.columns + j) + slope);
      }
    }
    for (std::size_t u = 0; u < 4; ++u) store(da + u * width, to_a[u]);
  }
  for (std::size_t u = 0; u < 4; ++u) store(dv + u * width, to_v[u]);
}

void additive_grad(const AdditiveShape& t, const Real* ea, const Real* eb, const Real* ds, bool careful,
                   const AdditiveOdd* odd, Real* da, Real* db, Real* dv) {
  const auto units = odd       ? four_units<Mode::odd>
                     : careful ? four_units<Mode::careful>
                               : four_units<Mode::plain>;
  for (std::size_t h = 0; h < t.hidden; h += 4) {
    units(t, h, ea + h, eb + h * t.columns, ds, odd, da + h * width, db + h * t.columns, dv + h * width);
  }
}

}  // namespace

void set_additive(Kernels& table) {
  table.additive_scores = additive_scores;
  table.additive_grad = additive_grad;
  table.additive_lanes = width;
}

}  // namespace FOVEA_LEVEL
}  // namespace fovea::inline FOVEA_REAL
