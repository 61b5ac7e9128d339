#include "core/check.hpp"
#include "core/oracle.hpp"

// A kernel gets bare pointers: what it writes behind the last element is somebody else's.

using namespace fovea;
using oracle::at_each_level;
using oracle::not_a_number;
using oracle::Reals;

namespace {

constexpr std::size_t rows = 3;
constexpr Real untouched = 77;

// Calls `write(out)` with room for `count` elements, and looks at the element behind them.
template <class T = Real, class Write>
void fenced(std::size_t count, const Write& write) {
  std::vector<T> out(count + 1, static_cast<T>(untouched));
  write(out.data());
  CHECK(out[count] == static_cast<T>(untouched));
}

// Numbers for a kernel to read: one more than it should.
Reals inputs(std::size_t count, std::uint64_t seed) { return oracle::random(count + 1, seed, 0.1, 2); }

}  // namespace

TEST_CASE("a table of kernels is whole, or refused", "[core]") {
  at_each_level([](const Kernels& k) {
    CHECK_NOTHROW(check_whole(k));
    Kernels without = k;
    without.gelu_grad = nullptr;
    CHECK_THROWS_AS(check_whole(without), Error);
    CHECK_THROWS_WITH(check_whole(without), Catch::Contains(k.level));
    without = k;
    without.adam = nullptr;
    CHECK_THROWS_AS(check_whole(without), Error);
  });
}

TEST_CASE("elementwise kernels write n elements and no more", "[core]") {
  at_each_level([](const Kernels& k) {
    for (std::size_t n : oracle::lengths) {
      const Reals a = inputs(n, 1), b = inputs(n, 2);
      for (UnaryKernel f :
           {k.exp, k.log, k.sqrt, k.tanh, k.sigmoid, k.relu, k.abs, k.softplus, k.gelu, k.round_to_bf16})
        fenced(n, [&](Real* y) { f(n, a.data(), y); });
      for (PairKernel f : {k.exp_grad, k.log_grad, k.sqrt_grad, k.tanh_grad, k.sigmoid_grad, k.relu_grad,
                           k.abs_grad, k.square_grad, k.softplus_grad, k.gelu_grad})
        fenced(n, [&](Real* dx) { f(n, a.data(), b.data(), dx); });
      fenced<std::uint16_t>(n, [&](std::uint16_t* y) { k.to_bf16(n, a.data(), y); });
      fenced(n, [&](Real* y) { k.scale(n, 3, a.data(), y); });
      fenced(n, [&](Real* y) { k.add_scaled(n, 3, a.data(), y); });
      fenced(n, [&](Real* y) { k.add_into(n, a.data(), y); });
    }
    for (std::size_t blocks : {std::size_t{1}, std::size_t{16}, std::size_t{17}, std::size_t{33}})
      fenced<std::uint32_t>(4 * blocks, [&](std::uint32_t* out) { k.philox(blocks, 1, 2, 3, out); });
  });
}

TEST_CASE("kernels of rows write their rows and no more", "[core]") {
  at_each_level([](const Kernels& k) {
    for (std::size_t n : oracle::lengths) {
      const std::size_t all = rows * n;
      const Reals x = inputs(all, 1), dy = inputs(all, 2), odd(all + 1, not_a_number), none(all + 1, Real(0));
      const Reals dh = inputs(rows, 4);
      const std::vector<unsigned char> keep(all + 1, 1);
      fenced(all, [&](Real* y) { k.softmax(rows, n, x.data(), y); });
      fenced(all, [&](Real* y) { k.masked_softmax(rows, n, x.data(), keep.data(), n, y); });
      fenced(all, [&](Real* dx) { k.softmax_grad(rows, n, x.data(), dy.data(), dx); });
      fenced(all, [&](Real* dx) { k.softmax_grad(rows, n, odd.data(), none.data(), dx); });
      fenced(all, [&](Real* y) { k.log_softmax(rows, n, x.data(), y); });
      fenced(all, [&](Real* dx) { k.log_softmax_grad(rows, n, x.data(), dy.data(), dx); });
      fenced(rows, [&](Real* h) { k.entropy(rows, n, x.data(), h); });
      fenced(all, [&](Real* dp) { k.entropy_grad(rows, n, x.data(), dh.data(), dp); });
      fenced(n, [&](Real* out) { k.sum_columns(rows, n, x.data(), n, out); });
      fenced<double>(n, [&](double* total) { k.add_columns(rows, n, x.data(), n, total); });
      fenced(all, [&](Real* out) { k.transpose(rows, n, x.data(), n, out, rows); });
      fenced(all, [&](Real* out) { k.transpose(n, rows, x.data(), rows, out, n); });
      if (n > 100) continue;
      const Reals square = inputs(n * n, 3);
      fenced(n * n, [&](Real* out) { k.transpose(n, n, square.data(), n, out, n); });
    }
  });
}

