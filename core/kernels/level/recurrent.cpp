#include "core/kernels/level/math.hpp"
#include "core/kernels/level/parts.hpp"

namespace fovea::inline FOVEA_REAL {
namespace FOVEA_LEVEL {
namespace {

// Gates saturate, states may be infinite: a zero cotangent selects 0 instead of multiplying.
inline Real unless_zero(Real cotangent, Real product) { return cotangent == 0 ? Real(0) : product; }

inline Real tanh_slope(Real y) { return (Real(1) - y) * (Real(1) + y); }
inline Real sigmoid_slope(Real y) { return y * (Real(1) - y); }

// y = f(x + u). Gate by gate: in one loop over all of them a processor would wait for the longest chain of
// each step, where here it has several steps in flight.
template <Real (*f)(Real)>
void gate(std::size_t n, const Real* x, const Real* u, Real* y) {
#pragma omp simd
  for (std::size_t k = 0; k < n; ++k) y[k] = f(x[k] + u[k]);
}

void lstm_cell(std::size_t n, const Real* x, const Real* u, const Real* c, Real* gates, Real* c_after,
               Real* h) {
  gate<sigmoid_of>(2 * n, x, u, gates);
  gate<tanh_of>(n, x + 2 * n, u + 2 * n, gates + 2 * n);
  gate<sigmoid_of>(n, x + 3 * n, u + 3 * n, gates + 3 * n);
#pragma omp simd
  for (std::size_t k = 0; k < n; ++k) {
    const Real next = gates[n + k] * c[k] + gates[k] * gates[2 * n + k];
    c_after[k] = next;
    h[k] = gates[3 * n + k] * tanh_of(next);
  }
}

void lstm_cell_grad(std::size_t n, const Real* gates, const Real* c, const Real* c_after, const Real* dout,
                    const Real* dh, Real* dc, Real* d) {
#pragma omp simd
  for (std::size_t k = 0; k < n; ++k) {
    const Real i = gates[k], f = gates[n + k], g = gates[2 * n + k], o = gates[3 * n + k];
    const Real t = tanh_of(c_after[k]);
    const Real to_h = dout[k] + dh[k];
    const Real to_c = dc[k] + unless_zero(to_h, to_h * o * tanh_slope(t));
    d[k] = unless_zero(to_c, to_c * g * sigmoid_slope(i));
    d[n + k] = unless_zero(to_c, to_c * c[k] * sigmoid_slope(f));
    d[2 * n + k] = unless_zero(to_c, to_c * i * tanh_slope(g));
    d[3 * n + k] = unless_zero(to_h, to_h * t * sigmoid_slope(o));
    dc[k] = unless_zero(to_c, to_c * f);
  }
}

void gru_cell(std::size_t n, const Real* x, const Real* u, const Real* bias, const Real* h, Real* gates,
              Real* h_after) {
#pragma omp simd
  for (std::size_t k = 0; k < n; ++k) {
    const Real r = sigmoid_of(x[k] + (u[k] + bias[k]));
    const Real z = sigmoid_of(x[n + k] + (u[n + k] + bias[n + k]));
    const Real v = u[2 * n + k] + bias[2 * n + k];
    const Real g = tanh_of(x[2 * n + k] + r * v);
    gates[k] = r;
    gates[n + k] = z;
    gates[2 * n + k] = g;
    gates[3 * n + k] = v;
    h_after[k] = g + z * (h[k] - g);
  }
}

void gru_cell_grad(std::size_t n, const Real* gates, const Real* h, const Real* dout, Real* dh, Real* dv,
                   Real* dx_n) {
#pragma omp simd
  for (std::size_t k = 0; k < n; ++k) {
    const Real r = gates[k], z = gates[n + k], g = gates[2 * n + k], v = gates[3 * n + k];
    const Real to_h = dout[k] + dh[k];
    const Real to_n = unless_zero(to_h, to_h * (Real(1) - z) * tanh_slope(g));
    dv[k] = unless_zero(to_n, to_n * v * sigmoid_slope(r));
    dv[n + k] = unless_zero(to_h, to_h * (h[k] - g) * sigmoid_slope(z));
    dv[2 * n + k] = unless_zero(to_n, to_n * r);
    dx_n[k] = to_n;
    dh[k] = unless_zero(to_h, to_h * z);
  }
}

}  // namespace

void set_recurrent(Kernels& table) {
  table.lstm_cell = lstm_cell;
  table.lstm_cell_grad = lstm_cell_grad;
  table.gru_cell = gru_cell;
  table.gru_cell_grad = gru_cell_grad;
}

}  // namespace FOVEA_LEVEL
}  // namespace fovea::inline FOVEA_REAL
