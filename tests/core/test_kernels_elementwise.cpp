#include <cmath>

#include "core/oracle.hpp"

using namespace fovea;
using oracle::at_each_level;
using oracle::infinity;
using oracle::near;
using oracle::not_a_number;
using oracle::Reals;

namespace {

void check_unary(const Kernels&, UnaryKernel kernel, double (*right)(double), const Reals& x, double ulps) {
  Reals y(x.size(), Real(77));
  kernel(x.size(), x.data(), y.data());
  for (std::size_t i = 0; i < x.size(); ++i) {
    INFO("f(" << x[i] << ") = " << y[i] << ", right is " << right(x[i]));
    REQUIRE(near(y[i], right(x[i]), ulps));
  }
  // The same bits at every position: whole vectors and the rest are the same formula.
  for (std::size_t i = 0; i < x.size(); i += 1 + x.size() / 13) {
    Real alone;
    kernel(1, &x[i], &alone);
    REQUIRE(std::memcmp(&alone, &y[i], sizeof(Real)) == 0);
  }
}

/// Random numbers of every size: ± 2^-k … 2^k.
Reals of_all_sizes(std::size_t n, double k, bool positive) {
  Rng rng(n);
  Reals x(n);
  for (Real& v : x) {
    v = static_cast<Real>(std::exp2(rng.uniform(-k, k)) * (positive || rng.chance(0.5) ? 1 : -1));
  }
  return x;
}

double right_exp(double x) { return std::exp(x); }
double right_log(double x) { return std::log(x); }
double right_sqrt(double x) { return std::sqrt(x); }
double right_tanh(double x) { return std::tanh(x); }
double right_sigmoid(double x) { return x < 0 ? std::exp(x) / (1 + std::exp(x)) : 1 / (1 + std::exp(-x)); }
double right_relu(double x) { return x <= 0 ? 0 : x; }
double right_abs(double x) { return std::abs(x); }
double right_softplus(double x) { return right_relu(x) + std::log1p(std::exp(-std::abs(x))); }
double right_normal(double x) { return std::erfc(-x / std::sqrt(2.0)) / 2; }
double right_gelu(double x) { return x * right_normal(x); }

const Reals edges{0,
                  Real(-0.0),
                  1,
                  -1,
                  infinity,
                  -infinity,
                  not_a_number,
                  std::numeric_limits<Real>::max(),
                  std::numeric_limits<Real>::lowest(),
                  std::numeric_limits<Real>::denorm_min(),
                  -std::numeric_limits<Real>::denorm_min(),
                  std::numeric_limits<Real>::min()};

}  // namespace

TEST_CASE("elementary functions are accurate at every level and length", "[core]") {
  const double top = sizeof(Real) == 4 ? 110 : 800;
  at_each_level([&](const Kernels& k) {
    for (std::size_t n : oracle::lengths) {
      check_unary(k, k.exp, right_exp, oracle::random(n, 1, -top, top), 2);
      check_unary(k, k.log, right_log, oracle::random(n, 2, 0, 4), 2);
      check_unary(k, k.sqrt, right_sqrt, oracle::random(n, 3, 0, 100), 1);
      check_unary(k, k.tanh, right_tanh, oracle::random(n, 4, -12, 12), 3);
      check_unary(k, k.sigmoid, right_sigmoid, oracle::random(n, 5, -top, top), 3);
      check_unary(k, k.relu, right_relu, oracle::random(n, 6), 0);
      check_unary(k, k.abs, right_abs, oracle::random(n, 7), 0);
      check_unary(k, k.softplus, right_softplus, oracle::random(n, 8, -top, top), 6);
      check_unary(k, k.softplus, right_softplus, oracle::random(n, 9, -40, 40), 6);
      check_unary(k, k.gelu, right_gelu, oracle::random(n, 10, -0.5, 12), 6);
    }
    const double exponents = sizeof(Real) == 4 ? 140 : 1060;
    check_unary(k, k.exp, right_exp, of_all_sizes(20001, 12, false), 2);
    check_unary(k, k.log, right_log, of_all_sizes(20001, exponents, true), 2);
    check_unary(k, k.tanh, right_tanh, of_all_sizes(20001, exponents, false), 3);
    check_unary(k, k.tanh, right_tanh, of_all_sizes(20001, 4, false), 3);
    check_unary(k, k.sigmoid, right_sigmoid, of_all_sizes(20001, 12, false), 3);
    check_unary(k, k.exp, right_exp, edges, 2);
    check_unary(k, k.log, right_log, edges, 2);
    check_unary(k, k.sqrt, right_sqrt, edges, 1);
    check_unary(k, k.tanh, right_tanh, edges, 2);
    check_unary(k, k.sigmoid, right_sigmoid, edges, 2);
    check_unary(k, k.relu, right_relu, edges, 0);
    check_unary(k, k.abs, right_abs, edges, 0);
    check_unary(k, k.softplus, right_softplus, edges, 2);
  });
}