TEST_CASE("kernels with several results write each and no more", "[core]") {
  at_each_level([](const Kernels& k) {
    for (std::size_t n : oracle::lengths) {
      if (n == 0) continue;
      const std::size_t all = rows * n;
      const Reals x = inputs(all, 1), dy = inputs(all, 2), g = inputs(n, 3), moments = inputs(rows, 4);
      const Reals left = inputs(rows * 2, 5);
      for (std::size_t last : {std::size_t{0}, n}) {  // a class, and what is past the last class
        const std::size_t target[rows] = {0, n - 1, last};
        fenced(rows, [&](Real* loss) {
          fenced(rows, [&](Real* lse) { k.cross_entropy(rows, n, x.data(), target, loss, lse); });
        });
        fenced(all, [&](Real* dx) {
          k.cross_entropy_grad(rows, n, x.data(), target, moments.data(), dy.data(), dx);
        });
      }
      for (const Real* gain : {g.data()}) {
        for (const Real* bias : {g.data()}) {
          fenced(all, [&](Real* y) {
            fenced(rows, [&](Real* mean) {
              fenced(rows, [&](Real* rstd) {
                k.layer_norm(rows, n, x.data(), gain, bias, Real(0.1), y, mean, rstd);
              });
            });
          });
        }
        fenced(all, [&](Real* dx) {
          fenced<double>(n, [&](double* dgain) {
            fenced<double>(n, [&](double* dbias) {
              k.layer_norm_grad(rows, n, x.data(), gain, moments.data(), moments.data(), dy.data(), dx, dgain,
                                dbias);
            });
          });
        });
      }
      fenced(all, [&](Real* y) {
        fenced(rows, [&](Real* norm) { k.l2_normalize(rows, n, x.data(), Real(0.1), y, norm); });
      });
      fenced(all, [&](Real* dx) {
        k.l2_normalize_grad(rows, n, x.data(), moments.data(), Real(0.1), dy.data(), dx);
      });
      for (bool transposed : {false, true}) {
        for (Real beta : {Real(0), Real(1), Real(2)}) {
          fenced(all, [&](Real* c) {
            k.small_gemm(rows, n, 2, 1, left.data(), 2, false, x.data(), transposed ? 2 : n, transposed, beta,
                         c, n);
          });
        }
      }
    }
  });
}

TEST_CASE("kernels of additive attention write their units and no more", "[core]") {
  at_each_level([](const Kernels& k) {
    for (std::size_t n : oracle::lengths) {
      const Reals x = inputs(n, 1), partial = inputs(n * k.additive_lanes, 2);
      fenced(n, [&](Real* out) { k.additive_sums(n, partial.data(), out); });
      fenced(n, [&](Real* out) {
        fenced(n, [&](Real* least) {
          fenced(n, [&](Real* most) { k.additive_exponentials(n, x.data(), out, least, most); });
        });
      });
    }
  });
}

TEST_CASE("steps of recurrent layers write their units and no more", "[core]") {
  at_each_level([](const Kernels& k) {
    for (std::size_t n : oracle::lengths) {
      const Reals x = inputs(4 * n, 1), u = inputs(4 * n, 2), c = inputs(n, 3), h = inputs(n, 4);
      fenced(4 * n, [&](Real* gates) {
        fenced(n, [&](Real* after) {
          fenced(n, [&](Real* to) { k.lstm_cell(n, x.data(), u.data(), c.data(), gates, after, to); });
          k.gru_cell(n, x.data(), u.data(), u.data(), h.data(), gates, after);
        });
      });
      fenced(4 * n, [&](Real* d) {
        fenced(n, [&](Real* dc) {
          k.lstm_cell_grad(n, x.data(), c.data(), c.data(), h.data(), h.data(), dc, d);
        });
      });
      fenced(3 * n, [&](Real* dv) {
        fenced(n, [&](Real* dx) {
          fenced(n, [&](Real* dh) { k.gru_cell_grad(n, x.data(), h.data(), h.data(), dh, dv, dx); });
        });
      });
    }
  });
}

TEST_CASE("steps of the optimisers change n elements and no more", "[core]") {
  at_each_level([](const Kernels& k) {
    for (std::size_t n : oracle::lengths) {
      const Reals g = inputs(n, 1);
      const Real rate = Real(0.1), b = Real(0.9), eps = Real(1e-3);
      fenced(n, [&](Real* p) { k.sgd(n, rate, 0, false, rate, g.data(), nullptr, p); });
      fenced(n, [&](Real* p) {
        fenced(n, [&](Real* m) { k.sgd(n, rate, b, true, rate, g.data(), m, p); });
        fenced(n, [&](Real* v) { k.rmsprop(n, rate, b, eps, 0, rate, g.data(), v, nullptr, p); });
        fenced(n, [&](Real* v) { k.adagrad(n, rate, eps, rate, g.data(), v, p); });
        fenced(n, [&](Real* m) { k.lion(n, rate, b, b, rate, g.data(), m, p); });
        fenced(n, [&](Real* m) {
          fenced(n, [&](Real* v) { k.rmsprop(n, rate, b, eps, b, rate, g.data(), v, m, p); });
          fenced(n, [&](Real* v) { k.adam(n, rate, b, b, eps, b, b, rate, g.data(), m, v, p); });
        });
      });
    }
  });
}
