#include <catch2/catch.hpp>

#include "compare.hpp"
#include "optim/average.hpp"
#include "optim/clip.hpp"
#include "optim/optimizer.hpp"
#include "parity/fixture.hpp"

using namespace fovea;

namespace {

using Make = std::function<std::unique_ptr<Optimizer>(const Case&)>;

const std::map<std::string, Make> methods = {
    {"sgd", [](const Case& c) { return sgd(c.number("momentum"), c.number("decay")); }},
    {"nesterov", [](const Case& c) { return sgd(c.number("momentum"), c.number("decay"), true); }},
    {"adam", [](const Case& c) { return adam(c.number("beta1"), c.number("beta2"), c.number("eps")); }},
    {"adamw",
     [](const Case& c) {
       return adamw(c.number("decay"), c.number("beta1"), c.number("beta2"), c.number("eps"));
     }},
    {"rmsprop",
     [](const Case& c) {
       return rmsprop(c.number("alpha"), c.number("momentum"), c.number("decay"), c.number("eps"));
     }},
    {"adagrad", [](const Case& c) { return adagrad(c.number("decay"), c.number("eps")); }},
    {"lion", [](const Case& c) { return lion(c.number("decay"), c.number("beta1"), c.number("beta2")); }},
};

// As loss_of in recipes/optimizers.py.
Variable loss_of(const Variable& weight, const Variable& bias, const Variable& x, const Variable& target) {
  const Variable hidden = tanh(linear(x, weight, bias));
  const Variable size = Real(0.05) * sum(mul(weight, weight));
  return mse(hidden, target) + size / (Variable(scalar(1)) + sum(mul(bias, bias)));
}

Tensor element(const Array& array, std::size_t step) {
  Array one{Shape(array.shape.begin() + 1, array.shape.end()), {}};
  const auto begin = array.data.begin() + static_cast<std::ptrdiff_t>(step * volume(one.shape));
  one.data.assign(begin, begin + static_cast<std::ptrdiff_t>(volume(one.shape)));
  return one.tensor();
}

// Follows every step of a case.
void follow(Case& c, Optimizer& method) {
  Param weight(c.inputs.at("weight").tensor()), bias(c.inputs.at("bias").tensor());
  const std::vector<NamedParam> params = {{"weight", &weight}, {"bias", &bias}};  // both decay
  WeightAverage average(0.75);
  const bool averaged = c.subject() == "weight average";
  const Variable x = c.inputs.at("x").tensor(), target = c.inputs.at("target").tensor();
  const std::vector<double>& rates = c.list("rates");
  REQUIRE(rates.size() == 10);
  REQUIRE(c.outputs.size() == (averaged ? 5 : 3));
  const auto check_params = [&](const std::string& prefix, std::size_t step) {
    CHECK_THAT(weight.value(), close_to(element(c.outputs.at(prefix + "weight"), step), parity_tolerance));
    CHECK_THAT(bias.value(), close_to(element(c.outputs.at(prefix + "bias"), step), parity_tolerance));
  };
  for (std::size_t step = 0; step < rates.size(); ++step) {
    INFO("step " << step);
    for (const NamedParam& named : params) named.param->clear_grad();
    const Variable loss = loss_of(weight, bias, x, target);
    backward(loss);
    CHECK_THAT(loss.value(), close_to(element(c.outputs.at("losses"), step), parity_tolerance));
    method.step(params, rates[step]);
    check_params("", step);
    if (!averaged) continue;
    average.update(params);
    average.swap(params);
    check_params("average of ", step);
    average.swap(params);
  }
}

}  // namespace

TEST_CASE("ten steps of every optimiser agree with PyTorch", "[parity]") {
  std::vector<Case> cases = read_fixture("optimizers");
  std::set<std::string> covered = subjects(cases);
  CHECK(covered.erase("clip") == 1);
  CHECK(covered.erase("weight average") == 1);
  CHECK(covered == std::set<std::string>(optimizer_names().begin(), optimizer_names().end()));
  for (Case& c : cases) {
    INFO(c.name);
    if (c.subject() == "clip") continue;
    follow(c, *methods.at(c.subject() == "weight average" ? "sgd" : c.subject())(c));
  }
}

TEST_CASE("optimisers by name have PyTorch's usual settings", "[parity]") {
  std::set<std::string> names;
  for (Case& c : read_fixture("optimizers")) {
    INFO(c.name);
    if (c.name.find("usual settings") == std::string::npos) continue;
    names.insert(c.subject());
    follow(c, *make_optimizer(c.subject(), c.number("decay", 0)));
  }
  CHECK(names == std::set<std::string>(optimizer_names().begin(), optimizer_names().end()));
}

TEST_CASE("the norm of gradients and clipping by value agree with PyTorch", "[parity]") {
  std::size_t seen = 0;
  for (const Case& c : read_fixture("optimizers")) {
    if (c.subject() != "clip") continue;
    ++seen;
    std::map<std::string, Param> params;
    std::vector<NamedParam> named;
    for (const auto& [key, gradient] : c.inputs) {
      Param& param = params[key] = Param(zeros(gradient.shape));
      backward(param.variable(), gradient.tensor());
      named.push_back({key, &param});
    }
    CHECK(gradient_norm(named) == Approx(c.outputs.at("norm").data.at(0)).epsilon(parity_tolerance));
    clip_value(named, c.number("limit"));
    for (const auto& [key, param] : params)
      CHECK_THAT(*param.grad(), close_to(c.outputs.at(key).tensor(), parity_tolerance));
  }
  CHECK(seen == 1);
}
