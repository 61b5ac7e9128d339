#include <algorithm>
#include <cmath>

#include "core/oracle.hpp"

using namespace fovea;
using oracle::at_each_level;
using oracle::infinity;
using oracle::near;
using oracle::not_a_number;
using oracle::Reals;

// The tile kernels of the attention driver, at every level that this CPU can run.

namespace {

const double loose = sizeof(Real) == 4 ? 2e-5 : 1e-13;

void require_near(double got, double want, double scale = 1) {
  INFO(got << ", expected " << want);
  REQUIRE(near(got, want, 0, loose * scale));
}

// What the additive kernels compute, from the formulas.
struct Additive {
  AdditiveShape shape;
  Reals a, b, ea, eb, v, ds;

  Additive(std::size_t rows, std::size_t columns, std::size_t hidden, double size)
      : shape{rows, columns, hidden},
        a(oracle::random(rows * hidden, 1, -size, size)),
        b(oracle::random(hidden * columns, 2, -size, size)),
        ea(exponentials(a)),
        eb(exponentials(b)),
        v(oracle::random(hidden, 3)),
        ds(oracle::random(rows * columns, 4)) {}

  static Reals exponentials(const Reals& x) {
    Reals e(x.size());
    for (std::size_t i = 0; i < x.size(); ++i) {
      const double most = static_cast<double>(additive_high);
      e[i] = static_cast<Real>(std::exp(2 * std::clamp(static_cast<double>(x[i]), -most, most)));
    }
    return e;
  }
  double t(std::size_t i, std::size_t j, std::size_t h) const {
    return std::tanh(static_cast<double>(a[i * shape.hidden + h]) +
                     static_cast<double>(b[h * shape.columns + j]));
  }
};

}  // namespace

TEST_CASE("tile products of every height and width", "[core]") {
  at_each_level([](const Kernels& kernel) {
    for (std::size_t m = 0; m <= 13; ++m) {
      for (std::size_t n : {tile_lanes, 2 * tile_lanes, 3 * tile_lanes}) {
        for (std::size_t k : {0, 1, 7}) {
          for (const bool transposed : {false, true}) {
            for (const bool add : {false, true}) {
              INFO(m << " x " << n << " x " << k << ", transposed " << transposed << ", add " << add);
              const std::size_t row = transposed ? 1 : k + 2, step = transposed ? m + 3 : 1;
              const Reals a = oracle::random(m * (k + 2) + k * (m + 3) + 1, 1),
                          b = oracle::random(k * n + 1, 2);
              Reals c(m * (n + 1) + 1, 7);
              kernel.tile_product(m, n, k, Real(0.5), a.data(), row, step, b.data(), n, add, c.data(), n + 1);
              for (std::size_t i = 0; i < m; ++i) {
                for (std::size_t j = 0; j < n; ++j) {
                  double sum = 0;
                  for (std::size_t p = 0; p < k; ++p)
                    sum += static_cast<double>(a[i * row + p * step]) * static_cast<double>(b[p * n + j]);
                  require_near(static_cast<double>(c[i * (n + 1) + j]), 0.5 * sum + (add ? 7 : 0), 4);
                }
                REQUIRE(c[i * (n + 1) + n] == 7);  // behind the row
              }
              REQUIRE(c.back() == 7);
            }
          }
        }
      }
    }
  });
}

TEST_CASE("an element of a tile product has the same bits wherever it lies", "[core]") {
  at_each_level([](const Kernels& kernel) {
    const std::size_t n = 3 * tile_lanes, k = 37;
    const Reals one = oracle::random(k, 1), column = oracle::random(k, 2);
    for (std::size_t m = 1; m <= 13; ++m) {
      Reals a, b(k * n), c(m * n);
      for (std::size_t i = 0; i < m; ++i) a.insert(a.end(), one.begin(), one.end());
      for (std::size_t i = 0; i < k * n; ++i) b[i] = column[i / n];
      kernel.tile_product(m, n, k, 1, a.data(), k, 1, b.data(), n, false, c.data(), n);
      for (const Real x : c) REQUIRE(x == c[0]);
    }
  });
}

