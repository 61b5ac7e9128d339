#include "core/kernels/level/group.hpp"
#include "core/kernels/level/parts.hpp"

// Rows of a tile of attention scores: the online softmax and its derivative.
namespace fovea::inline FOVEA_REAL {
namespace FOVEA_LEVEL {
namespace {

template <bool entropy>
void softmax_row(std::size_t n, Real* x, Real m, SoftmaxRow& row) {
  Vector total{}, moment{};
  row_exponentials(n, x, m, [&](std::size_t i, std::size_t some, Vector argument, Vector e) {
    store_some(x + i, some, e);
    total += e;
    if constexpr (entropy) moment += e * argument;
  });
  row.total += sum_of(total);
  if constexpr (entropy) row.moment += sum_of(moment);
}

void online_softmax(std::size_t R, std::size_t n, Real* x, std::size_t stride, bool entropy, SoftmaxRow* rows,
                    Real* shrink) {
  // First of all rows, so that none waits for its own.
  for (std::size_t r = 0; r < R; ++r) shrink[r] = largest(n, x + r * stride);
  for (std::size_t r = 0; r < R; ++r, x += stride) {
    SoftmaxRow& row = rows[r];
    const Real before = row.max, found = shrink[r];
    const Real m = found > before ? found : before;
    shrink[r] = 1;
    if (m > before) {
      row.max = m;
      if (before > -Its::infinity) {
        const double gap = static_cast<double>(before) - m;
        const double c = exp_of_negative(static_cast<Real>(gap));
        row.moment = c == 0 ? 0 : c * (row.moment + gap * row.total);
        row.total *= c;
        shrink[r] = static_cast<Real>(c);
      }
    }
    const Real from = m == -Its::infinity ? Real(0) : m;  // only -inf and NaN: -inf - (-inf) would be NaN
    entropy ? softmax_row<true>(n, x, from, row) : softmax_row<false>(n, x, from, row);
  }
}

void softmax_weights(std::size_t R, std::size_t n, Real* x, std::size_t stride, const AttentionRow* rows) {
  for (std::size_t r = 0; r < R; ++r, x += stride) {
    const Real m = rows[r].max, scale = rows[r].scale;
    if (scale - scale == 0) {
      row_exponentials(n, x, m, [=](std::size_t i, std::size_t some, Vector, Vector e) {
        store_some(x + i, some, e * scale);
      });
    } else {  // a row of NaN: only what -inf hides is still 0
      for (std::size_t i = 0; i < n; ++i)
        x[i] = x[i] == -Its::infinity ? Real(0) : exp_of_negative(x[i] - m) * scale;
    }
  }
}

double inner_product(std::size_t n, const Real* y, const Real* dy, bool& any) {
  double total = 0;
  Bits seen = 0;
#pragma omp simd reduction(+ : total) reduction(| : seen)
  for (std::size_t i = 0; i < n; ++i) {
    const double term = static_cast<double>(y[i]) * dy[i];
    total += y[i] == 0 || dy[i] == 0 ? 0.0 : term;
    seen |= dy[i] == 0 ? Bits(0) : Bits(1);
  }
  any = any || seen != 0;
  return total;
}

template <bool entropy>
void grad_row(std::size_t n, const Real* p, const Real* s, Real* dp, const AttentionRow& row) {
#pragma omp simd
  for (std::size_t i = 0; i < n; ++i) {
    Real d = dp[i] - row.inner;
    if constexpr (entropy) d -= row.entropy_cotangent * (s[i] - row.max - row.mean);
    dp[i] = p[i] == 0 ? Real(0) : p[i] * d;
  }
}

void attention_grad(std::size_t R, std::size_t n, const Real* p, const Real* s, Real* dp, std::size_t stride,
                    const AttentionRow* rows) {
  for (std::size_t r = 0; r < R; ++r, p += stride, s += s ? stride : 0, dp += stride) {
    s ? grad_row<true>(n, p, s, dp, rows[r]) : grad_row<false>(n, p, s, dp, rows[r]);
  }
}

}  // namespace

void set_attention(Kernels& table) {
  table.online_softmax = online_softmax;
  table.softmax_weights = softmax_weights;
  table.inner_product = inner_product;
  table.attention_grad = attention_grad;
}

}  // namespace FOVEA_LEVEL
}  // namespace fovea::inline FOVEA_REAL
