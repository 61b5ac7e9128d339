#include <algorithm>
#include <cmath>

#include <catch2/catch.hpp>

#include "compare.hpp"
#include "core/draw.hpp"
#include "modules/embedding.hpp"
#include "modules/init.hpp"
#include "modules/linear.hpp"
#include "parity/fixture.hpp"

using namespace fovea;

namespace {

using Draw = std::function<Tensor(Rng&, const Shape&)>;

const std::map<std::string, Draw> draws = {
    {"xavier_uniform", xavier_uniform},
    {"xavier_normal", xavier_normal},
    {"he_uniform", he_uniform},
    {"he_normal", he_normal},
    {"orthogonal", [](Rng& rng, const Shape& shape) { return orthogonal(rng, shape, Real(1.5)); }},
    {"truncated_normal", [](Rng& rng, const Shape& shape) { return truncated_normal(rng, shape, 0, 0.5); }},
    {"normal", [](Rng& rng, const Shape& shape) { return normal(rng, shape, 0.5, 2); }},
    {"uniform", [](Rng& rng, const Shape& shape) { return uniform(rng, shape, -1, 3); }},
    // (PyTorch's own Linear starts smaller, without a known reason; ours is Xavier uniform.)
    {"Linear weight",
     [](Rng& rng, const Shape& shape) { return Linear(shape[1], shape[0], rng).weight.value(); }},
    {"Embedding table",
     [](Rng& rng, const Shape& shape) { return Embedding(shape[0], shape[1], rng).table.value(); }},
};

double mean_of(const std::vector<double>& x) {
  double total = 0;
  for (double value : x) total += value;
  return total / static_cast<double>(x.size());
}

double deviation_of(const std::vector<double>& x) {
  double squares = 0;
  const double mean = mean_of(x);
  for (double value : x) squares += (value - mean) * (value - mean);
  return std::sqrt(squares / static_cast<double>(x.size()));
}

// Both sides are samples of n: five standard errors of their difference, for the usual densities.
void check_statistics(const Case& c, const Tensor& drawn) {
  std::vector<double> x(drawn.begin(), drawn.end());
  std::sort(x.begin(), x.end());
  const auto expected = [&](const char* output) { return c.outputs.at(output).data; };
  const double deviation = expected("deviation")[0], root = std::sqrt(static_cast<double>(x.size()));
  CHECK(mean_of(x) == Approx(expected("mean")[0]).margin(7 * deviation / root));
  CHECK(deviation_of(x) == Approx(deviation).epsilon(6 / root));
  const std::size_t columns = drawn.shape()[1], diagonal = std::min(drawn.shape()[0], columns);
  double trace = 0;
  for (std::size_t i = 0; i < diagonal; ++i) trace += static_cast<double>(drawn.data()[i * (columns + 1)]);
  CHECK(trace ==
        Approx(expected("trace")[0]).margin(7 * deviation * std::sqrt(static_cast<double>(diagonal))));
  const std::vector<double>& at = c.list("quantiles");
  for (std::size_t i = 0; i < at.size(); ++i) {
    INFO("quantile " << at[i]);
    const double here = x[static_cast<std::size_t>(at[i] * static_cast<double>(x.size() - 1))];
    CHECK(here == Approx(expected("quantiles")[i]).margin(20 * deviation / root));
  }
  if (c.subject().find("normal") == std::string::npos || c.subject() == "truncated_normal") {
    const bool sharp = c.subject() != "orthogonal" && c.subject() != "Embedding table";
    if (sharp) {  // the ends of what is bounded
      CHECK(x.front() == Approx(expected("least")[0]).epsilon(1e-3));
      CHECK(x.back() == Approx(expected("most")[0]).epsilon(1e-3));
    }
  }
}

}  // namespace

TEST_CASE("initialisers draw as PyTorch's do", "[parity]") {
  std::set<std::string> known;
  for (const auto& [name, draw] : draws) known.insert(name);
  std::vector<Case> cases = read_fixture("draws");
  std::set<std::string> covered = subjects(cases);
  CHECK(covered.erase("dropout") == 1);
  CHECK(covered == known);
  for (const Case& c : cases) {
    if (c.subject() == "dropout") continue;
    INFO(c.name);
    Rng rng(7);
    const auto shape = c.counts("shape");
    check_statistics(c, draws.at(c.subject())(rng, Shape(shape.begin(), shape.end())));
  }
}

TEST_CASE("dropout keeps and scales as PyTorch's does", "[parity]") {
  std::size_t seen = 0;
  for (const Case& c : read_fixture("draws")) {
    if (c.subject() != "dropout") continue;
    INFO(c.name);
    ++seen;
    Rng rng(3);
    const Variable ones = Variable::leaf(filled({100000}, 1));
    const Variable y = dropout(ones, c.number("rate"), rng);
    const std::set<Real> values(y.value().begin(), y.value().end());
    const Tensor expected = c.outputs.at("values").tensor();
    REQUIRE(values.size() == expected.size());
    CHECK(std::equal(values.begin(), values.end(), expected.begin(),
                     [](Real a, Real b) { return a == Approx(b).epsilon(parity_tolerance); }));
    const std::vector<double> x(y.value().begin(), y.value().end());
    const double deviation = c.outputs.at("deviation").data[0];
    CHECK(mean_of(x) == Approx(c.outputs.at("mean").data[0]).margin(0.025 * deviation));
    backward(sum(y));
    CHECK_THAT(*ones.grad(), close_to(y.value(), 0));  // of ones the value is the derivative
  }
  CHECK(seen == 2);
}