TEST_CASE("additive scores and their gradients", "[core]") {
  at_each_level([](const Kernels& kernel) {
    for (const double size : {2.0, 20.0, 1.2 * static_cast<double>(additive_high)}) {
      for (std::size_t rows : {1, 2, 5}) {
        const std::size_t columns = 3 * tile_lanes, hidden = 8, lanes = kernel.additive_lanes;
        const Additive of(rows, columns, hidden, size);
        INFO("numbers up to " << size << ", " << rows << " rows");
        const std::vector<unsigned char> units(hidden, 1);
        const AdditiveOdd odd{of.a.data(), of.b.data(), units.data()};
        const bool large = size > 30;
        Reals s(rows * columns), da(rows * hidden * lanes, 0), db(hidden * columns, 1), dv(hidden * lanes, 0);
        kernel.additive_scores(of.shape, of.ea.data(), of.eb.data(), of.v.data(), size > 2,
                               large ? &odd : nullptr, s.data());
        kernel.additive_grad(of.shape, of.ea.data(), of.eb.data(), of.ds.data(), size > 2,
                             large ? &odd : nullptr, da.data(), db.data(), dv.data());
        std::vector<double> to_a(rows * hidden), to_b(hidden * columns, 1), to_v(hidden);
        for (std::size_t i = 0; i < rows; ++i) {
          for (std::size_t j = 0; j < columns; ++j) {
            double score = 0;
            for (std::size_t h = 0; h < hidden; ++h) {
              const double t = of.t(i, j, h), d = static_cast<double>(of.ds[i * columns + j]);
              score += static_cast<double>(of.v[h]) * t;
              to_a[i * hidden + h] += d * (1 - t * t) / 4;
              to_b[h * columns + j] += d * (1 - t * t) / 4;
              to_v[h] += d * (1 - t) / 2;
            }
            require_near(static_cast<double>(s[i * columns + j]), score, 10);
          }
        }
        const auto lanes_of = [&](const Reals& x, std::size_t n) {
          double sum = 0;
          for (std::size_t l = 0; l < lanes; ++l) sum += static_cast<double>(x[n * lanes + l]);
          return sum;
        };
        for (std::size_t n = 0; n < to_a.size(); ++n) require_near(lanes_of(da, n), to_a[n], 10);
        for (std::size_t n = 0; n < to_b.size(); ++n) require_near(static_cast<double>(db[n]), to_b[n], 10);
        for (std::size_t n = 0; n < to_v.size(); ++n) require_near(lanes_of(dv, n), to_v[n], 100);
      }
    }
  });
}

TEST_CASE("care changes no bit of a pair that does not need it", "[core]") {
  at_each_level([](const Kernels& kernel) {
    const Additive of(3, 2 * tile_lanes, 8, 3);
    const std::vector<unsigned char> units(8, 1);
    const AdditiveOdd odd{of.a.data(), of.b.data(), units.data()};
    Reals plain(of.ds.size()), careful(plain), with_odd(plain);
    kernel.additive_scores(of.shape, of.ea.data(), of.eb.data(), of.v.data(), false, nullptr, plain.data());
    kernel.additive_scores(of.shape, of.ea.data(), of.eb.data(), of.v.data(), true, nullptr, careful.data());
    kernel.additive_scores(of.shape, of.ea.data(), of.eb.data(), of.v.data(), true, &odd, with_odd.data());
    REQUIRE(plain == careful);
    REQUIRE(plain == with_odd);
  });
}

TEST_CASE("the exponentials of additive attention, and their range", "[core]") {
  at_each_level([](const Kernels& kernel) {
    const Reals x{0,        1,         -2,           10 * additive_high, -10 * additive_high,
                  infinity, -infinity, not_a_number, Real(0.5)};
    Reals e(x.size()), least(x.size(), 1), most(x.size(), Real(-0.5));
    kernel.additive_exponentials(x.size(), x.data(), e.data(), least.data(), most.data());
    const Reals expected = Additive::exponentials(x);
    for (std::size_t i = 0; i < x.size(); ++i) {
      INFO("x is " << x[i]);
      if (std::isnan(x[i])) {
        REQUIRE(std::isnan(e[i]));
        REQUIRE((least[i] == 1 && most[i] == Real(-0.5)));
      } else {
        REQUIRE(near(static_cast<double>(e[i]), static_cast<double>(expected[i]), 8));
        REQUIRE(least[i] == std::min(x[i], Real(1)));
        REQUIRE(most[i] == std::max(x[i], Real(-0.5)));
      }
    }
  });
}

