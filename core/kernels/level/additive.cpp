#include "core/kernels/level/parts.hpp"
#include "core/kernels/level/vector.hpp"

// tanh(a + b) = 1 - 2r with r = 1 / (1 + e^2a e^2b): the exponentials belong to rows and columns, and what is
// left to do for each pair and hidden unit is a multiply-add and a reciprocal.
namespace fovea::inline FOVEA_REAL {
namespace FOVEA_LEVEL {
namespace {

// Four hidden units share one reciprocal: 1/x = yzw / (xyzw). So that the product of four stays a normal
// number, each is limited; a tanh that far out is 1 to the last bit. Returns their r.
struct Four {
  Vector r[4];
};
template <bool limited>
inline Four reciprocals(const Real* ea, const Real* eb, std::size_t eb_stride) {
  Vector x[4];
  for (std::size_t u = 0; u < 4; ++u) {
    x[u] = Real(1) + ea[u] * load(eb + u * eb_stride);
    if constexpr (limited) x[u] = at_most(x[u], all(additive_limit));
  }
  const Vector x01 = x[0] * x[1], x23 = x[2] * x[3];
  const Vector all_four = reciprocal(x01 * x23);
  const Vector r01 = x23 * all_four, r23 = x01 * all_four;
  return {{x[1] * r01, x[0] * r01, x[3] * r23, x[2] * r23}};
}

template <bool limited, std::size_t vectors>
void pairs(const AdditiveShape& t, const Real* ea, const Real* eb, const Real* v, Real* s) {
  Vector sum[vectors] = {};
  for (std::size_t h = 0; h < t.hidden; h += 4, eb += 4 * t.columns) {
    for (std::size_t g = 0; g < vectors; ++g) {
      const Four four = reciprocals<limited>(ea + h, eb + g * width, t.columns);
      for (std::size_t u = 0; u < 4; ++u) sum[g] += v[h + u] * four.r[u];
    }
  }
  for (std::size_t g = 0; g < vectors; ++g) store(s + g * width, t.total - Real(2) * sum[g]);
}

template <bool limited>
void scores(const AdditiveShape& t, const Real* ea, const Real* eb, const Real* v, Real* s) {
  constexpr std::size_t most = 2;
  for (std::size_t i = 0; i < t.rows; ++i, ea += t.hidden, s += t.columns) {
    std::size_t j = 0;
    for (; j + most * width <= t.columns; j += most * width) pairs<limited, most>(t, ea, eb + j, v, s + j);
    for (; j < t.columns; j += width) pairs<limited, 1>(t, ea, eb + j, v, s + j);
  }
}

void additive_scores(const AdditiveShape& t, const Real* ea, const Real* eb, const Real* v, bool careful,
                     Real* s) {
  careful ? scores<true>(t, ea, eb, v, s) : scores<false>(t, ea, eb, v, s);
}

// The reciprocals are computed again: that takes less time than to write and read them.
template <bool careful>
void four_units(const AdditiveShape& t, const Real* ea, const Real* eb, const Real* ds, Real* da, Real* db,
                Real* dv) {
  Vector to_v[4];
  for (std::size_t u = 0; u < 4; ++u) to_v[u] = load(dv + u * width);
  for (std::size_t i = 0; i < t.rows; ++i, ea += t.hidden, ds += t.columns, da += t.hidden * width) {
    Vector to_a[4];
    for (std::size_t u = 0; u < 4; ++u) to_a[u] = load(da + u * width);
    for (std::size_t j = 0; j < t.columns; j += width) {
      const Four four = reciprocals<careful>(ea, eb + j, t.columns);
      const Vector d = load(ds + j);
      for (std::size_t u = 0; u < 4; ++u) {
        Vector dr = d * four.r[u];
        if constexpr (careful) dr = d == Real(0) ? Vector{} : dr;  // r may be NaN
        Vector slope = dr - dr * four.r[u];                        // ds (r - r²)
        if constexpr (careful) slope = d == Real(0) ? Vector{} : slope;
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
                   Real* da, Real* db, Real* dv) {
  for (std::size_t h = 0; h < t.hidden; h += 4) {
    (careful ? four_units<true> : four_units<false>)(t, ea + h, eb + h * t.columns, ds, da + h * width,
                                                     db + h * t.columns, dv + h * width);
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
