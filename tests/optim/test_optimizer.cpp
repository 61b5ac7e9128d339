#include <cmath>
#include <functional>
#include <limits>

#include <catch2/catch.hpp>

#include "autograd/engine.hpp"
#include "autograd/ops.hpp"
#include "core/draw.hpp"
#include "core/parallel.hpp"
#include "optim/average.hpp"
#include "optim/clip.hpp"
#include "optim/glob.hpp"
#include "optim/groups.hpp"
#include "optim/optimizer.hpp"

using namespace fovea;

namespace {

constexpr double tolerance = sizeof(Real) == 4 ? 1e-5 : 1e-12;

// Gives a parameter this gradient, by way of a loss that has it.
void set_gradient(Param& param, const Tensor& gradient) {
  param.clear_grad();
  backward(param.variable(), gradient);
}

struct Pair {
  Param weight{tensor(Shape{2}, {1, -2})};
  Param bias{tensor(Shape{1}, {3}), Param::Decay::no};
  std::vector<NamedParam> named() {
    return {{"weight", &weight, weight.decays()}, {"bias", &bias, bias.decays()}};
  }
  void gradients(Real a, Real b, Real c) {
    set_gradient(weight, tensor(Shape{2}, {a, b}));
    set_gradient(bias, tensor(Shape{1}, {c}));
  }
};

std::vector<std::unique_ptr<Optimizer>> all_with_decay() {
  std::vector<std::unique_ptr<Optimizer>> all;
  all.push_back(sgd(0.9, 0.1));
  all.push_back(adam());
  all.push_back(adamw(0.1));
  all.push_back(sgd(0.9, 0.1, true));
  all.push_back(rmsprop(0.9, 0.5, 0.1));
  all.push_back(adagrad(0.1));
  all.push_back(lion(0.1));
  return all;
}

}  // namespace

TEST_CASE("sgd with momentum and L2 decay, by hand", "[optim]") {
  Pair pair;
  const auto method = sgd(0.5, 0.1);
  pair.gradients(1, 1, 1);
  method->step(pair.named(), 0.1);
  // v = g + 0.1 p = (1.1, 0.8); the bias does not decay: v = 1
  CHECK(pair.weight.value().at(0) == Approx(1 - 0.11).epsilon(tolerance));
  CHECK(pair.weight.value().at(1) == Approx(-2 - 0.08).epsilon(tolerance));
  CHECK(pair.bias.value().at(0) == Approx(2.9).epsilon(tolerance));
  pair.gradients(0, 0, 0);
  method->step(pair.named(), 0.1);
  CHECK(pair.weight.value().at(0) == Approx(0.89 - 0.1 * (0.55 + 0.089)).epsilon(tolerance));
  CHECK(pair.bias.value().at(0) == Approx(2.85).epsilon(tolerance));
}

TEST_CASE("adam and adamw, by hand over three steps", "[optim]") {
  const double decay = GENERATE(0.0, 0.1);
  Pair pair;
  const auto method = decay == 0 ? adam(0.9, 0.99, 1e-8) : adamw(decay, 0.9, 0.99, 1e-8);
  double p = 1, m = 0, v = 0, bias = 3, mb = 0, vb = 0;
  for (int t = 1; t <= 3; ++t) {
    const double g = 0.5 * t;
    pair.gradients(static_cast<Real>(g), 0, static_cast<Real>(-g));
    method->step(pair.named(), 0.1);
    const auto follow = [&](double& x, double& first, double& second, double gradient, double shrink) {
      first = 0.9 * first + 0.1 * gradient;
      second = 0.99 * second + 0.01 * gradient * gradient;
      const double step =
          first / (1 - std::pow(0.9, t)) / (std::sqrt(second / (1 - std::pow(0.99, t))) + 1e-8);
      x = x * (1 - 0.1 * shrink) - 0.1 * step;
    };
    follow(p, m, v, g, decay);
    follow(bias, mb, vb, -g, 0);
    CHECK(pair.weight.value().at(0) == Approx(p).epsilon(tolerance));
    CHECK(pair.bias.value().at(0) == Approx(bias).epsilon(tolerance));
  }
  CHECK(method->steps() == 3);
  CHECK(method->state().at("weight").size() == 3);  // first, second, steps
}