TEST_CASE("a tile is plain where no unit of it comes near a limit", "[core]") {
  at_each_level([](const Kernels& kernel) {
    const Real limit = 10, far = additive_far;
    for (std::size_t n : {0, 1, 7, 8, 9, 16, 17, 33}) {
      INFO(n << " units");
      const Reals a_least(n, -far), a_most(n, 4), b_most(n, limit - 4);
      const auto plain = [&](const Reals& of_a, const Reals& to_a, const Reals& to_b) {
        return kernel.additive_plain(n, of_a.data(), to_a.data(), to_b.data(), limit);
      };
      REQUIRE(plain(a_least, a_most, b_most));  // at the limits, not beyond
      for (std::size_t h = 0; h < n; ++h) {
        INFO("unit " << h);
        const auto with = [&](Reals x, Real value) {
          x[h] = value;
          return x;
        };
        REQUIRE_FALSE(plain(with(a_least, -far - 1), a_most, b_most));
        REQUIRE_FALSE(plain(a_least, a_most, with(b_most, limit - 3)));
        REQUIRE_FALSE(plain(a_least, with(a_most, 5), b_most));
        REQUIRE(plain(a_least, with(a_most, far), with(b_most, limit - far)));
        REQUIRE_FALSE(plain(a_least, with(a_most, far + 1), with(b_most, limit - far - 2)));
        REQUIRE_FALSE(plain(with(a_least, -infinity), a_most, b_most));
        REQUIRE_FALSE(plain(a_least, a_most, with(b_most, infinity)));
      }
    }
  });
}

TEST_CASE("partial sums of additive gradients are added up by lanes", "[core]") {
  at_each_level([](const Kernels& kernel) {
    const std::size_t lanes = kernel.additive_lanes;
    for (std::size_t n : {0, 1, 7, 16, 17}) {
      INFO(n << " units");
      const Reals partial = oracle::random(n * lanes, 1);
      Reals out(n + 1, 7);
      kernel.additive_sums(n, partial.data(), out.data());
      for (std::size_t i = 0; i < n; ++i) {
        double sum = 0;
        for (std::size_t lane = 0; lane < lanes; ++lane)
          sum += static_cast<double>(partial[i * lanes + lane]);
        require_near(static_cast<double>(out[i]), sum, 10);
      }
      REQUIRE(out[n] == 7);  // behind the last
    }
  });
}

TEST_CASE("an exponential has the same bits wherever it stands in its row", "[core]") {
  at_each_level([](const Kernels& kernel) {
    for (const Real x : {Real(-0.3), Real(-1.7), Real(-20)}) {
      for (std::size_t n : {1, 3, 15, 33, 77}) {
        INFO("exp(" << x << "), " << n << " keys");
        Reals p(n, x), one(1, x), online(n, x), online_one(1, x);
        const AttentionRow row{0, Real(0.3), 0, 0, 0};
        kernel.softmax_weights(1, n, p.data(), n, &row);
        kernel.softmax_weights(1, 1, one.data(), 1, &row);
        REQUIRE(p == Reals(n, one[0]));
        SoftmaxRow seen{0, 0, 0};
        Real shrink = 0;
        kernel.online_softmax(1, n, online.data(), n, n % 2 == 0, &seen, &shrink);
        kernel.online_softmax(1, 1, online_one.data(), 1, true, &seen, &shrink);
        REQUIRE(online == Reals(n, online_one[0]));
        REQUIRE(near(static_cast<double>(online_one[0]), std::exp(static_cast<double>(x)), 2));
      }
    }
  });
}

