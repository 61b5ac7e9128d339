#include "benchmarks/workloads.hpp"

#include <memory>

#include "autograd/engine.hpp"
#include "core/draw.hpp"
#include "modules/attention/attend.hpp"
#include "modules/attention/attention.hpp"
#include "modules/attention/multi_head.hpp"
#include "modules/embedding.hpp"
#include "modules/layer_norm.hpp"
#include "modules/linear.hpp"
#include "modules/recurrent.hpp"
#include "modules/seq2seq/all_steps.hpp"
#include "modules/transformer.hpp"
#include "optim/optimizer.hpp"

namespace fovea::inline FOVEA_REAL {
namespace {

Variable leaf(const Shape& shape, std::uint64_t seed) {
  Rng rng(seed);
  return Variable::leaf(normal(rng, shape, 0, 1));
}

// Gradients of leaves accumulate, as those of PyTorch's do.
std::function<void()> attention(const Score& score, std::size_t T, const Mask& mask = {}) {
  return [score, options = AttendOptions{.mask = mask}, q = leaf({4, T, 64}, 1), k = leaf({4, T, 64}, 2),
          v = leaf({4, T, 64}, 3)] {
    Pass pass;
    backward(sum(attend(score, q, k, v, pass, options).context));
  };
}

// The peers' projections have no bias.
std::function<void()> additive(std::size_t T) {
  Rng rng(1);
  AdditiveScore score(64, 64, 64, rng);
  score.key.bias = Param();
  return attention(score, T);
}

std::function<void()> self_attention() {
  Rng rng(1);
  return [module = std::make_shared<MultiHead>(256, 4, rng), x = leaf({16, 128, 256}, 2)] {
    Pass pass;
    backward(sum((*module)(x, pass).context));
  };
}

std::function<void()> recurrent() {
  Rng rng(1);
  return [module = std::make_shared<LSTM>(64, 128, rng), x = Variable(normal(rng, {32, 64, 64}, 0, 1))] {
    Pass pass;
    backward(sum((*module)(x, pass).outputs));
  };
}

// An LSTM reads the source; each step of another asks it for a context by its last state.
struct SequenceModel {
  Embedding source, target;
  LSTM encoder;
  ScoredAttention attention;
  RecurrentDirection decoder;
  Linear out;
  FIELDS(source, target, encoder, attention, decoder, out)

  explicit SequenceModel(Rng& rng, std::size_t width = 128, std::size_t letters = 30, std::size_t sounds = 42)
      : source(letters, width, rng),
        target(sounds, width, rng),
        encoder(width, width, rng),
        attention{AdditiveScore(width, width, width, rng)},
        decoder(Cell::lstm, 2 * width, width, rng),
        out(2 * width, sounds, rng) {}

  Variable operator()(const Ids& from, const Ids& inputs, Pass& pass) const {
    const RecurrentResult read = encoder(source, from, pass);
    const std::vector<Variable> keys = attention.prepare(read.outputs);
    const Shape state{read.outputs.shape()[0], encoder.hidden};
    const auto gates_of = [&](const Variable& weight, const Variable& bias) {
      return target.projected(inputs, weight, bias);
    };
    const Recurrence y = all_steps(decoder, *attention.plain_additive(), gates_of, {keys, read.outputs},
                                   reshape(read.state.hidden, state), reshape(read.state.cell, state));
    return out(concat({y.outputs, y.contexts}, 2));
  }
};

std::function<void()> sequence_step() {
  constexpr std::size_t items = 64, source = 12, time = 10;
  struct Held {
    Rng rng{1};
    SequenceModel model{rng};
    std::vector<NamedParam> params = parameters(model);
    std::unique_ptr<Optimizer> optimizer = adam();
    Ids from, targets;
  };
  const auto held = std::make_shared<Held>();
  const auto draw = [&](Shape shape, std::uint64_t below) {
    std::vector<std::int64_t> ids(volume(shape));
    for (std::int64_t& id : ids) id = static_cast<std::int64_t>(held->rng.below(below));
    return Ids(std::move(shape), std::move(ids));
  };
  held->from = draw({items, source}, 30);
  held->targets = draw({items, time}, 42);
  return [held] {
    for (const NamedParam& named : held->params) named.param->clear_grad();
    Pass pass{.training = true};
    backward(mean(cross_entropy(held->model(held->from, held->targets, pass), held->targets)));
    held->optimizer->step(held->params, 1e-3);
  };
}

// PyTorch's nn.Transformer as it comes: post-norm and relu, a last normalisation on both sides.
struct Transformer {
  TransformerEncoder encoder;
  TransformerDecoder decoder;
  FIELDS(encoder, decoder)