namespace {

// Follows a method on one weight without and one with decay (0.1), by a formula: (p, g, decay) → new p.
using Formula = std::function<double(double, double, double)>;
void check_method(Optimizer& method, const std::function<Formula()>& formula) {
  Pair pair;
  const Formula of_weight = formula(), of_bias = formula();
  double weight = 1, bias = 3;
  for (int t = 1; t <= 4; ++t) {
    const double g = t == 3 ? -0.7 : 0.5 * t;
    pair.gradients(static_cast<Real>(g), 0, static_cast<Real>(-g));
    method.step(pair.named(), 0.1);
    weight = of_weight(weight, g, 0.1);
    bias = of_bias(bias, -g, 0);
    CHECK(pair.weight.value().at(0) == Approx(weight).epsilon(10 * tolerance));
    CHECK(pair.bias.value().at(0) == Approx(bias).epsilon(10 * tolerance));
  }
}

}  // namespace

TEST_CASE("nesterov looks one step ahead, by hand", "[optim]") {
  check_method(*sgd(0.9, 0.1, true), [] {
    return [v = 0.0](double p, double g, double decay) mutable {
      const double d = g + decay * p;
      v = 0.9 * v + d;
      return p - 0.1 * (d + 0.9 * v);
    };
  });
}

TEST_CASE("rmsprop, by hand, with and without momentum", "[optim]") {
  const double momentum = GENERATE(0.0, 0.5);
  check_method(*rmsprop(0.9, momentum, 0.1, 1e-3), [momentum] {
    return [momentum, v = 0.0, m = 0.0](double p, double g, double decay) mutable {
      const double d = g + decay * p;
      v = 0.9 * v + 0.1 * d * d;
      m = momentum * m + d / (std::sqrt(v) + 1e-3);
      return p - 0.1 * m;
    };
  });
}

TEST_CASE("adagrad, by hand", "[optim]") {
  check_method(*adagrad(0.1, 1e-3), [] {
    return [v = 0.0](double p, double g, double decay) mutable {
      const double d = g + decay * p;
      v += d * d;
      return p - 0.1 * d / (std::sqrt(v) + 1e-3);
    };
  });
}

TEST_CASE("lion, by hand", "[optim]") {
  check_method(*lion(0.1, 0.6, 0.9), [] {
    return [m = 0.0](double p, double g, double decay) mutable {
      const double mixed = 0.6 * m + 0.4 * g;
      m = 0.9 * m + 0.1 * g;
      return p * (1 - 0.1 * decay) - 0.1 * (mixed > 0 ? 1 : mixed < 0 ? -1 : 0);
    };
  });
}

TEST_CASE("groups of parameters have their own rate and decay, or none", "[optim]") {
  Pair pair;
  pair.gradients(1, 1, 1);
  const auto named = pair.named();
  const std::vector<ParamGroup> groups = {{"*", 2}, {"w*", 0.5, 0.0}};
  const auto own = grouped(named, groups);
  sgd(0, 0.1)->step(own, 0.1);
  CHECK(pair.weight.value().at(0) == Approx(0.95));
  CHECK(pair.bias.value().at(0) == Approx(2.8));
  const std::vector<ParamGroup> frozen = {{"bias", 1, {}, true}};
  REQUIRE(grouped(named, frozen).size() == 1);
  CHECK(grouped(named, frozen)[0].path == "weight");
  const std::vector<ParamGroup> typo = {{"wieght"}};
  CHECK_THROWS_WITH(grouped(named, typo), Catch::Contains("wieght") && Catch::Contains("weight"));
}

TEST_CASE("globs match whole paths", "[optim]") {
  CHECK(matches("*", ""));
  CHECK(matches("a.*.weight", "a.b.c.weight"));
  CHECK(matches("*.bias", "layers.0.bias"));
  CHECK(matches("layers.?.bias", "layers.0.bias"));
  CHECK_FALSE(matches("layers.?.bias", "layers.10.bias"));
  CHECK_FALSE(matches("bias", "a.bias"));
  CHECK_FALSE(matches("a*", "ba"));
  CHECK(matches("*a*b*", "xxaxxbxx"));
  CHECK_FALSE(matches("*a*a*a*a*a*a*a*a*a*a*c", std::string(5000, 'a')));
}

