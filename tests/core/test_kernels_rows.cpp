#include <cmath>
#include <functional>

#include "core/oracle.hpp"

using namespace fovea;
using oracle::at_each_level;
using oracle::epsilon;
using oracle::infinity;
using oracle::near;
using oracle::not_a_number;
using oracle::Reals;

namespace {

using Doubles = std::vector<double>;
constexpr std::size_t rows = 3;

Doubles right_softmax(const Real* x, std::size_t n, const unsigned char* keep = nullptr) {
  double m = -HUGE_VAL, total = 0;
  Doubles y(n, 0.0);
  for (std::size_t i = 0; i < n; ++i) {
    if (!keep || keep[i]) m = std::max(m, static_cast<double>(x[i]));
  }
  for (std::size_t i = 0; i < n; ++i) {
    if (!keep || keep[i]) total += y[i] = std::exp(x[i] - m);
  }
  for (double& v : y) v = total ? v / total : 0;
  return y;
}

void require_near(const Reals& got, const Doubles& want, double ulps, double absolute) {
  REQUIRE(got.size() == want.size());
  for (std::size_t i = 0; i < want.size(); ++i) {
    INFO("element " << i << " is " << got[i] << ", expected " << want[i]);
    REQUIRE(near(got[i], want[i], ulps, absolute));
  }
}

/// dx_i = Σ_j dy_j ∂f_j/∂x_i by central differences of an oracle in double.
Doubles numeric_gradient(const std::function<double(const Doubles&)>& loss, const Reals& x) {
  Doubles at(x.begin(), x.end()), dx(x.size());
  for (std::size_t i = 0; i < x.size(); ++i) {
    const double step = 1e-5, middle = at[i];
    at[i] = middle + step;
    const double up = loss(at);
    at[i] = middle - step;
    dx[i] = (up - loss(at)) / (2 * step);
    at[i] = middle;
  }
  return dx;
}

const double loose = sizeof(Real) == 4 ? 3e-5 : 1e-8;  // what differences and single precision allow

}  // namespace

TEST_CASE("softmax of rows", "[core]") {
  at_each_level([](const Kernels& k) {
    for (std::size_t n : oracle::lengths) {
      const Reals x = oracle::random(rows * n, 1, -20, 20);
      Reals y(rows * n), logs(rows * n);
      k.softmax(rows, n, x.data(), y.data());
      k.log_softmax(rows, n, x.data(), logs.data());
      for (std::size_t r = 0; r < rows; ++r) {
        const Doubles want = right_softmax(x.data() + r * n, n);
        for (std::size_t i = 0; i < n; ++i) {
          // x - m is rounded, and |x - m| <= 40: relative error up to 20 units.
          REQUIRE(near(y[r * n + i], want[i], 32));
          REQUIRE(near(logs[r * n + i], std::log(want[i]), 4, 64 * oracle::epsilon));
        }
      }
    }
    Reals x{0, not_a_number, 1};
    k.softmax(1, 3, x.data(), x.data());
    for (Real v : x) CHECK(std::isnan(v));
    Reals big{Real(1e30), Real(1e30), -infinity};
    k.softmax(1, 3, big.data(), big.data());
    CHECK(big == Reals{0.5, 0.5, 0});
  });
}

TEST_CASE("masked softmax looks only at what is kept", "[core]") {
  at_each_level([](const Kernels& k) {
    for (std::size_t n : oracle::lengths) {
      for (std::size_t step : {std::size_t{0}, n}) {
        Reals x = oracle::random(rows * n, 1), y(rows * n, Real(7));
        std::vector<unsigned char> keep(rows * n + 1);
        Rng rng(n);
        for (auto& flag : keep) flag = rng.chance(0.6) ? 1 + static_cast<unsigned char>(rng.below(255)) : 0;
        std::vector<Doubles> want;
        for (std::size_t r = 0; r < rows; ++r) {
          want.push_back(right_softmax(x.data() + r * n, n, keep.data() + r * step));
          for (std::size_t i = 0; i < n; ++i) {
            if (!keep[r * step + i]) x[r * n + i] = i % 3 ? (i % 2 ? infinity : Real(2e9)) : not_a_number;
          }
        }
        k.masked_softmax(rows, n, x.data(), keep.data(), step, y.data());
        for (std::size_t i = 0; i < rows * n; ++i) REQUIRE(near(y[i], want[i / n][i % n], 16));
      }
    }
  });
}

