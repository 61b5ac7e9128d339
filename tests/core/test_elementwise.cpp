#include <cmath>

#include "core/elementwise.hpp"
#include "core/oracle.hpp"

using namespace fovea;
using namespace fovea::numbers;  // functions of plain tensors

namespace {

/// Offset of element `flat` of `shape` in a tensor that is repeated to it.
std::size_t source_of(std::size_t flat, const Shape& shape, const Shape& from) {
  std::size_t offset = 0, stride = 1;
  for (std::size_t i = shape.size(); i-- > 0;) {
    const std::size_t at = flat % shape[i];
    flat /= shape[i];
    if (i + from.size() < shape.size()) continue;
    const std::size_t length = from[i + from.size() - shape.size()];
    offset += length == 1 ? 0 : at * stride;
    stride *= length;
  }
  return offset;
}

const std::vector<std::pair<Shape, Shape>> pairs{{{}, {}},
                                                 {{3}, {}},
                                                 {{}, {2, 3}},
                                                 {{4, 5}, {4, 5}},
                                                 {{4, 5}, {5}},
                                                 {{4, 5}, {4, 1}},
                                                 {{4, 1}, {1, 5}},
                                                 {{2, 3, 4}, {3, 1}},
                                                 {{2, 3, 4}, {2, 1, 4}},
                                                 {{2, 1, 4}, {1, 3, 1}},
                                                 {{0, 3}, {3}},
                                                 {{0, 3}, {1, 1}},
                                                 {{3, 0}, {3, 1}},
                                                 {{1, 1, 1}, {1}},
                                                 {{2, 3, 4, 5}, {2, 1, 4, 1}},
                                                 {{2, 3, 4, 5}, {1, 3, 1, 5}},
                                                 {{1}, {1, 1, 7}},
                                                 {{300, 200}, {200}},
                                                 {{3, 50000}, {3, 1}},
                                                 {{3, 50000}, {50000}},
                                                 {{3, 1}, {50000}},
                                                 {{2, 2, 2, 2, 2, 2}, {2, 1, 2, 1, 2, 1}}};

}  // namespace

TEST_CASE("binary follows numpy's broadcasting", "[core]") {
  for (auto [first, second] : pairs) {
    for (bool swapped : {false, true}) {
      if (swapped) std::swap(first, second);
      INFO(to_string(first) << " and " << to_string(second));
      const Tensor a = oracle::random_tensor(first, 1), b = oracle::random_tensor(second, 2);
      Shape shape;
      REQUIRE(broadcast(first, second, shape));
      const Tensor out = binary(kernels().sub, a, b);
      REQUIRE(out.shape() == shape);
      for (std::size_t i = 0; i < out.size(); ++i) {
        const Real want = a.data()[source_of(i, shape, first)] - b.data()[source_of(i, shape, second)];
        if (out.data()[i] != want) FAIL("element " << i);
      }
      const Tensor wide = broadcast_to(a, shape);
      REQUIRE(wide.shape() == shape);
      for (std::size_t i = 0; i < wide.size(); ++i) {
        if (wide.data()[i] != a.data()[source_of(i, shape, first)]) FAIL("element " << i);
      }
      oracle::same_for_any_threads([&] { return binary(kernels().div, a, b); });
    }
  }
}

TEST_CASE("sum_to is the adjoint of broadcasting", "[core]") {
  for (auto [first, second] : pairs) {
    for (bool swapped : {false, true}) {
      if (swapped) std::swap(first, second);
      INFO(to_string(first) << " and " << to_string(second));
      Shape shape;
      REQUIRE(broadcast(first, second, shape));
      const Tensor g = oracle::random_tensor(shape, 3);
      std::vector<double> want(volume(first), 0.0);
      for (std::size_t i = 0; i < g.size(); ++i) want[source_of(i, shape, first)] += g.data()[i];
      const Tensor got = sum_to(g, first);
      REQUIRE(got.shape() == first);
      oracle::check_values(got, want, 1, 1e-10);
      oracle::same_for_any_threads([&, target = first] { return sum_to(g, target); });
    }
  }
}

TEST_CASE("map, scale and add_into over whole tensors", "[core]") {
  for (const Shape& shape : {Shape{}, Shape{0}, Shape{3, 5}, Shape{300, 301}}) {
    const Tensor x = oracle::random_tensor(shape, 1), y = oracle::random_tensor(shape, 2);
    const Tensor t = map(kernels().tanh, x), g = map2(kernels().tanh_grad, t, y), s = scale(x, 3);
    Tensor acc = y;
    add_into(acc, x);
    REQUIRE((t.shape() == shape && g.shape() == shape && s.shape() == shape && acc.shape() == shape));
    for (std::size_t i = 0; i < x.size(); ++i) {
      const double right = std::tanh(static_cast<double>(x.data()[i]));
      if (!oracle::near(t.data()[i], right, 3)) FAIL("tanh at " << i);
      if (!oracle::near(g.data()[i], y.data()[i] * (1 - right * right), 32)) FAIL("gradient at " << i);
      if (s.data()[i] != 3 * x.data()[i]) FAIL("scale at " << i);
      if (acc.data()[i] != x.data()[i] + y.data()[i]) FAIL("sum at " << i);
    }
    oracle::same_for_any_threads([&] { return map(kernels().exp, x); });
  }
}
