#include <functional>
#include <limits>

#include <catch2/catch.hpp>

#include "autograd/engine.hpp"
#include "autograd/ops.hpp"
#include "compare.hpp"
#include "core/draw.hpp"

// A product in which a zero leaves out what it multiplies, whatever that is; what is not left out counts.

using namespace fovea;

namespace {

constexpr std::size_t items = 3, queries = 2, keys = 4, width = 5;
constexpr Real inf = std::numeric_limits<Real>::infinity(),
               not_a_number = std::numeric_limits<Real>::quiet_NaN();

using Element = std::function<double(std::size_t item, std::size_t row, std::size_t column)>;

// The sum of the terms whose first factor (or either) is not 0, for each item.
Tensor product(std::size_t m, std::size_t k, std::size_t n, const Element& a, const Element& b, bool either) {
  Tensor y = zeros({items, m, n});
  for (std::size_t at = 0; at < y.size(); ++at) {
    const std::size_t item = at / (m * n), i = at / n % m, j = at % n;
    double total = 0;
    for (std::size_t l = 0; l < k; ++l) {
      const double left = a(item, i, l), right = b(item, l, j);
      if (left != 0 && !(either && right == 0)) total += left * right;
    }
    y.data()[at] = static_cast<Real>(total);
  }
  return y;
}

Element elements(const Tensor& x) {
  return [&x](std::size_t item, std::size_t i, std::size_t j) {
    const std::size_t rows = x.shape()[1], columns = x.shape()[2];
    return static_cast<double>(x.data()[(x.shape()[0] == 1 ? 0 : item) * rows * columns + i * columns + j]);
  };
}

Element turned(const Element& x) {
  return [x](std::size_t item, std::size_t i, std::size_t j) { return x(item, j, i); };
}

Tensor drawn(const Shape& shape, std::uint64_t seed) {
  Rng rng(seed);
  return normal(rng, shape, 0, 1);
}

Real& element(Tensor& x, std::size_t item, std::size_t i, std::size_t j) {
  return x.data()[(item * x.shape()[1] + i) * x.shape()[2] + j];
}

}  // namespace

TEST_CASE("a weighted sum leaves out what a zero weighs, and nothing else, in each item", "[autograd]") {
  for (const std::size_t owners : {items, std::size_t{1}}) {  // values of each item, and shared ones
    INFO("values of " << owners << " items");
    Tensor w = drawn({items, queries, keys}, 1), v = drawn({owners, keys, width}, 2);
    Tensor dy = drawn({items, queries, width}, 3);
    const std::size_t last = owners - 1;
    element(v, last, 3, 0) = inf;
    element(v, last, 3, 1) = -inf;
    element(v, last, 1, 2) = not_a_number;
    element(w, 0, 0, 3) = element(w, 0, 1, 1) = element(w, 1, 1, 3) = element(w, 2, 0, 3) = 0;
    element(w, 2, 0, 1) = 0;
    element(dy, 1, 0, 0) = element(dy, 2, 1, 0) = element(dy, 2, 1, 2) = 0;
    element(dy, 1, 1, 4) = -inf;
    element(dy, 2, 0, 3) = not_a_number;

    const Variable weights = Variable::leaf(Tensor(w)), values = Variable::leaf(Tensor(v));
    const Variable y = weighted_sum(weights, values);
    CHECK_THAT(y.value(), close_to(product(queries, keys, width, elements(w), elements(v), false)));
    backward(y, dy);
    CHECK_THAT(*weights.grad(),
               close_to(product(queries, width, keys, elements(dy), turned(elements(v)), false)));
    const Tensor each = product(keys, queries, width, turned(elements(w)), elements(dy), true);
    CHECK_THAT(*values.grad(), close_to(owners == items ? each : sum(Variable(each), 0, true).value()));
  }
}

TEST_CASE("gradients of a batched matmul leave out what a zero cotangent meets, in each item", "[autograd]") {
  Tensor a = drawn({items, queries, keys}, 1), b = drawn({items, keys, width}, 2);
  Tensor dy = drawn({items, queries, width}, 3);
  element(a, 1, 0, 2) = inf;
  element(a, 2, 1, 3) = not_a_number;
  element(b, 1, 2, 4) = -inf;
  element(b, 2, 0, 1) = not_a_number;
  for (std::size_t d = 0; d < width; ++d) element(dy, 2, 1, d) = 0;
  element(dy, 1, 1, 4) = element(dy, 1, 0, 3) = 0;
  const Variable left = Variable::leaf(Tensor(a)), right = Variable::leaf(Tensor(b));
  backward(matmul(left, right), dy);
  CHECK_THAT(*left.grad(), close_to(product(queries, width, keys, elements(dy), turned(elements(b)), false)));
  const Tensor to_right = product(width, queries, keys, turned(elements(dy)), elements(a), false);
  CHECK_THAT(*right.grad(), close_to(permute(Variable(to_right), {0, 2, 1}).value()));
}
