#include <array>
#include <cmath>

#include "core/oracle.hpp"

// One step of a recurrent layer against its formulas in double, and its gradient against differences.

using namespace fovea;
using oracle::at_each_level;
using oracle::near;
using oracle::not_a_number;
using oracle::Reals;

namespace {

const double loose = sizeof(Real) == 4 ? 3e-6 : 1e-14;    // of values
const double by_steps = sizeof(Real) == 4 ? 1e-5 : 1e-8;  // of differences
constexpr double step = 1e-5;

double sigma(double x) { return 1 / (1 + std::exp(-x)); }

void require_near(double got, double want, double absolute) {
  INFO(got << ", expected " << want);
  REQUIRE(near(got, want, 0, absolute));
}

using Four = std::array<double, 4>;

// i, f, g, o → the cell and the output.
std::array<double, 2> lstm_of(const Four& a, double c) {
  const double next = sigma(a[1]) * c + sigma(a[0]) * std::tanh(a[2]);
  return {next, sigma(a[3]) * std::tanh(next)};
}

// v_r, v_z, v_n and x_n; x_r and x_z are part of v_r and v_z.
double gru_of(const Four& a, double h) {
  const double z = sigma(a[1]);
  return (1 - z) * std::tanh(a[3] + sigma(a[0]) * a[2]) + z * h;
}

double at(const Reals& x, std::size_t i) { return static_cast<double>(x[i]); }

// d of(a, state) / d a_gate, and / d state where `gate` is 4.
template <class Of>
double slope(const Of& of, Four a, double state, std::size_t gate) {
  const auto moved = [&](double by) {
    Four b = a;
    if (gate < 4) b[gate] += by;
    return of(b, gate < 4 ? state : state + by);
  };
  return (moved(step) - moved(-step)) / (2 * step);
}

}  // namespace

TEST_CASE("a step of LSTM and its gradient", "[core]") {
  at_each_level([](const Kernels& k) {
    for (std::size_t n : oracle::lengths) {
      const Reals x = oracle::random(4 * n, 1), u = oracle::random(4 * n, 2), c = oracle::random(n, 3);
      const Reals dout = oracle::random(n, 4), dh = oracle::random(n, 5), dnext = oracle::random(n, 6);
      Reals gates(4 * n), next(n), h(n), d(4 * n), dc = dnext;
      k.lstm_cell(n, x.data(), u.data(), c.data(), gates.data(), next.data(), h.data());
      k.lstm_cell_grad(n, gates.data(), c.data(), next.data(), dout.data(), dh.data(), dc.data(), d.data());
      Reals in_place = u, cell = c, other(n);
      k.lstm_cell(n, x.data(), in_place.data(), cell.data(), in_place.data(), cell.data(), other.data());
      REQUIRE((in_place == gates && cell == next && other == h));
      for (std::size_t i = 0; i < n; ++i) {
        Four a;
        for (std::size_t gate = 0; gate < 4; ++gate) a[gate] = at(x, gate * n + i) + at(u, gate * n + i);
        for (std::size_t gate = 0; gate < 4; ++gate)
          require_near(at(gates, gate * n + i), gate == 2 ? std::tanh(a[2]) : sigma(a[gate]), loose);
        require_near(at(next, i), lstm_of(a, at(c, i))[0], loose);
        require_near(at(h, i), lstm_of(a, at(c, i))[1], loose);
        const auto loss = [&](const Four& b, double state) {
          const auto [to_cell, to_h] = lstm_of(b, state);
          return to_cell * at(dnext, i) + to_h * (at(dout, i) + at(dh, i));
        };
        for (std::size_t gate = 0; gate < 4; ++gate)
          require_near(at(d, gate * n + i), slope(loss, a, at(c, i), gate), by_steps);
        require_near(at(dc, i), slope(loss, a, at(c, i), 4), by_steps);
      }
    }
  });
}

TEST_CASE("a step of GRU and its gradient", "[core]") {
  at_each_level([](const Kernels& k) {
    for (std::size_t n : oracle::lengths) {
      const Reals x = oracle::random(3 * n, 1), u = oracle::random(3 * n, 2), bias = oracle::random(3 * n, 3);
      const Reals h = oracle::random(n, 4), dout = oracle::random(n, 5), dafter = oracle::random(n, 6);
      Reals gates(4 * n), after(n), dv(3 * n), dx(n), dh = dafter, in_place = h;
      k.gru_cell(n, x.data(), u.data(), bias.data(), h.data(), gates.data(), after.data());
      k.gru_cell_grad(n, gates.data(), h.data(), dout.data(), dh.data(), dv.data(), dx.data());
      k.gru_cell(n, x.data(), u.data(), bias.data(), in_place.data(), gates.data(), in_place.data());
      REQUIRE(in_place == after);
      for (std::size_t i = 0; i < n; ++i) {
        const auto v = [&](std::size_t gate) { return at(u, gate * n + i) + at(bias, gate * n + i); };
        const Four a{at(x, i) + v(0), at(x, n + i) + v(1), v(2), at(x, 2 * n + i)};
        const double r = sigma(a[0]);
        const Four right{r, sigma(a[1]), std::tanh(a[3] + r * a[2]), a[2]};
        for (std::size_t gate = 0; gate < 4; ++gate)
          require_near(at(gates, gate * n + i), right[gate], loose);
        require_near(at(after, i), gru_of(a, at(h, i)), loose);
        const auto loss = [&](const Four& b, double state) {
          return gru_of(b, state) * (at(dout, i) + at(dafter, i));
        };
        for (std::size_t gate = 0; gate < 3; ++gate)
          require_near(at(dv, gate * n + i), slope(loss, a, at(h, i), gate), by_steps);
        require_near(at(dx, i), slope(loss, a, at(h, i), 3), by_steps);
        require_near(at(dh, i), slope(loss, a, at(h, i), 4), by_steps);
      }
    }
  });
}

TEST_CASE("steps of recurrent layers keep NaN, and a zero cotangent gives zero whatever they hold",
          "[core]") {
  at_each_level([](const Kernels& k) {
    for (std::size_t n : {std::size_t{1}, std::size_t{17}}) {
      const Reals odd(4 * n, not_a_number), none(n, Real(0)), fine(4 * n, Real(0.5));
      Reals gates(4 * n), next(n), h(n), d(4 * n), back = none;
      k.lstm_cell(n, odd.data(), fine.data(), fine.data(), gates.data(), next.data(), h.data());
      REQUIRE((std::isnan(h[n - 1]) && std::isnan(next[n - 1])));
      k.gru_cell(n, fine.data(), odd.data(), fine.data(), fine.data(), gates.data(), h.data());
      REQUIRE(std::isnan(h[n - 1]));
      k.lstm_cell_grad(n, odd.data(), odd.data(), odd.data(), none.data(), none.data(), back.data(),
                       d.data());
      REQUIRE((d == Reals(4 * n, Real(0)) && back == none));
      Reals dv(3 * n), dx(n);
      k.gru_cell_grad(n, odd.data(), odd.data(), none.data(), back.data(), dv.data(), dx.data());
      REQUIRE((dv == Reals(3 * n, Real(0)) && dx == none && back == none));
      k.lstm_cell_grad(n, fine.data(), fine.data(), fine.data(), odd.data(), none.data(), back.data(),
                       d.data());
      REQUIRE(std::isnan(d[4 * n - 1]));
    }
  });
}