TEST_CASE("masked softmax: reported inputs", "[core]") {
  at_each_level([](const Kernels& k) {
    const auto of = [&](Reals x, const std::vector<unsigned char>& keep) {
      k.masked_softmax(1, x.size(), x.data(), keep.data(), 0, x.data());
      return x;
    };
    CHECK(of({1, 2, 3}, {0, 0, 0}) == Reals{0, 0, 0});
    CHECK(of({1, Real(2e9), 1}, {1, 0, 1}) == Reals{0.5, 0, 0.5});
    CHECK(of({not_a_number, infinity, -infinity}, {0, 0, 0}) == Reals{0, 0, 0});
    CHECK(of({-infinity, -infinity, 5}, {1, 1, 0}) == Reals{0, 0, 0});
    CHECK(of({-infinity, 3, 5}, {1, 1, 0}) == Reals{0, 1, 0});
    CHECK(near(of({0, 0, 0, 0}, {1, 1, 1, 0})[2], 1.0 / 3, 1));
    for (Real v : of({not_a_number, 2, not_a_number}, {1, 0, 1})) CHECK((std::isnan(v) || v == 0));
    CHECK(std::isnan(of({not_a_number, 2}, {1, 0})[0]));
    CHECK(std::isnan(of({not_a_number, 2}, {1, 1})[0]));
  });
}

TEST_CASE("gradients of softmax and log-softmax", "[core]") {
  at_each_level([](const Kernels& k) {
    for (std::size_t n : {std::size_t{1}, std::size_t{7}, std::size_t{33}}) {
      const Reals x = oracle::random(n, 1), dy = oracle::random(n, 2);
      Reals y(n), dx(n);
      const auto softmax = [&](const Doubles& at) {
        double m = 0, total = 0;
        for (double v : at) total += std::exp(v);
        for (std::size_t i = 0; i < n; ++i) m += dy[i] * std::exp(at[i]) / total;
        return m;
      };
      const auto log_softmax = [&](const Doubles& at) {
        double m = 0, total = 0;
        for (double v : at) total += std::exp(v);
        for (std::size_t i = 0; i < n; ++i) m += dy[i] * (at[i] - std::log(total));
        return m;
      };
      k.softmax(1, n, x.data(), y.data());
      k.softmax_grad(1, n, y.data(), dy.data(), dx.data());
      require_near(dx, numeric_gradient(softmax, x), 0, loose);
      k.log_softmax(1, n, x.data(), y.data());
      k.log_softmax_grad(1, n, y.data(), dy.data(), dx.data());
      require_near(dx, numeric_gradient(log_softmax, x), 0, loose);
    }
    // Weight 0: neither a NaN nor an infinity behind it is looked at.
    const Reals y{0.5, 0, 0.5, 0}, dy{1, not_a_number, 3, infinity};
    Reals dx(4);
    k.softmax_grad(1, 4, y.data(), dy.data(), dx.data());
    CHECK(dx == Reals{-0.5, 0, 0.5, 0});
    // A row of NaN that no loss looks at.
    const Reals odd(9, not_a_number), none(9, Real(0));
    dx.assign(9, 7);
    k.softmax_grad(1, 9, odd.data(), none.data(), dx.data());
    CHECK(dx == none);
    dx.assign(9, 7);
    k.log_softmax_grad(1, 9, odd.data(), none.data(), dx.data());
    CHECK(dx == none);
  });
}

TEST_CASE("layer norm of rows", "[core]") {
  at_each_level([](const Kernels& k) {
    const Real eps = Real(1e-5);
    for (std::size_t n : oracle::lengths) {
      if (n == 0) continue;
      const Reals x = oracle::random(rows * n, 1, 90, 110), g = oracle::random(n, 2),
                  b = oracle::random(n, 3);
      Reals y(rows * n), mean(rows), rstd(rows);
      k.layer_norm(rows, n, x.data(), g.data(), b.data(), eps, y.data(), mean.data(), rstd.data());
      for (std::size_t r = 0; r < rows; ++r) {
        double m = 0, v = 0;
        for (std::size_t i = 0; i < n; ++i) m += x[r * n + i] / static_cast<double>(n);
        for (std::size_t i = 0; i < n; ++i) v += std::pow(x[r * n + i] - m, 2) / static_cast<double>(n);
        REQUIRE(near(mean[r], m, 2, 1e-11));
        if (n > 1) REQUIRE(near(rstd[r], 1 / std::sqrt(v + eps), 16));
        for (std::size_t i = 0; n > 1 && i < n; ++i) {
          const double h = (x[r * n + i] - m) / std::sqrt(v + eps);
          REQUIRE(near(y[r * n + i], h * g[i] + b[i], 0, sizeof(Real) == 4 ? 1e-4 : 1e-12));
        }
      }
    }
  });
}