TEST_CASE("an online softmax in pieces is the softmax of the whole row", "[core]") {
  at_each_level([](const Kernels& kernel) {
    for (const std::size_t piece : {1, 5, 16, 40}) {
      const Reals x = oracle::random(40, 5, -30, 30);
      Reals seen;
      SoftmaxRow row{-infinity, 0, 0};
      for (std::size_t at = 0; at < x.size(); at += piece) {
        Reals part(x.begin() + static_cast<std::ptrdiff_t>(at),
                   x.begin() + static_cast<std::ptrdiff_t>(std::min(at + piece, x.size())));
        Real shrink = 0;
        kernel.online_softmax(1, part.size(), part.data(), part.size(), true, &row, &shrink);
        for (Real& y : seen) y *= shrink;
        seen.insert(seen.end(), part.begin(), part.end());
      }
      const double m = static_cast<double>(*std::max_element(x.begin(), x.end()));
      double total = 0, moment = 0;
      for (const Real s : x) total += std::exp(static_cast<double>(s) - m);
      for (const Real s : x) moment += std::exp(static_cast<double>(s) - m) * (static_cast<double>(s) - m);
      require_near(static_cast<double>(row.max), m);
      require_near(row.total, total, 10);
      require_near(row.moment, moment, 10);
      for (std::size_t i = 0; i < x.size(); ++i)
        require_near(static_cast<double>(seen[i]), std::exp(static_cast<double>(x[i]) - m));
    }
    SoftmaxRow row{-infinity, 0, 0};
    Real masked[3] = {-infinity, -infinity, -infinity}, shrink = 0;
    kernel.online_softmax(1, 3, masked, 3, true, &row, &shrink);
    REQUIRE((row.total == 0 && row.moment == 0 && masked[1] == 0));
    Real far[1] = {0}, farther[1] = {2000};
    kernel.online_softmax(1, 1, far, 1, true, &row, &shrink);
    kernel.online_softmax(1, 1, farther, 1, true, &row, &shrink);
    REQUIRE((shrink == 0 && row.total == 1 && row.moment == 0));
  });
}

TEST_CASE("weights, the mean of their cotangents, and the scores' gradients", "[core]") {
  at_each_level([](const Kernels& kernel) {
    const std::size_t n = 19;
    const Reals s = oracle::random(n, 1, -3, 3), dp = oracle::random(n, 2);
    for (const Real of_entropy : {Real(0), Real(0.7)}) {
      const AttentionRow row{Real(2), Real(0.1), Real(-1.5), Real(0.3), of_entropy};
      Reals p = s, ds = dp;
      p[3] = -infinity;
      kernel.softmax_weights(1, n, p.data(), n, &row);
      ds[3] = not_a_number;  // under a weight of 0
      kernel.attention_grad(1, n, p.data(), of_entropy != 0 ? s.data() : nullptr, ds.data(), n, &row);
      for (std::size_t i = 0; i < n; ++i) {
        const double weight = i == 3 ? 0 : 0.1 * std::exp(static_cast<double>(s[i]) - 2);
        require_near(static_cast<double>(p[i]), weight);
        const double d = static_cast<double>(dp[i]) - 0.3 -
                         static_cast<double>(of_entropy) * (static_cast<double>(s[i]) - 2 + 1.5);
        require_near(static_cast<double>(ds[i]), i == 3 ? 0 : weight * d);
      }
    }
    const Reals y{2, not_a_number, 3, 0}, dy{5, 0, Real(0.5), not_a_number}, none(4, 0);
    bool any = false;
    REQUIRE(kernel.inner_product(4, y.data(), none.data(), any) == 0);
    REQUIRE_FALSE(any);
    REQUIRE(kernel.inner_product(4, y.data(), dy.data(), any) == 11.5);
    REQUIRE(any);
    Reals bad(50, 1);
    REQUIRE(kernel.finite(50, bad.data()));
    for (const Real x : {infinity, -infinity, not_a_number}) {
      bad[41] = x;
      REQUIRE_FALSE(kernel.finite(50, bad.data()));
    }
  });
}
