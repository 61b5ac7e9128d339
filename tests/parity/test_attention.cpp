#include <catch2/catch.hpp>

#include "modules/attention/attend.hpp"
#include "modules/attention/hybrid.hpp"
#include "parity/fixture.hpp"

using namespace fovea;

namespace {

Rng rng(1);  // for start values, all of which a case replaces

AttendOptions options_of(Case& c, Want want) {
  AttendOptions options;
  options.want = want;
  if (c.has("keep")) options.mask = options.mask & Mask::keep(c.keep("keep"));
  if (c.settings.count("key_lengths"))
    options.mask = options.mask & Mask::key_lengths(c.counts("key_lengths"));
  // Where the offset is keys - queries the mask that is aligned at the end says the same; it is tested here.
  if (c.settings.count("causal_offset")) {
    const auto keys = static_cast<std::int64_t>(c.inputs.at("keys").shape[1]);
    const auto queries = static_cast<std::int64_t>(c.inputs.at("query").shape[1]);
    const std::int64_t offset = c.integer("causal_offset");
    const bool at_end = offset == keys - queries && !c.settings.count("key_lengths");
    options.mask = options.mask & (at_end ? Mask::causal() : Mask::causal(offset));
  }
  if (c.has("bias")) options.bias = c["bias"];
  return options;
}

Outputs outputs_of(const Attended& a) {
  std::map<std::string, Variable> named = {{"context", a.context}};
  if (a.scores.defined()) named["scores"] = a.scores;
  if (a.weights.defined()) named["weights"] = a.weights;
  if (a.entropy.defined()) named["entropy"] = a.entropy;
  return named;
}

std::function<Outputs(Case&)> attention_by(const std::string& name, Want want) {
  return [name, want](Case& c) {
    const std::size_t width = c.inputs.at("query").shape.back(), key_width = c.inputs.at("keys").shape.back();
    Score score = make_score(name, width, key_width, c.has("v") ? c.inputs.at("v").shape[0] : 1, rng);
    c.load(score);
    Pass pass;
    return outputs_of(attend(score, c["query"], c["keys"], c["values"], pass, options_of(c, want)));
  };
}

std::function<Outputs(Case&)> hybrid_by(HybridKind kind) {
  return [kind](Case& c) {
    const std::size_t width = c.inputs.at("query").shape.back();
    Hybrid hybrid(kind, width, width, c.inputs.at("scores.1.v").shape[0], rng);
    c.load(hybrid);
    Pass pass;
    return outputs_of(
        hybrid(c["query"], c["keys"], c["values"], pass, options_of(c, {.weights = true, .entropy = true})));
  };
}

const Recipes attention = {
    {"dot", attention_by("dot", {true, true, true})},
    {"scaled_dot", attention_by("scaled_dot", {true, true, true})},
    {"general", attention_by("general", {true, true, true})},
    {"additive", attention_by("additive", {true, true, true})},
    {"cosine", attention_by("cosine", {true, true, true})},
    {"additive_norm", attention_by("additive_norm", {true, true, true})},
    {"scaled_dot_product_attention", attention_by("scaled_dot", {})},
    {"hybrid", hybrid_by(HybridKind::mean)},
    {"gate", hybrid_by(HybridKind::gate)},
};

}  // namespace

TEST_CASE("attention agrees with PyTorch, values and gradients", "[parity]") {
  check_parity(read_fixture("attention"), attention);
}