TEST_CASE("layer norm of rows that are far from 0, very large or small, or all equal", "[core]") {
  at_each_level([](const Kernels& k) {
    struct Case {
      double mean, size;
      Real eps;
    };
    const double much = sizeof(Real) == 4 ? 1e20 : 1e100;
    // Squares in float would be infinite in the third case, and denormal in the fourth.
    for (const auto& [centre, size, eps] :
         {Case{1e4, 1, Real(1e-5)}, Case{-1e4, 1, Real(1e-5)}, Case{0, much, Real(1e-5)},
          Case{1 / much, 1 / much, std::numeric_limits<Real>::denorm_min()}, Case{0.1, 0, Real(1e-5)},
          Case{123456789, 0, Real(1e-5)}}) {
      for (std::size_t n : {std::size_t{9}, std::size_t{256}, std::size_t{1000}}) {
        INFO("mean " << centre << ", deviation " << size << ", " << n << " columns");
        Reals x = oracle::random(6 * n, 1, -1.7320508, 1.7320508);
        for (Real& v : x) v = static_cast<Real>(centre + size * v);
        const Reals g = oracle::random(n, 2), b = oracle::random(n, 3);
        Reals y(x.size()), mean(6), rstd(6);
        k.layer_norm(6, n, x.data(), g.data(), b.data(), eps, y.data(), mean.data(), rstd.data());
        for (std::size_t r = 0; r < 6; ++r) {
          long double m = 0, v = 0;
          for (std::size_t i = 0; i < n; ++i) m += x[r * n + i];
          m /= n;
          for (std::size_t i = 0; i < n; ++i) v += (x[r * n + i] - m) * (x[r * n + i] - m);
          const double right = static_cast<double>(1 / std::sqrt(v / n + eps));
          REQUIRE(near(mean[r], static_cast<double>(m), sizeof(Real) == 4 ? 1 : 200, size * epsilon));
          REQUIRE(near(rstd[r], right, 4));
          for (std::size_t i = 0; i < n; ++i) {
            const double h = static_cast<double>((x[r * n + i] - static_cast<long double>(mean[r])) * right);
            REQUIRE(near(y[r * n + i], h * g[i] + b[i], 4, 16 * epsilon));
          }
        }
      }
    }
  });
}

TEST_CASE("gradient of layer norm", "[core]") {
  at_each_level([](const Kernels& k) {
    const Real eps = Real(1e-5);
    for (std::size_t n : {std::size_t{2}, std::size_t{9}, std::size_t{33}}) {
      const Reals x = oracle::random(rows * n, 1), g = oracle::random(n, 2), b = oracle::random(n, 4),
                  dy = oracle::random(rows * n, 3);
      Reals y(rows * n), mean(rows), rstd(rows), dx(rows * n);
      Doubles dgain(n, 1.0), dbias(n, 2.0);
      k.layer_norm(rows, n, x.data(), g.data(), b.data(), eps, y.data(), mean.data(), rstd.data());
      k.layer_norm_grad(rows, n, x.data(), g.data(), mean.data(), rstd.data(), dy.data(), dx.data(),
                        dgain.data(), dbias.data());
      const auto loss = [&](const Doubles& at) {
        double total = 0;
        for (std::size_t r = 0; r < rows; ++r) {
          double m = 0, v = 0;
          for (std::size_t i = 0; i < n; ++i) m += at[r * n + i] / static_cast<double>(n);
          for (std::size_t i = 0; i < n; ++i) v += std::pow(at[r * n + i] - m, 2) / static_cast<double>(n);
          for (std::size_t i = 0; i < n; ++i) {
            total += dy[r * n + i] * (at[r * n + i] - m) / std::sqrt(v + eps) * g[i];
          }
        }
        return total;
      };
      require_near(dx, numeric_gradient(loss, x), 0, 10 * loose);
      for (std::size_t i = 0; i < n; ++i) {
        double right_gain = 1, right_bias = 2;
        for (std::size_t r = 0; r < rows; ++r) {
          right_gain += dy[r * n + i] * (x[r * n + i] - mean[r]) * static_cast<double>(rstd[r]);
          right_bias += dy[r * n + i];
        }
        REQUIRE(near(dgain[i], right_gain, 0, loose));
        REQUIRE(near(dbias[i], right_bias, 0, loose));
      }
    }
    const Reals odd(9, not_a_number), none(9, Real(0));
    Reals dx(9, Real(7));
    Doubles dgain(9, 0.0), dbias(9, 0.0);
    k.layer_norm_grad(1, 9, odd.data(), odd.data(), odd.data(), odd.data(), none.data(), dx.data(),
                      dgain.data(), dbias.data());
    CHECK(dx == none);
    CHECK(dgain == Doubles(9, 0.0));
    CHECK(dbias == dgain);
  });
}

