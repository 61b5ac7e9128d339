#include <cmath>

#include <catch2/catch.hpp>

#include "autograd/engine.hpp"
#include "autograd/gradcheck.hpp"
#include "compare.hpp"
#include "core/draw.hpp"
#include "modules/dropout.hpp"
#include "modules/embedding.hpp"
#include "modules/init.hpp"
#include "modules/layer_norm.hpp"
#include "modules/linear.hpp"
#include "modules/mlp.hpp"
#include "modules/positions.hpp"

using namespace fovea;

namespace {

struct Inner {
  Linear first;
  LayerNorm norm;
  Buffer frozen{zeros({2})};
  FIELDS(first, norm, frozen)
};

struct Outer {
  std::vector<Inner> layers;
  std::optional<Linear> absent, present;
  std::unique_ptr<Linear> owned;
  std::variant<Dropout, Linear> choice;
  Param scale;
  FIELDS(layers, absent, present, owned, choice, scale)
};

Outer outer() {
  Rng rng(1);
  Outer model;
  model.layers.push_back({Linear(2, 3, rng), LayerNorm(3), {zeros({2})}});
  model.layers.push_back({Linear(3, 3, rng, Bias::no), LayerNorm(3), {zeros({2})}});
  model.present = Linear(1, 1, rng);
  model.owned = std::make_unique<Linear>(1, 2, rng, Bias::no);
  model.choice = Linear(1, 1, rng, Bias::no);
  model.scale = Param(scalar(1));
  return model;
}

double mean_of(const Tensor& t) {
  double total = 0;
  for (Real x : t) total += static_cast<double>(x);
  return total / static_cast<double>(t.size());
}

double variance_of(const Tensor& t) {
  const double mean = mean_of(t);
  double total = 0;
  for (Real x : t) total += (static_cast<double>(x) - mean) * (static_cast<double>(x) - mean);
  return total / static_cast<double>(t.size());
}

}  // namespace

TEST_CASE("the walk names every parameter by its path", "[modules]") {
  Outer model = outer();
  std::vector<std::string> paths;
  std::vector<bool> decays;
  for (const NamedParam& named : parameters(model)) {
    paths.push_back(named.path);
    decays.push_back(named.decays);
  }
  CHECK(paths == std::vector<std::string>{"layers.0.first.weight", "layers.0.first.bias",
                                          "layers.0.norm.gain", "layers.0.norm.bias", "layers.1.first.weight",
                                          "layers.1.norm.gain", "layers.1.norm.bias", "present.weight",
                                          "present.bias", "owned.weight", "choice.weight", "scale"});
  CHECK(decays ==
        std::vector<bool>{true, false, false, false, true, false, false, true, false, true, true, true});
  CHECK(parameter_count(model) == 6 + 3 + 3 + 3 + 9 + 3 + 3 + 1 + 1 + 2 + 1 + 1);
  REQUIRE(buffers(model).size() == 2);
  CHECK(buffers(model)[1].path == "layers.1.frozen");
}

TEST_CASE("the walk goes through a constant model too", "[modules]") {
  const Outer model = outer();
  std::size_t count = 0;
  walk(model, [&](const std::string&, const Param&) { ++count; });
  CHECK(count == 15);  // three of them undefined: biases that were left out
}

TEST_CASE("a copied module shares nothing", "[modules]") {
  Rng rng(1);
  Linear a(2, 2, rng);
  Linear b = a;
  b.weight.update([](Tensor& value) { value.data()[0] += 1; });
  CHECK(a.weight.value().data()[0] != b.weight.value().data()[0]);
}

