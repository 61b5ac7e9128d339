#include <cmath>

#include <catch2/catch.hpp>

#include "autograd/ops.hpp"
#include "autograd/recompute.hpp"
#include "training/step.hpp"

using namespace fovea;
using Catch::Contains;

namespace {

// What one step of training says of this loss; the parameters start at these values.
std::string error_of(const std::function<Variable(const Param&, const Param&)>& loss, Real early = 1,
                     Real late = 1) {
  Param first(filled(Shape{2}, early)), second(filled(Shape{2}, late));
  const std::vector<NamedParam> params{{"encoder.first", &first}, {"decoder.second", &second}};
  const auto method = make_optimizer("sgd", 0);
  try {
    descend([&](std::uint64_t) { return Loss{loss(first, second), 1}; }, 1, params, {*method, 0.1, 1});
  } catch (const DivergedError& error) {
    CHECK(method->steps() == 0);
    CHECK(!first.grad());
    CHECK(same_bits(first.value(), filled(Shape{2}, early)));
    return error.what();
  }
  return "no error";
}

}  // namespace

TEST_CASE("the op that made the loss infinite is named with the parameter before it", "[training]") {
  const std::string error = error_of(
      [](const Param& a, const Param& b) { return sum(mul(exp(scale(a, 1)), sqrt(scale(tanh(b), -1)))); });
  CHECK_THAT(error, Contains("[sqrt]") && Contains("[2]") && Contains("parameter is decoder.second"));
}

TEST_CASE("an infinity that does not reach the loss is not blamed", "[training]") {
  const Real infinite = -std::numeric_limits<Real>::infinity();
  const std::string error = error_of([&](const Param& a, const Param& b) {
    const Variable hidden = where(Keep({2}, {0, 1}), log(scale(a, 0)), Variable(scalar(0)));
    const Variable chosen = where(Keep({2}, {1, 0}), hidden, Variable(scalar(0)));
    const Variable attended = softmax(add(chosen, tensor(Shape{2}, {0, infinite})), -1);
    return sum(mul(attended, sqrt(sub(b, scalar(3)))));
  });
  CHECK_THAT(error, Contains("[sqrt]") && Contains("decoder.second") && !Contains("[log]"));
}

TEST_CASE("a loss that goes another way under NoGrad is looked at as it was recorded", "[training]") {
  const std::string error = error_of([](const Param& a, const Param& b) {
    return recording() ? sum(mul(a, sqrt(scale(b, -1)))) : sum(mul(log(scale(a, -1)), b));
  });
  CHECK_THAT(error, Contains("[sqrt]") && Contains("decoder.second"));
}

TEST_CASE("a loss that no parameter is to blame for says so", "[training]") {
  const std::string constant = error_of([](const Param& a, const Param&) {
    const Variable data = log(scale(Variable(filled(Shape{2}, 1)), -1));
    return sum(add(a, data));
  });
  CHECK_THAT(constant, Contains("[log]") && Contains("no parameter before it"));
  const std::string given =
      error_of([](const Param& a, const Param&) { return sum(mul(a, filled(Shape{2}, std::nanf("")))); });
  CHECK_THAT(given, Contains("[mul]") && Contains("encoder.first") && Contains("its input 1 was not finite"));
}

TEST_CASE("the op whose gradient is not finite is named with the parameter before it", "[training]") {
  const std::string error = error_of([](const Param& a, const Param& b) {
    return sum(add(exp(a), mul(scalar(2), sqrt(scale(tanh(b), 0)))));
  });
  CHECK_THAT(error, Contains("decoder.second [2] has a gradient") && Contains("[sqrt]") &&
                        Contains("parameter is decoder.second"));
}

TEST_CASE("the op within a recomputed function is named, of a loss and of a gradient", "[training]") {
  for (const Real factor : {Real(-1), Real(0)}) {
    const std::string error = error_of([&](const Param& a, const Param& b) {
      const auto function = [&](std::span<const Variable> given) {
        return std::vector<Variable>{add(given[0], sqrt(scale(tanh(b), factor)))};
      };
      return sum(recompute(function, {exp(a)}, {&b})[0]);
    });
    CHECK_THAT(error, Contains("[sqrt]") && Contains("parameter is decoder.second"));
  }
}

TEST_CASE("a gradient that two finite ones sum up to is not blamed on what comes after", "[training]") {
  const Real huge = std::numeric_limits<Real>::max() / Real(1.5);
  const std::string error = error_of([&](const Param& a, const Param&) {
    const Variable shared = tanh(scale(a, 0));
    return sum(mul(scalar(0), add(scale(shared, huge), scale(shared, huge))));
  });
  CHECK(error == "no error");  // a zero cotangent
  const std::string summed = error_of([&](const Param& a, const Param&) {
    const Variable shared = tanh(scale(a, 0));
    return sum(add(scale(shared, huge), scale(shared, huge)));
  });
  CHECK_THAT(summed, Contains("[scale]") && Contains("encoder.first"));
}