TEST_CASE("l2 normalisation and its gradient", "[core]") {
  at_each_level([](const Kernels& k) {
    const Real eps = Real(1e-6);
    for (std::size_t n : oracle::lengths) {
      const Reals x = oracle::random(n, 1), dy = oracle::random(n, 2);
      Reals y(n), dx(n);
      Real norm = 7;
      k.l2_normalize(1, n, x.data(), eps, y.data(), &norm);
      k.l2_normalize_grad(1, n, y.data(), &norm, eps, dy.data(), dx.data());
      double length = 0;
      for (Real v : x) length += static_cast<double>(v) * v;
      REQUIRE(near(norm, std::sqrt(length), 2));
      for (std::size_t i = 0; i < n; ++i) REQUIRE(near(y[i], x[i] / std::sqrt(length), 4));
      if (n > 40) continue;
      const auto loss = [&](const Doubles& at) {
        double squares = 0, total = 0;
        for (double v : at) squares += v * v;
        for (std::size_t i = 0; i < n; ++i) total += dy[i] * at[i] / std::sqrt(squares);
        return total;
      };
      require_near(dx, numeric_gradient(loss, x), 0, loose);
    }
    Reals zero(2, Real(0)), y(2), dx(2);
    const Reals dy{1, 0};
    Real norm = 7;
    k.l2_normalize(1, 2, zero.data(), eps, y.data(), &norm);
    CHECK(y == zero);
    k.l2_normalize_grad(1, 2, y.data(), &norm, eps, dy.data(), dx.data());
    CHECK(near(dx[0], 1e6, 4));
    CHECK(dx[1] == 0);
    k.l2_normalize_grad(1, 2, y.data(), &norm, 0, zero.data(), dx.data());
    CHECK(dx == zero);
    k.l2_normalize(1, 2, zero.data(), 0, y.data(), &norm);
    CHECK(y == zero);
    k.l2_normalize_grad(1, 2, y.data(), &norm, 0, dy.data(), dx.data());
    CHECK(dx == zero);
  });
}

TEST_CASE("entropy of rows and its gradient", "[core]") {
  at_each_level([](const Kernels& k) {
    for (std::size_t n : oracle::lengths) {
      const Reals p = oracle::random(rows * n, 1, 0, 1), dh = oracle::random(rows, 2);
      Reals h(rows), dp(rows * n);
      k.entropy(rows, n, p.data(), h.data());
      k.entropy_grad(rows, n, p.data(), dh.data(), dp.data());
      for (std::size_t r = 0; r < rows; ++r) {
        double right = 0;
        for (std::size_t i = 0; i < n; ++i)
          right -= p[r * n + i] * std::log(static_cast<double>(p[r * n + i]));
        REQUIRE(near(h[r], right, 4, oracle::epsilon * static_cast<double>(n + 1)));
        for (std::size_t i = 0; i < n; ++i) {
          const double d = -dh[r] * (std::log(static_cast<double>(p[r * n + i])) + 1);
          REQUIRE(near(dp[r * n + i], d, 8, 4 * oracle::epsilon));
        }
      }
    }
    const Reals p{0, 0.5, 0.5, 0, 0, 0};
    Reals h(2), dp(6);
    k.entropy(2, 3, p.data(), h.data());
    CHECK(near(h[0], std::log(2.0), 2));
    CHECK(h[1] == 0);
    const Reals dh{1, 1}, none{0, 0};
    k.entropy_grad(2, 3, p.data(), dh.data(), dp.data());
    CHECK(dp[0] == 0);
    CHECK(near(dp[1], -std::log(0.5) - 1, 8));
    for (std::size_t i = 3; i < 6; ++i) CHECK(dp[i] == 0);
    k.entropy_grad(2, 3, p.data(), none.data(), dp.data());
    CHECK(dp == Reals(6, Real(0)));
  });
}