TEST_CASE("limits of elementary functions are exact", "[core]") {
  at_each_level([](const Kernels& k) {
    const auto at = [](UnaryKernel f, Real x) {
      f(1, &x, &x);
      return x;
    };
    CHECK(at(k.exp, -infinity) == 0);
    CHECK(at(k.exp, infinity) == infinity);
    CHECK(at(k.exp, 0) == 1);
    CHECK(at(k.exp, sizeof(Real) == 4 ? Real(-100) : Real(-740)) > 0);  // denormal
    CHECK(at(k.tanh, infinity) == 1);
    CHECK(at(k.tanh, -infinity) == -1);
    CHECK(std::signbit(at(k.tanh, Real(-0.0))));
    CHECK_FALSE(std::signbit(at(k.relu, Real(-0.0))));
    CHECK_FALSE(std::signbit(at(k.abs, Real(-0.0))));
    CHECK(at(k.sigmoid, -infinity) == 0);
    CHECK(at(k.sigmoid, infinity) == 1);
    CHECK(at(k.log, 0) == -infinity);
    CHECK(at(k.log, 1) == 0);
    CHECK(std::isnan(at(k.log, -1)));
    for (UnaryKernel f : {k.exp, k.log, k.sqrt, k.tanh, k.sigmoid, k.relu})
      CHECK(std::isnan(at(f, not_a_number)));
  });
}

TEST_CASE("derivatives of elementary functions", "[core]") {
  struct Row {
    const char* name;
    PairKernel kernel;
    double (*right)(double known, double dy);
    double lo, hi;
  };
  at_each_level([](const Kernels& k) {
    const Row rows[] = {
        {"exp", k.exp_grad, [](double y, double dy) { return dy * y; }, 0, 9},
        {"log", k.log_grad, [](double x, double dy) { return dy / x; }, 0.1, 9},
        {"sqrt", k.sqrt_grad, [](double y, double dy) { return dy / (2 * y); }, 0.1, 9},
        {"tanh", k.tanh_grad, [](double y, double dy) { return dy * (1 - y) * (1 + y); }, -1, 1},
        {"sigmoid", k.sigmoid_grad, [](double y, double dy) { return dy * y * (1 - y); }, 0, 1},
        {"relu", k.relu_grad, [](double y, double dy) { return y > 0 ? dy : 0; }, -1, 1},
        {"abs", k.abs_grad, [](double x, double dy) { return x > 0 ? dy : -dy; }, -1, 1},
        {"square", k.square_grad, [](double x, double dy) { return 2 * x * dy; }, -10, 10},
        {"softplus", k.softplus_grad, [](double x, double dy) { return dy * right_sigmoid(x); }, -9, 9},
        {"gelu", k.gelu_grad,
         [](double x, double dy) {
           return dy * (right_normal(x) + x * std::exp(-x * x / 2) * 0.3989422804014327);
         },
         0, 9},
    };
    for (const Row& row : rows) {
      for (std::size_t n : oracle::lengths) {
        const Reals known = oracle::random(n, 1, row.lo, row.hi), dy = oracle::random(n, 2);
        Reals dx(n);
        row.kernel(n, known.data(), dy.data(), dx.data());
        for (std::size_t i = 0; i < n; ++i) {
          const double right = row.right(known[i], dy[i]);
          INFO(row.name << " at " << known[i] << ": " << dx[i] << ", expected " << right);
          REQUIRE(near(dx[i], right, 4));
        }
      }
      INFO(row.name);
      for (Real known : {Real(0), infinity, -infinity, not_a_number}) {
        const Real dy[2] = {0, 1};
        const Real both[2] = {known, known};
        Real dx[2] = {7, 7};
        row.kernel(2, both, dy, dx);
        CHECK(dx[0] == 0);
        if (std::isnan(known)) CHECK(std::isnan(dx[1]));
      }
    }
  });
}

