#include <limits>

#include <catch2/catch.hpp>

#include "autograd/gradcheck.hpp"
#include "autograd/ops.hpp"
#include "autograd/record.hpp"
#include "compare.hpp"
#include "core/elementwise.hpp"
#include "core/kernels/choose.hpp"

using namespace fovea;

namespace {

const Op bad_square_op{"test_bad_square"};

// x² with a gradient of x instead of 2x.
Variable bad_square(const Variable& x) {
  return record(
      bad_square_op, numbers::binary(kernels().mul, x.value(), x.value()),
      Wrt{x, [x = x.shared()](const Tensor& dy) { return numbers::binary(kernels().mul, dy, *x); }});
}

const Op steep_op{"test_steep"};

// x with an infinite gradient.
Variable steep(const Variable& x) {
  return record(
      steep_op, Tensor(x.value()),
      Wrt{x, [](const Tensor& dy) { return filled(dy.shape(), std::numeric_limits<Real>::infinity()); }});
}

}  // namespace

TEST_CASE("gradcheck refuses single precision and random functions", "[autograd]") {
  const std::vector<Tensor> inputs = {filled({64}, 2)};
  if (sizeof(Real) < 8) {
    CHECK_THROWS_WITH(gradcheck([](auto in) { return exp(in[0]); }, inputs), Catch::Contains("fovea::f64"));
    return;
  }
  Rng rng(1);
  CHECK_THROWS_WITH(gradcheck([&](auto in) { return dropout(in[0], 0.5, rng); }, inputs),
                    Catch::Contains("random"));
}

TEST_CASE("gradcheck finds a wrong formula and says where", "[autograd]") {
  if (sizeof(Real) < 8) return;
  Param good(tensor({2}, {1, 2})), bad(tensor({3}, {1, 2, 3}));
  const std::vector<NamedParam> params = {{"good", &good, true}, {"layer.bad", &bad, true}};
  const auto report = gradcheck(params, [&] { return add(sum(exp(good.variable())), sum(bad_square(bad))); });
  CHECK_FALSE(report.passed);
  REQUIRE(report.tensors.size() == 2);
  CHECK(report.tensors[0].failed == 0);
  CHECK(report.tensors[1].failed == 3);
  CHECK(report.tensors[1].relative_error == Approx(0.5));
  CHECK_THAT(report.text(), Catch::Contains("layer.bad") && Catch::Contains("FAILED"));
  CHECK(bad.value().data()[1] == 2);
}

TEST_CASE("gradcheck fails when a gradient is not a number", "[autograd]") {
  if (sizeof(Real) < 8) return;
  const auto report = gradcheck([](auto in) { return log(in[0]); }, {tensor({1}, {-1})});
  CHECK_FALSE(report.passed);
}

TEST_CASE("gradcheck takes an infinite gradient for no number", "[autograd]") {
  if (sizeof(Real) < 8) return;
  CHECK_FALSE(gradcheck([](auto in) { return steep(in[0]); }, {tensor({1}, {2})}).passed);
}

TEST_CASE("the report names the element that is not a number", "[autograd]") {
  if (sizeof(Real) < 8) return;
  const auto report = gradcheck([](auto in) { return log(in[0]); }, {tensor({3}, {-1, 1, 2})});
  CHECK(report.tensors[0].index == 0);
}

TEST_CASE("a loss that throws leaves the parameters as they were", "[autograd]") {
  if (sizeof(Real) < 8) return;
  Param weight(tensor({2}, {Real(0.1), 2}));
  const Tensor before = weight.value();
  int calls = 0;
  const auto loss = [&]() -> Variable {
    if (++calls == 5) throw Error("stop");
    return sum(exp(weight.variable()));
  };
  CHECK_THROWS_WITH(gradcheck(std::vector<NamedParam>{{"weight", &weight}}, loss), "stop");
  CHECK(calls == 5);
  CHECK(same_bits(weight.value(), before));
}

// Cases pytorch#114333, torch-rnn#116.
TEST_CASE("gradcheck takes a seeded dropout and a broadcast input, and reports in numbers", "[autograd]") {
  if (sizeof(Real) < 8) return;
  const auto seeded = gradcheck(
      [](auto in) {
        Rng rng(3);
        return dropout(mul(in[0], in[1]), 0.5, rng);
      },
      {filled({4, 3}, 2), tensor({3}, {1, 2, 3})});
  INFO(seeded.text());
  CHECK(seeded.passed);
  REQUIRE(seeded.tensors.size() == 2);
  CHECK(seeded.tensors[0].checked == 12);
  CHECK(seeded.tensors[1].checked == 3);

  Param wrong(tensor({2, 2}, {1, 2, 3, 4}));
  const std::vector<NamedParam> params = {{"layer.wrong", &wrong, true}};
  const auto report = gradcheck(params, [&] { return sum(slice(bad_square(wrong), 0, 1, 2)); });
  const GradcheckReport::Worst& worst = report.tensors.at(0);
  CHECK(worst.name == "layer.wrong");
  CHECK((worst.index == 2 || worst.index == 3));  // the first row takes no part
  CHECK(worst.failed == 2);
  CHECK(worst.numeric == Approx(2 * worst.analytic));
  CHECK(worst.relative_error == Approx(0.5));
  CHECK_THAT(report.text(), Catch::Contains("layer.wrong") && Catch::Contains(std::to_string(worst.index)));

  // Of four elements every second one is tried; the index is the element's, not the try's.
  const auto some =
      gradcheck(params, [&] { return sum(slice(bad_square(wrong), 0, 1, 2)); }, {.per_tensor = 2});
  CHECK(some.tensors.at(0).checked == 2);
  CHECK(some.tensors.at(0).failed == 1);
  CHECK(some.tensors.at(0).index == 2);
}

TEST_CASE("gradcheck: a jump beside the point is no wrong gradient, at each of three distances",
          "[autograd]") {
  if constexpr (sizeof(Real) == sizeof(double)) {
    for (const double distance : {1.5e-4, 5e-5, 5e-6, 5e-7}) {
      Param x(tensor({2}, {1, 2}));
      const std::vector<NamedParam> params = {{"x", &x, true}};
      const auto report = gradcheck(params, [&] {
        const bool is_behind = x.value().data()[0] > 1 + distance;
        return sum(mul(x, x)) + Variable(scalar(is_behind ? 1 : 0));
      });
      INFO(distance << "\n" << report.text());
      CHECK(report.passed == (distance > 2e-6));  // the smallest step is 1e-6, and looks twice as far
    }
  }
}
