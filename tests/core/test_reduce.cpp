#include <cmath>

#include "core/elementwise.hpp"
#include "core/oracle.hpp"
#include "core/reduce.hpp"

using namespace fovea;
using namespace fovea::numbers;  // functions of plain tensors
using oracle::at_each_level;
using oracle::near;
using oracle::Reals;

TEST_CASE("sums of a row and of its squares", "[core]") {
  at_each_level([](const Kernels& k) {
    for (std::size_t n : oracle::lengths) {
      const Reals x = oracle::random(n, 1);
      double sum = 0, squares = 0;
      for (std::size_t i = 0; i < n; ++i) {
        sum += x[i];
        squares += static_cast<double>(x[i]) * x[i];
      }
      CHECK(k.sum(n, x.data()) == Approx(sum).margin(1e-12));
      CHECK(k.sum_squares(n, x.data()) == Approx(squares).margin(1e-12));
    }
  });
}

TEST_CASE("sums of columns with a stride", "[core]") {
  at_each_level([](const Kernels& k) {
    for (std::size_t n : oracle::lengths) {
      for (std::size_t rows : {0u, 1u, 5u}) {
        const std::size_t stride = n + 3;
        const Reals x = oracle::random(rows * stride, 1);
        Reals out(n, Real(77));
        std::vector<double> total(n, 1.0);
        k.sum_columns(rows, n, x.data(), stride, out.data());
        k.add_columns(rows, n, x.data(), stride, total.data());
        for (std::size_t i = 0; i < n; ++i) {
          double right = 0;
          for (std::size_t r = 0; r < rows; ++r) right += x[r * stride + i];
          REQUIRE(near(out[i], right, 1, 1e-15));
          REQUIRE(total[i] == Approx(1 + right));
        }
      }
    }
  });
}

TEST_CASE("many ones add up", "[core]") {
  const std::size_t n = std::size_t{1} << 25;
  const Tensor ones = filled({n}, 1);
  CHECK(sum_all(ones).data()[0] == Real(33554432));
  CHECK(numbers::sum(ones, 0, false).data()[0] == Real(33554432));
  CHECK(sum_squares(ones) == 33554432.0);
  Tensor columns = ones;
  columns.reshape(Shape{n / 2, 2});
  CHECK(numbers::sum(columns, 0, false).data()[1] == Real(16777216));
  CHECK(sum_to(columns, {1, 1}).data()[0] == Real(33554432));
}

TEST_CASE("sum and max along each axis", "[core]") {
  const std::vector<Shape> shapes{{5},          {1},          {0},       {3, 4},     {3, 0},
                                  {0, 3},       {2, 3, 4},    {7, 1, 5}, {40, 1000}, {1000, 3000},
                                  {3, 600, 64}, {60, 2, 900}, {30000, 2}};
  for (const Shape& shape : shapes) {
    const Tensor x = oracle::random_tensor(shape, 1);
    for (std::size_t axis = 0; axis < shape.size(); ++axis) {
      INFO("shape " << to_string(shape) << ", axis " << axis);
      const auto [outer, length, inner] = view_from(shape, axis);
      std::vector<double> sums;
      for (std::size_t o = 0; o < outer; ++o) {
        for (std::size_t i = 0; i < inner; ++i) {
          double total = 0;
          for (std::size_t j = 0; j < length; ++j) total += x.data()[(o * length + j) * inner + i];
          sums.push_back(total);
        }
      }
      const Tensor kept = numbers::sum(x, axis, true), dropped = numbers::sum(x, axis, false);
      CHECK(kept.shape() == without_axis(shape, axis, true));
      CHECK(dropped.shape() == without_axis(shape, axis, false));
      oracle::check_values(kept, sums, 2, 1e-10);
      oracle::check_values(dropped, sums, 2, 1e-10);
      oracle::same_for_any_threads([&, a = axis] { return numbers::sum(x, a, false); });
    }
    oracle::same_for_any_threads([&] { return sum_all(x); });
    oracle::same_for_any_threads([&] { return scalar(static_cast<Real>(sum_squares(x))); });
  }
}