TEST_CASE("start values have the statistics that they promise", "[modules]") {
  Rng rng(3);
  const Tensor uniform = xavier_uniform(rng, {200, 300});
  CHECK(mean_of(uniform) == Approx(0).margin(1e-3));
  CHECK(variance_of(uniform) == Approx(2.0 / 500).epsilon(0.02));
  const double limit = std::sqrt(6.0 / 500);
  for (Real x : uniform) REQUIRE(std::abs(x) <= limit * 1.0001);
  const Tensor normal = xavier_normal(rng, {200, 300});
  CHECK(variance_of(normal) == Approx(2.0 / 500).epsilon(0.02));
  CHECK_THROWS_WITH(xavier_uniform(rng, {3}), Catch::Contains("[3]"));
}

TEST_CASE("He's start values keep the variance through relu", "[modules]") {
  Rng rng(3);
  CHECK(variance_of(he_normal(rng, {300, 200})) == Approx(2.0 / 200).epsilon(0.02));
  const Tensor uniform = he_uniform(rng, {300, 200});
  CHECK(variance_of(uniform) == Approx(2.0 / 200).epsilon(0.02));
  for (Real x : uniform) REQUIRE(std::abs(x) <= std::sqrt(6.0 / 200) * 1.0001);
}

TEST_CASE("an mlp puts its activation between the layers only", "[modules]") {
  const std::vector<std::pair<Activation, double>> cases = {{Activation::relu, 0.5},
                                                            {Activation::tanh, std::tanh(0.5)},
                                                            {Activation::sigmoid, 1 / (1 + std::exp(-0.5))},
                                                            {Activation::gelu, 0.5 * 0.6914624612740131}};
  for (const auto& [activation, of_half] : cases) {
    Rng rng(1);
    Mlp mlp({1, 1, 1}, activation, rng);
    mlp.layers[0].weight.set(tensor({1, 1}, {0.5}));
    mlp.layers[1].weight.set(tensor({1, 1}, {-10}));
    CHECK(mlp(Variable(tensor({1}, {1}))).item() == Approx(-10 * of_half).epsilon(1e-6));
  }
  Rng rng(1);
  CHECK_THROWS_AS(Mlp({3}, Activation::tanh, rng), ConfigError);
}

TEST_CASE("positions are sines and cosines, or learned", "[modules]") {
  const Tensor table = sinusoidal_positions(3, 4, 1).value();
  CHECK(table.at(0, 0) == Approx(std::sin(1)));
  CHECK(table.at(0, 1) == Approx(std::cos(1)));
  CHECK(table.at(2, 2) == Approx(std::sin(0.03)));
  CHECK(table.at(2, 3) == Approx(std::cos(0.03)));
  Rng rng(1);
  const LearnedPositions learned(5, 2, rng);
  CHECK_THAT(learned(2, 3).value(), close_to(slice(learned.table, 0, 3, 5).value()));
  CHECK_THROWS_WITH(learned(3, 3), Catch::Contains("3 positions from 3 on") && Catch::Contains("only 5"));
  CHECK_THROWS_WITH(learned(2, ~std::size_t{0}), Catch::Contains("positions"));
  CHECK(learned(0, 5).shape() == Shape{0, 2});
  CHECK_THROWS_AS(learned(0, 6), ShapeError);
}

TEST_CASE("a parameter used twice is one parameter: tied", "[modules]") {
  Rng rng(1);
  Embedding embedding(3, 2, rng);
  const Variable x = embedding(Ids({0}));
  backward(sum(linear(x, embedding.table)));
  // Through the lookup and through the product.
  CHECK(parameters(embedding).size() == 1);
  const Tensor& e = embedding.table.value();
  CHECK(embedding.table.grad()->at(1, 0) == Approx(e.at(0, 0)));
  CHECK(embedding.table.grad()->at(0, 0) == Approx(2 * e.at(0, 0) + e.at(1, 0) + e.at(2, 0)));
}

