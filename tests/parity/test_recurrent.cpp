#include <catch2/catch.hpp>

#include "compare.hpp"
#include "modules/recurrent.hpp"
#include "optim/optimizer.hpp"
#include "parity/fixture.hpp"

using namespace fovea;

namespace {

constexpr std::size_t inputs = 2, hidden = 3;

Recurrent module_of(Case& c) {
  Rng rng(1);  // for start values, all of which the case replaces
  const Cell cell = c.subject().substr(0, 3) == "GRU" ? Cell::gru : Cell::lstm;
  Recurrent module(cell, inputs, hidden, rng,
                   {.layers = c.count("layers"), .bidirectional = c.number("bidirectional") != 0});
  c.load(module);
  return module;
}

RecurrentResult run(Case& c, const Recurrent& module) {
  Pass pass;
  const auto state = [&](const char* name) { return c.has(name) ? c[name] : Variable(); };
  return module(c["x"], pass, c.settings.count("lengths") ? c.counts("lengths") : std::vector<std::size_t>(),
                {state("hidden"), state("cell")});
}

Outputs recurrent_of(Case& c) {
  const RecurrentResult y = run(c, module_of(c));
  std::map<std::string, Variable> named{{"outputs", y.outputs}, {"hidden", y.state.hidden}};
  if (y.state.cell.defined()) named["cell"] = y.state.cell;
  return named;
}

std::vector<Case> cases(bool trained) {
  std::vector<Case> found;
  for (Case& one : read_fixture("recurrent")) {
    if (one.subject().ends_with(" training") == trained) found.push_back(std::move(one));
  }
  return found;
}

}  // namespace

TEST_CASE("recurrent layers agree with PyTorch, values and gradients", "[parity]") {
  check_parity(cases(false), {{"LSTM", recurrent_of}, {"GRU", recurrent_of}});
}

TEST_CASE("ten steps of Adam on a recurrent layer agree with PyTorch", "[parity]") {
  std::vector<Case> all = cases(true);
  REQUIRE(all.size() == 2);
  for (Case& c : all) {
    INFO(c.name);
    Recurrent module = module_of(c);
    const std::vector<NamedParam> params = parameters(module);
    const std::unique_ptr<Optimizer> method = adam(0.9, 0.999, c.number("eps"));
    const Variable target = c.inputs.at("target").tensor(), x = c.inputs.at("x").tensor();
    const std::vector<double>& losses = c.outputs.at("losses").data;
    REQUIRE(losses.size() == 10);
    for (const double expected : losses) {
      for (const NamedParam& named : params) named.param->clear_grad();
      Pass pass;
      const RecurrentResult y = module(x, pass, c.counts("lengths"));
      const Variable loss = mse(y.outputs, target) + mean(pow(y.state.hidden, 2));
      CHECK(static_cast<double>(loss.item()) == Approx(expected).epsilon(parity_tolerance));
      backward(loss);
      method->step(params, c.number("rate"));
    }
    for (const NamedParam& named : params) {
      INFO(named.path);
      CHECK_THAT(named.param->value(), close_to(c.outputs.at(named.path).tensor(), parity_tolerance));
    }
  }
}