TEST_CASE("cross entropy of rows and its gradient", "[core]") {
  at_each_level([](const Kernels& k) {
    for (std::size_t n : oracle::lengths) {
      if (n == 0) continue;
      Reals x = oracle::random(rows * n, 1, 80, 120);  // far from 0, where lse is rounded coarsely
      const std::size_t target[rows] = {n - 1, n / 2, n + 5};
      const Real dloss[rows] = {2, 0, 1};
      Reals loss(rows), lse(rows), dx(rows * n);
      x[n] = not_a_number;  // a row that no loss looks at: its dloss is 0
      k.cross_entropy(rows, n, x.data(), target, loss.data(), lse.data());
      k.cross_entropy_grad(rows, n, x.data(), target, lse.data(), dloss, dx.data());
      const Doubles p = right_softmax(x.data(), n);
      CHECK(near(loss[0], -std::log(p[n - 1]), 4, 4 * oracle::epsilon));
      CHECK(loss[2] == 0);
      for (std::size_t i = 0; i < n; ++i) {
        REQUIRE(near(dx[i], 2 * (p[i] - (i == n - 1)), 64, 4 * oracle::epsilon));
        REQUIRE(dx[n + i] == 0);
        REQUIRE(dx[2 * n + i] == 0);
      }
    }
  });
}

TEST_CASE("steps of the optimisers", "[core]") {
  at_each_level([](const Kernels& k) {
    for (std::size_t n : oracle::lengths) {
      const Reals g = oracle::random(n, 1), m0 = oracle::random(n, 2), p0 = oracle::random(n, 3);
      const Reals v0 = oracle::random(n, 4, 0, 1);
      Reals m = m0, v = v0, p = p0;
      k.sgd(n, Real(0.1), Real(0.9), false, Real(0.01), g.data(), m.data(), p.data());
      const double lr = Real(0.1), momentum = Real(0.9), decay = Real(0.01), b2 = Real(0.99);
      for (std::size_t i = 0; i < n; ++i) {
        const double right = momentum * m0[i] + g[i] + decay * p0[i];
        REQUIRE(near(m[i], right, 0, 8 * oracle::epsilon));
        REQUIRE(near(p[i], p0[i] - lr * right, 0, 8 * oracle::epsilon));
      }
      p = p0;
      k.sgd(n, Real(0.1), 0, false, Real(0.01), g.data(), nullptr, p.data());
      for (std::size_t i = 0; i < n; ++i) {
        REQUIRE(near(p[i], p0[i] - lr * (g[i] + decay * p0[i]), 0, 8 * oracle::epsilon));
      }
      m = m0, p = p0;
      k.adam(n, Real(0.1), Real(0.9), Real(0.99), Real(1e-3), Real(0.5), Real(0.25), Real(0.01), g.data(),
             m.data(), v.data(), p.data());
      for (std::size_t i = 0; i < n; ++i) {
        const double first = momentum * m0[i] + (1 - momentum) * g[i];
        const double second = b2 * v0[i] + (1 - b2) * g[i] * g[i];
        const double step = lr * (first / 0.5) / (std::sqrt(second / 0.25) + Real(1e-3));
        REQUIRE(near(m[i], first, 0, 8 * oracle::epsilon));
        REQUIRE(near(v[i], second, 0, 8 * oracle::epsilon));
        REQUIRE(near(p[i], p0[i] * (1 - lr * decay) - step, 0, 64 * oracle::epsilon));
      }
    }
  });
}