TEST_CASE("clipping by value limits each element and refuses what is not finite", "[optim]") {
  Pair pair;
  pair.gradients(3, -0.5, -4);
  clip_value(pair.named(), 1);
  CHECK(pair.weight.grad()->at(0) == 1);
  CHECK(pair.weight.grad()->at(1) == Real(-0.5));
  CHECK(pair.bias.grad()->at(0) == -1);
  CHECK_THROWS_AS(clip_value(pair.named(), 0), ConfigError);
  pair.gradients(3, std::numeric_limits<Real>::quiet_NaN(), 0);
  CHECK_THROWS_AS(clip_value(pair.named(), 1), DivergedError);
  CHECK(pair.weight.grad()->at(0) == 3);
}

TEST_CASE("averaged weights follow the weights and change places with them", "[optim]") {
  Pair pair;
  WeightAverage average(0.75);
  average.update(pair.named());
  pair.weight.set(tensor(Shape{2}, {5, -2}));
  average.update(pair.named());
  average.swap(pair.named());
  CHECK(pair.weight.value().at(0) == Approx(2));
  average.swap(pair.named());
  CHECK(pair.weight.value().at(0) == 5);
  CHECK(average.state().at("weight").at(0) == Approx(2));
}

TEST_CASE("averages of other shapes change nothing", "[optim]") {
  Pair pair;
  WeightAverage average(0.75);
  average.update(pair.named());
  const Tensor weight = pair.weight.value();
  pair.weight.set(tensor(Shape{2}, {5, -2}));
  pair.bias = Param(tensor(Shape{3}, {1, 2, 3}));
  const std::string refused = "bias has shape [3]; its average has [1]";
  CHECK_THROWS_WITH(average.swap(pair.named()), Catch::Contains(refused));
  CHECK(pair.weight.value().at(0) == 5);
  CHECK_THROWS_WITH(average.update(pair.named()), Catch::Contains(refused));
  CHECK(same_bits(average.state().at("weight"), weight));
}

// Cases Muon#54, pytorch#150610.
TEST_CASE("a parameter without a gradient is left alone, also by decay", "[optim]") {
  for (const auto& method : all_with_decay()) {
    Pair pair;
    const Tensor before = pair.weight.value();
    set_gradient(pair.bias, tensor(Shape{1}, {1}));
    method->step(pair.named(), 0.1);
    CHECK(same_bits(pair.weight.value(), before));
    CHECK(pair.bias.value().at(0) != 3);
    CHECK(method->state().count("weight") == 0);
  }
}

TEST_CASE("an update does not change the value that a graph has recorded", "[optim]") {
  for (const auto& method : all_with_decay()) {
    Param weight(tensor(Shape{2}, {2, 3}));
    Param x(tensor(Shape{2}, {5, 7}));
    const Variable loss = sum(mul(x, weight));
    set_gradient(weight, tensor(Shape{2}, {1, 1}));
    method->step(std::vector<NamedParam>{{"weight", &weight, true}}, 0.5);
    backward(loss);
    CHECK(x.grad()->at(0) == 2);
    CHECK(x.grad()->at(1) == 3);
    CHECK(weight.value().at(0) != 2);
  }
}

TEST_CASE("a step has the same bits for any number of threads", "[optim]") {
  const std::size_t before = threads();
  std::vector<Tensor> results;
  for (const std::size_t count : {1, 2}) {
    set_threads(count);
    for (const auto& method : all_with_decay()) {
      Rng rng(4);
      Param weight(normal(rng, Shape{50000}, 0, 1));
      set_gradient(weight, normal(rng, Shape{50000}, 0, 1));
      clip_norm(std::vector<NamedParam>{{"w", &weight, true}}, 1);
      method->step(std::vector<NamedParam>{{"w", &weight, true}}, 0.1);
      results.push_back(weight.value());
    }
  }
  set_threads(before);
  const std::size_t methods = all_with_decay().size();
  REQUIRE(results.size() == 2 * methods);
  for (std::size_t i = 0; i < methods; ++i) CHECK(same_bits(results[i], results[i + methods]));
}