TEST_CASE("derivatives at the kink are 0", "[core]") {
  at_each_level([](const Kernels& k) {
    for (PairKernel f : {k.relu_grad, k.abs_grad}) {
      const Real known = 0, dy = 3;
      Real dx = 7;
      f(1, &known, &dy, &dx);
      CHECK(dx == 0);
    }
  });
}

TEST_CASE("binary kernels with every pair of steps", "[core]") {
  struct Row {
    BinaryKernel kernel;
    double (*right)(double, double);
  };
  at_each_level([](const Kernels& k) {
    const Row rows[] = {
        {k.add, [](double a, double b) { return a + b; }},
        {k.sub, [](double a, double b) { return a - b; }},
        {k.mul, [](double a, double b) { return a * b; }},
        {k.div, [](double a, double b) { return a / b; }},
        {k.mul_or_zero, [](double a, double b) { return a == 0 ? 0 : a * b; }},
        {k.div_or_zero, [](double a, double b) { return a == 0 ? 0 : a / b; }},
    };
    for (const Row& row : rows) {
      for (std::size_t n : oracle::lengths) {
        for (std::size_t steps = 0; steps < 4; ++steps) {
          const std::size_t sa = steps & 1, sb = steps >> 1;
          const Reals a = oracle::random(n + 1, 1), b = oracle::random(n + 1, 2);
          Reals out(n + 1, Real(77));
          row.kernel(n, a.data(), sa, b.data(), sb, out.data());
          for (std::size_t i = 0; i < n; ++i) REQUIRE(near(out[i], row.right(a[i * sa], b[i * sb]), 1));
          REQUIRE(out[n] == 77);
        }
      }
      const Reals a(9, Real(0)),
          b{0, infinity, -infinity, not_a_number, 1, 0, infinity, -infinity, not_a_number};
      Reals out(9);
      row.kernel(9, a.data(), 1, b.data(), 1, out.data());
      for (std::size_t i = 0; i < 9; ++i) REQUIRE(near(out[i], row.right(a[i], b[i]), 0));
    }
  });
}

TEST_CASE("scale, add_scaled and add_into", "[core]") {
  at_each_level([](const Kernels& k) {
    for (std::size_t n : oracle::lengths) {
      const Reals x = oracle::random(n, 1), y = oracle::random(n, 2);
      Reals scaled(n), added = y, summed = y;
      k.scale(n, 3, x.data(), scaled.data());
      k.add_scaled(n, 3, x.data(), added.data());
      k.add_into(n, x.data(), summed.data());
      for (std::size_t i = 0; i < n; ++i) {
        REQUIRE(scaled[i] == 3 * x[i]);
        REQUIRE(near(added[i], y[i] + 3.0 * x[i], 1, 1e-6));
        REQUIRE(summed[i] == y[i] + x[i]);
      }
    }
  });
}

TEST_CASE("the levels are named and lowest first", "[core]") {
  const auto all = supported_kernels();
  REQUIRE_FALSE(all.empty());
  CHECK(all.front()->level == std::string("plain"));
  if (!std::getenv("FOVEA_LEVEL")) CHECK(kernels().level == std::string(all.back()->level));
}