  explicit Transformer(Rng& rng) {
    const TransformerSettings settings{
        .width = 128, .heads = 4, .inner = 512, .layers = 3, .norm_first = false, .dropout = 0.1};
    encoder = TransformerEncoder(settings, rng);
    decoder = TransformerDecoder(settings, rng);
    encoder.norm.emplace(settings.width);
    decoder.norm.emplace(settings.width);
  }
};

std::function<void()> transformer_step() {
  struct Held {
    Rng rng{1};
    Transformer model{rng};
    std::vector<NamedParam> params = parameters(model);
    std::unique_ptr<Optimizer> optimizer = adam();
    Variable source = normal(rng, {64, 12, 128}, 0, 1), target = normal(rng, {64, 10, 128}, 0, 1);
    Pass pass{.training = true};
  };
  return [held = std::make_shared<Held>()] {
    for (const NamedParam& named : held->params) named.param->clear_grad();
    const Variable memory = held->model.encoder(held->source, {}, held->pass);
    const Variable y = held->model.decoder(held->target, memory, {}, {}, held->pass);
    backward(mean(pow(y, 2)));
    held->optimizer->step(held->params, 1e-3);
  };
}

std::function<void()> encoder_step(const TransformerSettings& settings, std::size_t items, std::size_t T) {
  struct Held {
    Rng rng{1};
    TransformerEncoder model;
    std::vector<NamedParam> params;
    std::unique_ptr<Optimizer> optimizer = adam();
    Variable x;
    Pass pass{.training = true};
  };
  const auto held = std::make_shared<Held>();
  held->model = TransformerEncoder(settings, held->rng);
  held->params = parameters(held->model);
  held->x = normal(held->rng, {items, T, settings.width}, 0, 1);
  return [held] {
    for (const NamedParam& named : held->params) named.param->clear_grad();
    backward(mean(pow(held->model(held->x, {}, held->pass), 2)));
    held->optimizer->step(held->params, 1e-3);
  };
}

// Deep: what is kept for the backward pass is most of the memory, unless it is computed again.
std::function<void()> deep_step(std::size_t T, bool recompute) {
  return encoder_step({.width = 256, .heads = 4, .inner = 1024, .layers = 12, .recompute = recompute}, 4, T);
}

// What long sequences take with heads that look at a part of them, or at a summary.
std::function<void()> long_step(std::size_t T, HeadSettings attention) {
  attention.longest = T;
  return encoder_step({.width = 256,
                       .heads = 4,
                       .inner = 1024,
                       .layers = 2,
                       .attention = std::move(attention),
                       .dropout = 0.1,
                       .recompute = true},
                      1, T);
}

// A catalogue that is asked again and again, 8 queries at a time: its keys are projected once, or each time.
std::function<void()> catalogue(const std::string& score, std::size_t T, bool is_prepared) {
  struct Held {
    Rng rng{1};
    ScoredAttention attention;
    Variable query, keys;
    std::vector<Variable> prepared;
    Pass pass;
  };
  const auto held = std::make_shared<Held>();
  held->attention = make_attention({.score = score}, {64, 64, 64, 64}, held->rng);
  held->query = normal(held->rng, {8, 64}, 0, 1);
  held->keys = normal(held->rng, {T, 64}, 0, 1);
  const NoGrad no_graph;
  held->prepared = held->attention.prepare(held->keys);
  return [held, is_prepared] {
    const NoGrad none;
    const std::vector<Variable> prepared = is_prepared ? held->prepared : held->attention.prepare(held->keys);
    held->attention(held->query, prepared, held->keys, held->pass);
  };
}

struct Small {
  Linear hidden, out;
  FIELDS(hidden, out)
};

std::function<void()> small_step() {
  struct Held {
    Rng rng{1};
    Small model{Linear(8, 16, rng), Linear(16, 1, rng)};
    std::vector<NamedParam> params = parameters(model);
    std::unique_ptr<Optimizer> optimizer = adam();
    Variable x = normal(rng, {4, 8}, 0, 1);
  };
  return [held = std::make_shared<Held>()] {
    for (const NamedParam& named : held->params) named.param->clear_grad();
    const Variable y = held->model.out(tanh(held->model.hidden(held->x)));
    backward(mean(pow(y, 2)));
    held->optimizer->step(held->params, 1e-3);
  };
}

std::function<void()> wide_linear() {
  Rng rng(1);
  return [layer = std::make_shared<Linear>(512, 512, rng), x = leaf({1024, 512}, 2)] {
    backward(sum((*layer)(x)));
  };
}

std::function<void()> normalisers() {
  return [norm = std::make_shared<LayerNorm>(256), x = leaf({4096, 256}, 2)] {
    const Variable y = softmax((*norm)(x), -1);
    backward(sum(pow(y, 2)));
  };
}

// What it costs to record an op, to walk back over it and to let go of it.
std::function<void()> chain() {
  return [x = leaf({1}, 1)] {
    Variable y = x;
    for (int i = 0; i < 1'000'000; ++i) y = scale(y, 2);
    backward(y);
  };
}

}  // namespace

const std::vector<Workload>& workloads() {
  static const std::vector<Workload> all = {
      {"W1",
       "additive attention with its projections, B=4, d=H=64",
       {32, 64, 128, 256, 512, 1024, 4096},
       additive},
      {"W2",
       "scaled dot attention, B=4, one head of 64",
       {32, 64, 128, 256, 512, 1024, 2048},
       [](std::size_t T) { return attention(ScaledDotScore{}, T); }},
      {"W2c",
       "scaled dot attention, causal",
       {512, 2048},
       [](std::size_t T) { return attention(ScaledDotScore{}, T, Mask::causal()); }},
      {"W2w",
       "scaled dot attention, a query sees itself and the 63 keys before it",
       {512, 2048},
       [](std::size_t T) { return attention(ScaledDotScore{}, T, Mask::window(63, 0)); }},
      {"W3",
       "multi-head self-attention 256/4, B=16, T=128",
       {},
       [](std::size_t) { return self_attention(); }},
      {"W4", "LSTM 64-128, B=32, T=64", {}, [](std::size_t) { return recurrent(); }},
      {"W5",
       "Transformer 128/4, 3+3 layers, B=64, S=12, T=10: training step with Adam",
       {},
       [](std::size_t) { return transformer_step(); }},
      {"W6",
       "LSTM encoder-decoder with additive attention, 128, B=64, S=12, T=10: training step with Adam",
       {},
       [](std::size_t) { return sequence_step(); }},
      {"W7", "MLP 8-16-1, B=4: training step with Adam", {}, [](std::size_t) { return small_step(); }},
      {"W8", "Linear 512-512, B=1024", {}, [](std::size_t) { return wide_linear(); }},
      {"W9", "layer norm, then softmax, over [4096, 256]", {}, [](std::size_t) { return normalisers(); }},
      {"W10", "2x a million times on one element, and back", {}, [](std::size_t) { return chain(); }},
      {"W11",
       "Transformer encoder 256/4, 12 layers, dropout 0.1, B=4: training step with Adam",
       {1024},
       [](std::size_t T) { return deep_step(T, false); }},
      {"W11r",
       "the same, each layer computed again in the backward pass",
       {1024},
       [](std::size_t T) { return deep_step(T, true); }},
      {"W12",
       "Transformer encoder 256/4, 2 layers, dropout 0.1, recomputed, B=1: training step with Adam",
       {4096, 16384},
       [](std::size_t T) { return long_step(T, {}); }},
      {"W12w",
       "the same, local: a window of 257",
       {4096, 16384},
       [](std::size_t T) { return long_step(T, {.pattern = {.window = 257}}); }},
      {"W12a",
       "the same, local, with additive heads",
       {4096, 16384},
       [](std::size_t T) { return long_step(T, {.score = "additive", .pattern = {.window = 257}}); }},
      {"W12s",
       "the same, sparse: each 64th position",
       {4096, 16384},
       [](std::size_t T) { return long_step(T, {.pattern = {.stride = 64}}); }},
      {"W12h",
       "the same, hashed: buckets of 256 positions on average",
       {4096, 16384},
       [](std::size_t T) { return long_step(T, {.buckets = T / 256}); }},
      {"W12r",
       "the same, low-rank: 128 slots",
       {4096, 16384},
       [](std::size_t T) { return long_step(T, {.rank = 128}); }},
      {"W12l",
       "the same, linear",
       {4096, 16384},
       [](std::size_t T) { return long_step(T, {.score = "linear"}); }},
      {"W12f",
       "the same, random features",
       {4096, 16384},
       [](std::size_t T) { return long_step(T, {.score = "random_features"}); }},
      {"W13",
       "8 queries of 64 over a catalogue of T keys, additive, keys projected each time, no gradient",
       {10000},
       [](std::size_t T) { return catalogue("additive", T, false); }},
      {"W13p",
       "the same, keys prepared once",
       {10000},
       [](std::size_t T) { return catalogue("additive", T, true); }},
      {"W14",
       "the same as W13, general",
       {10000},
       [](std::size_t T) { return catalogue("general", T, false); }},
      {"W14p",
       "the same, keys prepared once",
       {10000},
       [](std::size_t T) { return catalogue("general", T, true); }},
  };
  return all;
}

}  // namespace fovea::inline FOVEA_REAL