TEST_CASE("state of another shape is refused before anything changes", "[optim]") {
  Pair pair;
  const auto method = adam();
  pair.gradients(1, 1, 1);
  method->step(pair.named(), 0.1);
  method->state()["bias"].at("first") = zeros(Shape{4});
  const Tensor before = pair.weight.value();
  CHECK_THROWS_AS(method->step(pair.named(), 0.1), ShapeError);
  CHECK(same_bits(pair.weight.value(), before));
  CHECK(method->steps() == 1);
}

TEST_CASE("without momentum nothing is kept for it", "[optim]") {
  const std::vector<std::pair<std::unique_ptr<Optimizer> (*)(double), std::size_t>> methods = {
      {[](double momentum) { return sgd(momentum); }, 0},
      {[](double momentum) { return rmsprop(0.9, momentum); }, 1}};
  for (const auto& [method, others] : methods) {
    for (const double momentum : {0.0, 0.5, 1.0}) {
      Pair pair;
      pair.gradients(1, 1, 1);
      const auto optimizer = method(momentum);
      optimizer->step(pair.named(), 0.1);
      CHECK(optimizer->state().at("weight").size() == others + (momentum != 0));
      CHECK(optimizer->keeps("momentum") == (momentum != 0));
    }
  }
}

TEST_CASE("optimisers by name", "[optim]") {
  CHECK_NOTHROW(make_optimizer("sgd", 0.1));
  CHECK_NOTHROW(make_optimizer("adamw", 0.1));
  CHECK_THROWS_AS(make_optimizer("adam", 0.1), ConfigError);
  for (const std::string& name : optimizer_names()) CHECK_NOTHROW(make_optimizer(name, 0));
  CHECK_THROWS_WITH(make_optimizer("adman", 0), Catch::Contains("adman") && Catch::Contains("rmsprop"));
}

// Case pytorch#46849.
TEST_CASE("clipping measures and scales in double", "[optim]") {
  Param weight(zeros(Shape{100}));
  const std::vector<NamedParam> named{{"weight", &weight, true}};
  set_gradient(weight, filled(Shape{100}, Real(1e20)));
  CHECK(clip_norm(named, 1) == Approx(1e21).epsilon(1e-6));
  for (std::size_t i = 0; i < 100; ++i) CHECK(weight.grad()->at(i) == Approx(0.1).epsilon(1e-6));
  const Tensor clipped = *weight.grad();
  CHECK(clip_norm(named, 2) == Approx(1).epsilon(1e-6));
  CHECK(clip_norm(named, 0) == Approx(1).epsilon(1e-6));
  CHECK(same_bits(*weight.grad(), clipped));
}

TEST_CASE("the norm is taken over all parameters together", "[optim]") {
  Pair pair;
  pair.gradients(3, 0, 4);
  CHECK(clip_norm(pair.named(), 1) == Approx(5));
  CHECK(pair.weight.grad()->at(0) == Approx(0.6));
  CHECK(pair.bias.grad()->at(0) == Approx(0.8));
}

TEST_CASE("a gradient that is not finite is named, and nothing is changed", "[optim]") {
  const Real bad = GENERATE(std::numeric_limits<Real>::infinity(), std::numeric_limits<Real>::quiet_NaN());
  Pair pair;
  pair.gradients(1000, 1, bad);
  const Value before = pair.weight.grad();
  try {
    clip_norm(pair.named(), 1);
    FAIL("no error");
  } catch (const DivergedError& error) {
    CHECK(std::string(error.what()).find("bias") != std::string::npos);
  }
  CHECK(pair.weight.grad() == before);
}

TEST_CASE("adam corrects by a parameter's own steps, not by those of the others", "[optim]") {
  Pair pair;
  const auto method = adam();
  const std::vector<NamedParam> named = pair.named();
  for (int t = 0; t < 100; ++t) {
    set_gradient(pair.weight, tensor(Shape{2}, {1, 1}));
    pair.bias.clear_grad();
    method->step(named, 0.001);
  }
  set_gradient(pair.bias, tensor(Shape{1}, {5}));
  method->step(named, 0.001);
  CHECK(pair.bias.value().at(0) == Approx(2.999).epsilon(1e-6));
  CHECK(method->keeps("steps"));
  CHECK(method->keeps("first"));
  CHECK_FALSE(method->keeps("momentum"));
  CHECK_FALSE(sgd(0.9)->keeps("steps"));
}