TEST_CASE("orthogonal start values are orthogonal whatever the shape", "[modules]") {
  for (const Shape& shape : {Shape{5, 5}, Shape{3, 7}, Shape{7, 3}, Shape{1, 4}, Shape{4, 1}}) {
    Rng rng(4);
    const Variable w = orthogonal(rng, shape, Real(2));
    const bool tall = shape[0] >= shape[1];
    const Tensor gram = matmul(w, w, tall, !tall).value();
    const std::size_t n = std::min(shape[0], shape[1]);
    Tensor expected = zeros({n, n});
    for (std::size_t i = 0; i < n; ++i) expected.data()[i * n + i] = 4;
    CHECK_THAT(gram, close_to(expected, sizeof(Real) == 8 ? 1e-12 : 1e-5));
  }
  Rng a(4), b(5);
  CHECK_FALSE(same_bits(orthogonal(a, {3, 3}), orthogonal(b, {3, 3})));
}

TEST_CASE("linear, embedding and norms compute what their headers say", "[modules]") {
  Rng rng(5);
  const Linear layer(tensor({1, 2}, {3, 4}), Bias::yes);
  CHECK_THAT(layer(tensor({1, 2}, {1, 10})).value(), close_to(tensor({1, 1}, {43})));
  Embedding embedding(3, 2, rng);
  embedding.table.set(tensor({3, 2}, {0, 1, 10, 11, 20, 21}));
  CHECK_THAT(embedding(Ids({2, 1}, {2, 0})).value(), close_to(tensor({2, 1, 2}, {20, 21, 0, 1})));
  EmbeddingBag bag(3, 2, Bag::mean, rng);
  bag.table.set(tensor({3, 2}, {0, 1, 10, 11, 20, 21}));
  CHECK_THAT(bag(Ids({2, 0}), {0, 2}).value(), close_to(tensor({1, 2}, {10, 11})));
  CHECK_THAT(LayerNorm(2)(tensor({2}, {1, 3})).value(), close_to(tensor({2}, {-1, 1}), 1e-4));
}

TEST_CASE("dropout works while training only", "[modules]") {
  const Variable x = filled({1000}, 1);
  Pass evaluation;
  CHECK(same_bits(Dropout{0.5}(x, evaluation).value(), x.value()));
  Pass training{true, Rng(1)};
  const Tensor first = Dropout{0.5}(x, training).value();
  const Tensor second = Dropout{0.5}(x, training).value();
  CHECK(mean_of(first) == Approx(1).epsilon(0.15));
  CHECK_FALSE(same_bits(first, second));
  Pass again{true, Rng(1)};
  CHECK(same_bits(Dropout{0.5}(x, again).value(), first));
}

TEST_CASE("modules on empty batches keep their shapes", "[modules]") {
  Rng rng(6);
  const Linear layer(3, 2, rng);
  const Variable y = layer(Variable(zeros({0, 3})));
  CHECK(y.shape() == Shape{0, 2});
  backward(sum(y));
  CHECK_THAT(*layer.weight.grad(), close_to(zeros({2, 3})));
}

TEST_CASE("orthogonal start values do not depend on what ran before", "[modules]") {
  Rng before(1), after(1);
  const Tensor first = orthogonal(before, {128, 128});
  matmul(Variable(filled({64, 64}, 1)), Variable(filled({64, 64}, 1)));
  CHECK(same_bits(first, orthogonal(after, {128, 128})));
}

TEST_CASE("parameters of a constant model can be counted", "[modules]") {
  Rng rng(1);
  const Linear layer(3, 2, rng);
  CHECK(parameter_count(layer) == 8);
}

TEST_CASE("a rate of dropout is looked at when it is given", "[modules]") {
  for (const double rate : {-0.1, 1.0, 1.5, std::nan("")}) {
    CHECK_THROWS_AS(Dropout{rate}, ConfigError);
    Dropout dropout;
    CHECK_THROWS_WITH(dropout.set_rate(rate), Catch::Contains("0 ≤ rate < 1"));
    CHECK(dropout.rate() == 0);
  }
  Dropout dropout(0.5);
  dropout.set_rate(0.25);
  CHECK(dropout.rate() == 0.25);
}
