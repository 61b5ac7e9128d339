#include <catch2/catch.hpp>

#include "compare.hpp"
#include "modules/transformer.hpp"
#include "optim/optimizer.hpp"
#include "parity/fixture.hpp"

using namespace fovea;

namespace {

constexpr std::size_t width = 4, heads = 2;

// As both encoder and decoder of PyTorch's nn.Transformer: with a last normalisation in any case.
struct Transformer {
  TransformerEncoder encoder;
  TransformerDecoder decoder;
  FIELDS(encoder, decoder)
};

TransformerSettings settings_of(const Case& c) {
  return {.width = width,
          .heads = heads,
          .inner = 5,
          .layers = 2,
          .activation = c.number("gelu") != 0 ? Activation::gelu : Activation::relu,
          .norm_first = c.number("norm_first") != 0,
          .dropout = 0};
}

Attended run(const MultiHead& module, Case& c) {
  Pass pass{.training = true};
  AttendOptions options{.want = {.weights = true}};
  if (c.settings.contains("key_lengths")) options.mask = Mask::key_lengths(c.counts("key_lengths"));
  if (c.settings.contains("causal")) options.mask = options.mask & Mask::causal();
  return c.has("keys") ? module(c["x"], c["keys"], c["values"], pass, options)
                       : module(c["x"], pass, options);
}

Variable run(const EncoderLayer& layer, Case& c) {
  Pass pass{.training = true};
  return layer(c["x"], Mask::key_lengths(c.counts("lengths")), pass);
}

Variable run(const DecoderLayer& layer, Case& c) {
  Pass pass{.training = true};
  return layer(c["x"], c["memory"], Mask::causal(), Mask::key_lengths(c.counts("lengths")), pass);
}

Rng rng(1);  // for start values, all of which a case replaces

Outputs multi_head_of(Case& c) {
  MultiHead module(width, heads, rng);
  c.load(module);
  const Attended of = run(module, c);
  return std::map<std::string, Variable>{{"context", of.context}, {"weights", of.weights}};
}

template <class Layer>
Outputs layer_of(Case& c) {
  Layer layer(settings_of(c), rng);
  c.load(layer);
  return run(layer, c);
}

Outputs transformer_of(Case& c) {
  Transformer model{TransformerEncoder(settings_of(c), rng), TransformerDecoder(settings_of(c), rng)};
  model.encoder.norm.emplace(width);
  model.decoder.norm.emplace(width);
  c.load(model);
  Pass pass{.training = true};
  return model.decoder(c["x"], model.encoder(c["source"], {}, pass), {}, {}, pass);
}

const Recipes recipes = {{"MultiHead", multi_head_of},
                         {"EncoderLayer", layer_of<EncoderLayer>},
                         {"DecoderLayer", layer_of<DecoderLayer>},
                         {"Transformer", transformer_of}};

bool is_training(const Case& c) { return c.name.starts_with("ten steps of "); }

// Follows the ten steps of a case.
template <class Module, class Run>
void follow(Case& c, Module module, const Run& output) {
  c.load(module);
  const auto method = adam(0.9, 0.999, c.number("eps"));
  const std::vector<NamedParam> params = parameters(module);
  Tensor losses = uninitialized({10});
  for (std::size_t step = 0; step < 10; ++step) {
    for (const NamedParam& named : params) named.param->clear_grad();
    const Variable loss = mse(output(module), c["target"]);
    backward(loss);
    method->step(params, c.number("rate"));
    losses.data()[step] = loss.item();
  }
  REQUIRE(c.outputs.size() == params.size() + 1);
  CHECK_THAT(losses, close_to(c.outputs.at("losses").tensor(), parity_tolerance));
  for (const NamedParam& named : params) {
    INFO(named.path);
    CHECK_THAT(named.param->value(), close_to(c.outputs.at(named.path).tensor(), parity_tolerance));
  }
}

}  // namespace

TEST_CASE("multi-head attention and Transformer layers agree with PyTorch, values and gradients",
          "[parity][transformer]") {
  std::vector<Case> cases = read_fixture("transformer");
  std::erase_if(cases, is_training);
  check_parity(cases, recipes);
}

TEST_CASE("ten training steps of Transformer layers agree with PyTorch", "[parity][transformer]") {
  std::map<std::string, std::size_t> followed;
  for (Case& c : read_fixture("transformer")) {
    if (!is_training(c)) continue;
    INFO(c.name);
    ++followed[c.subject()];
    if (c.subject() == "ten steps of MultiHead") {
      follow(c, MultiHead(width, heads, rng), [&](const MultiHead& m) { return run(m, c).context; });
    } else if (c.subject() == "ten steps of EncoderLayer") {
      follow(c, EncoderLayer(settings_of(c), rng), [&](const EncoderLayer& m) { return run(m, c); });
    } else {
      follow(c, DecoderLayer(settings_of(c), rng), [&](const DecoderLayer& m) { return run(m, c); });
    }
  }
  CHECK(followed == std::map<std::string, std::size_t>{{"ten steps of DecoderLayer", 4},
                                                       {"ten steps of EncoderLayer", 4},
                                                       {"ten steps of MultiHead", 1}});
}
