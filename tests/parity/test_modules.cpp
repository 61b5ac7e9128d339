#include <catch2/catch.hpp>

#include "modules/attention/bias.hpp"
#include "modules/embedding.hpp"
#include "modules/layer_norm.hpp"
#include "modules/mlp.hpp"
#include "modules/positions.hpp"
#include "parity/fixture.hpp"

using namespace fovea;

namespace {

Rng rng(1);  // for start values, all of which a case replaces

Outputs linear_of(Case& c) {
  const Shape& shape = c.inputs.at("weight").shape;
  Linear module(shape[1], shape[0], rng, c.has("bias") ? Bias::yes : Bias::no);
  c.load(module);
  return module(c["x"]);
}

Outputs embedding_of(Case& c) {
  const Shape& shape = c.inputs.at("table").shape;
  Embedding module(shape[0], shape[1], rng);
  c.load(module);
  return module(c.ids("ids"));
}

Outputs embedding_bag_of(Case& c) {
  const Shape& shape = c.inputs.at("table").shape;
  EmbeddingBag module(shape[0], shape[1], c.name == "EmbeddingBag: mean" ? Bag::mean : Bag::sum, rng);
  c.load(module);
  return module(c.ids("ids"), c.counts("offsets"));
}

Outputs layer_norm_of(Case& c) {
  LayerNorm module(c.inputs.at("gain").shape[0]);
  c.load(module);
  return module(c["x"]);
}

Outputs mlp_of(Case& c) {
  static const std::map<std::string, Activation> activations = {{"Mlp: relu", Activation::relu},
                                                                {"Mlp: tanh", Activation::tanh},
                                                                {"Mlp: gelu", Activation::gelu},
                                                                {"Mlp: sigmoid", Activation::sigmoid}};
  Mlp module({3, 5, 4, 2}, activations.at(c.name), rng);
  c.load(module);
  return module(c["x"]);
}

Outputs learned_positions_of(Case& c) {
  LearnedPositions module(6, 4, rng);
  c.load(module);
  return module(3, 2);
}

Outputs relative_bias_of(Case& c) {
  RelativeBias module(c.inputs.at("table").shape[0] / 2);
  c.load(module);
  return module(c.count("queries"), c.count("keys"));
}

const Recipes modules = {
    {"Linear", linear_of},
    {"Embedding", embedding_of},
    {"EmbeddingBag", embedding_bag_of},
    {"LayerNorm", layer_norm_of},
    {"Mlp", mlp_of},
    {"LearnedPositions", learned_positions_of},
    {"sinusoidal_positions",
     [](Case& c) { return sinusoidal_positions(c.count("count"), c.count("width"), c.count("first")); }},
    {"RelativeBias", relative_bias_of},
    {"alibi", [](Case& c) { return alibi(c.real("slope"), c.count("queries"), c.count("keys")); }},
};

}  // namespace

TEST_CASE("modules agree with PyTorch, values and gradients", "[parity]") {
  check_parity(read_fixture("modules"), modules);
}
