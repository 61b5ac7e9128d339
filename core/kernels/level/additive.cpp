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

/// x with `exact(tanh)` in place of what the clamped exponentials gave, where pairs are odd.
template <class Exact>
inline Vector with_odd(Vector x, Real a, const Real* b, const Exact& exact) {
  Real lanes[width];
  store(lanes, x);
#pragma omp simd
  for (std::size_t i = 0; i < width; ++i) {
    const Real other = exact(tanh_of(a + b[i]));
    lanes[i] = is_odd(a, b[i]) ? other : lanes[i];
  }
  return load(lanes);
}

// Four hidden units share one reciprocal: 1/x = yzw / (xyzw). So that the product of four stays a normal
// number, each is limited; a tanh that far out is 1 to the last bit.
struct Four {
  Vector x[4];      // 1 + e^2a e^2b
  Vector r01, r23;  // 1 / (x0 x1) and 1 / (x2 x3)

  // The compiler joins the product of the first and what it is taken from into one rounding; the second must
  // only be multiplied, for a pair must have the same bits in every mode.
  Vector half_less_r(std::size_t u) const { return Real(0.5) - x[u ^ 1] * (u < 2 ? r01 : r23); }
  Vector r(std::size_t u) const { return x[u ^ 1] * (u < 2 ? r01 : r23); }
};
template <Mode mode>
inline Four four_of(const AdditiveShape& t, const Real* ea, const Real* eb) {
  Four f;
  for (std::size_t u = 0; u < 4; ++u) {
    f.x[u] = Real(1) + ea[u] * load(eb + u * t.columns);
    if constexpr (mode != Mode::plain) f.x[u] = at_most(f.x[u], all(additive_limit));
  }
  const Vector x01 = f.x[0] * f.x[1], x23 = f.x[2] * f.x[3];
  const Vector all_four = reciprocal(x01 * x23);
  f.r01 = x23 * all_four;
  f.r23 = x01 * all_four;
  return f;
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
      const Four four = four_of<mode>(t, ea + h, eb + h * t.columns + key);
      const AdditiveOdd here = from<mode>(t, odd, i, h, key);
      for (std::size_t u = 0; u < 4; ++u) {
        Vector half = four.half_less_r(u);  // tanh / 2
        if constexpr (mode == Mode::odd) {
          if (here.units[u])
            half = with_odd(half, here.a[u], here.b + u * t.columns, [](Real y) { return Real(0.5) * y; });
        }
        sum[g] += v[h + u] * half;
      }
    }
  }
  for (std::size_t g = 0; g < vectors; ++g) store(s + j + g * width, sum[g] + sum[g]);
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
      const Four four = four_of<mode>(t, ea, eb + j);
      const AdditiveOdd here = from<mode>(t, odd, i, h, j);
      const Vector d = load(ds + j);
      for (std::size_t u = 0; u < 4; ++u) {
        Vector r = four.r(u);
        if constexpr (mode == Mode::odd) {
          if (here.units[u])
            r = with_odd(r, here.a[u], here.b + u * t.columns,
                         [](Real y) { return Real(0.5) - Real(0.5) * y; });
        }
        Vector dr = d * r;
        if constexpr (mode != Mode::plain) dr = d == Real(0) ? Vector{} : dr;  // r may be NaN
        Vector slope = dr - dr * r;                                            // ds (r - r²)
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

namespace {

void additive_exponentials(std::size_t n, const Real* x, Real* out, Real* least, Real* most) {
#pragma omp simd
  for (std::size_t h = 0; h < n; ++h) {
    const Real below = x[h] > additive_high ? additive_high : x[h];
    out[h] = exp_of(Real(2) * (below < -additive_high ? -additive_high : below));
    least[h] = x[h] < least[h] ? x[h] : least[h];
    most[h] = x[h] > most[h] ? x[h] : most[h];
  }
}

bool additive_plain(std::size_t n, const Real* a_least, const Real* a_most, const Real* b_most, Real limit) {
  int special = 0;
#pragma omp simd reduction(| : special)
  for (std::size_t h = 0; h < n; ++h) {
    special |= (a_most[h] + b_most[h] > limit) | (a_most[h] > additive_far) | (a_least[h] < -additive_far);
  }
  return special == 0;
}

void additive_sums(std::size_t n, const Real* partial, Real* out) {
  for (std::size_t i = 0; i < n; ++i, partial += width) {
    Real sum = 0;
#pragma omp simd reduction(+ : sum)
    for (std::size_t lane = 0; lane < width; ++lane) sum += partial[lane];
    out[i] = sum;
  }
}

}  // namespace

void set_additive(Kernels& table) {
  table.additive_exponentials = additive_exponentials;
  table.additive_scores = additive_scores;
  table.additive_grad = additive_grad;
  table.additive_lanes = width;
  table.additive_plain = additive_plain;
  table.additive_sums = additive_sums;
}

}  // namespace FOVEA_LEVEL
}  // namespace fovea::inline FOVEA_REAL
