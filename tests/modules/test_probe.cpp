#include <catch2/catch.hpp>

#include "compare.hpp"
#include "modules/streaming.hpp"
#include "modules/transformer.hpp"

using namespace fovea;
using namespace fovea::streamed;

namespace {

struct Model {
  TransformerEncoder encoder;
  TransformerDecoder decoder;
  FIELDS(encoder, decoder)

  Model(HeadScore score, double dropout) {
    Rng rng(1);
    const TransformerSettings settings{.width = 8,
                                       .heads = 2,
                                       .inner = 12,
                                       .layers = 2,
                                       .attention = {.score = name_of(score)},
                                       .dropout = dropout};
    encoder = TransformerEncoder(settings, rng);
    decoder = TransformerDecoder(settings, rng);
  }

  Variable operator()(Pass& pass) const {
    const Variable source = drawn({3, 4, 8}, 3), target = drawn({3, 3, 8}, 4);
    const Mask padding = Mask::key_lengths({4, 1, 3});
    return decoder(target, encoder(source, padding, pass), Mask::causal(), padding, pass);
  }
};

const std::map<std::string, Shape> places = {
    {"encoder.layers.0.self_attention", {3, 2, 4, 4}},  {"encoder.layers.1.self_attention", {3, 2, 4, 4}},
    {"decoder.layers.0.self_attention", {3, 2, 3, 3}},  {"decoder.layers.1.self_attention", {3, 2, 3, 3}},
    {"decoder.layers.0.cross_attention", {3, 2, 3, 4}}, {"decoder.layers.1.cross_attention", {3, 2, 3, 4}}};

Shape without_keys(Shape shape) {
  shape.pop_back();
  return shape;
}

}  // namespace

TEST_CASE("a pass sees the weights and the entropy of every attention by its path", "[modules][probe]") {
  for (const HeadScore score : {HeadScore::scaled_dot, HeadScore::additive}) {
    for (const bool training : {false, true}) {
      const Model model(score, 0.5);
      Observations seen({.scores = true, .weights = true, .entropy = true});
      Pass pass{.training = training, .rng = Rng(5), .observations = &seen};
      model(pass);
      const auto found = by_path(model, seen);
      REQUIRE(found.size() == places.size());
      for (const auto& [path, shape] : places) {
        INFO(path);
        REQUIRE(found.at(path).size() == 1);
        const Observed& one = found.at(path)[0];
        CHECK(one.scores.shape() == shape);
        CHECK(one.weights.shape() == shape);
        CHECK(one.entropy.shape() == without_keys(shape));
        // Before dropout: rows that were dropped from do not sum to 1.
        CHECK_THAT(sum(one.weights, -1).value(), close_to(filled(without_keys(shape), 1), 1e-6));
        CHECK_THAT(one.entropy.value(), close_to(entropy(one.weights).value(), tolerance));
      }
    }
  }
}

TEST_CASE("a pass sees what it asked for alone, call by call", "[modules][probe]") {
  const Model model(HeadScore::scaled_dot, 0);
  for (const Want& want : {Want{.scores = true}, Want{.weights = true}, Want{.entropy = true}}) {
    Observations seen(want);
    Pass pass{.observations = &seen};
    model(pass);
    model(pass);
    const auto found = by_path(model, seen);
    for (const auto& [path, calls] : found) {
      CHECK(calls.size() == 2);
      for (const Observed& one : calls) {
        CHECK(one.scores.defined() == want.scores);
        CHECK(one.weights.defined() == want.weights);
        CHECK(one.entropy.defined() == want.entropy);
      }
    }
  }
}

TEST_CASE("who looks from further out sees it, too, and both get what either wants", "[modules][probe]") {
  const Model model(HeadScore::scaled_dot, 0);
  Observations outer({.weights = true}), inner({.entropy = true}, &outer);
  Pass pass{.observations = &inner};
  model(pass);
  for (const Observations* seen : {&outer, &inner}) {
    const auto found = by_path(model, *seen);
    REQUIRE(found.size() == places.size());
    for (const auto& [path, calls] : found) {
      CHECK(calls.at(0).weights.defined());
      CHECK(calls.at(0).entropy.defined());
      CHECK_FALSE(calls.at(0).scores.defined());
    }
  }
}

TEST_CASE("looking changes no bit of the results and not the draws", "[modules][probe]") {
  for (const HeadScore score : {HeadScore::scaled_dot, HeadScore::additive}) {
    const Model model(score, 0.3);
    Pass blind{.training = true, .rng = Rng(5)};
    const Tensor expected = model(blind).value();
    Observations seen({.weights = true});
    Pass looking{.training = true, .rng = Rng(5), .observations = &seen};
    CHECK_THAT(model(looking).value(), close_to(expected, 0));
    CHECK(blind.rng.state() == looking.rng.state());
  }
}

TEST_CASE("where nobody looks nothing is computed to be seen", "[modules][probe]") {
  Rng rng(1);
  const MultiHead module(8, 2, rng);
  const Variable x = drawn({2, 3, 8}, 3);
  Pass pass;
  const Attended blind = module(x, pass);
  CHECK_FALSE(blind.scores.defined());
  CHECK_FALSE(blind.weights.defined());
  CHECK_FALSE(blind.entropy.defined());
  // What the caller wants and what the pass wants add up.
  Observations seen({.entropy = true});
  pass.observations = &seen;
  const Attended both = module(x, pass, {.want = {.weights = true}});
  CHECK(both.weights.defined());
  REQUIRE(seen.all().size() == 1);
  CHECK(seen.all()[0].entropy.defined());
  CHECK_FALSE(seen.all()[0].weights.defined());
}

TEST_CASE("one head has an axis for it too, and a module seen by itself an empty path", "[modules][probe]") {
  Rng rng(1);
  const MultiHead module(8, 1, rng);
  Observations seen({.scores = true, .weights = true, .entropy = true});
  Pass pass{.observations = &seen};
  module(Variable(drawn({2, 3, 8}, 3)), pass);
  const Observed one = by_path(module, seen).at("").at(0);
  CHECK(one.scores.shape() == Shape{2, 1, 3, 3});
  CHECK(one.weights.shape() == Shape{2, 1, 3, 3});
  CHECK(one.entropy.shape() == Shape{2, 1, 3});
  const MultiHead copy = module;
  CHECK_THROWS_WITH(by_path(copy, seen), Catch::Contains("not of this model"));
}

TEST_CASE("a loss of what was seen reaches the parameters", "[modules][probe]") {
  Rng rng(1);
  for (const HeadScore score : {HeadScore::scaled_dot, HeadScore::additive}) {
    MultiHead module(8, 2, rng, score);
    Observations seen({.entropy = true});
    Pass pass{.training = true, .observations = &seen};
    module(Variable(drawn({2, 3, 8}, 3)), pass);
    backward(mean(seen.all().at(0).entropy));
    CHECK(module.in.weight.grad());
    CHECK_FALSE(module.out.weight.grad());
  }
}
