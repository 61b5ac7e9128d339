#include <functional>

#include <catch2/catch.hpp>

#include "core/draw.hpp"
#include "modules/attention/attention.hpp"
#include "modules/attention/bias.hpp"
#include "modules/attention/hybrid.hpp"
#include "modules/mlp.hpp"
#include "modules/positions.hpp"
#include "modules/recurrent.hpp"
#include "modules/seq2seq/seq2seq.hpp"
#include "training/checkpoint.hpp"

using namespace fovea;

namespace {

Tensor drawn(const Shape& shape, std::uint64_t seed) {
  Rng rng(seed);
  return normal(rng, shape, 0, 1);
}

// Through the bytes of a file, into a module that started from other values.
template <class Make, class Run>
void check_saved(const char* name, const Make& make, const Run& run) {
  INFO(name);
  Rng first(1), second(2);
  auto module = make(first), other = make(second);
  const std::vector<NamedParam> params = parameters(module), others = parameters(other);
  REQUIRE(!params.empty());
  Rng moving(3);  // also where all start values are the same
  for (const NamedParam& one : params) {
    Rng own = moving.split(one.path);
    one.param->set(normal(own, one.param->shape(), 0, Real(0.5)));
  }
  Pass pass = Pass::evaluation();
  const Tensor before = run(module, pass).value();
  REQUIRE(!same_bits(run(other, pass).value(), before));
  Checkpoint file;
  add_model(file.entries, params, buffers(module));
  file.entries = Entries::unpack(file.entries.pack());
  load_model(file, others, buffers(other));
  CHECK(same_bits(run(other, pass).value(), before));
}

Padded some_texts(std::size_t vocabulary) {
  std::vector<std::int64_t> ids;
  for (std::size_t i = 0; i < 10; ++i) ids.push_back(static_cast<std::int64_t>((3 * i + 1) % vocabulary));
  return {Ids({2, 5}, std::move(ids)), {5, 3}};
}

}  // namespace

// Cases mlpack#2561, #3113: sizes that are nobody's default, and every part that is left out or added.
TEST_CASE("every module comes back from a file with the same outputs, bit for bit", "[training]") {
  const Variable x(drawn({3, 7, 6}, 4)), narrow(drawn({3, 5, 4}, 5));
  const Ids ids({2, 3}, {0, 4, 2, 1, 4, 0});
  const auto apply = [&](const auto& module, Pass&) { return module(x); };
  check_saved(
      "linear", [](Rng& rng) { return Linear(6, 5, rng); }, apply);
  check_saved(
      "linear without bias", [](Rng& rng) { return Linear(6, 11, rng, Bias::no); }, apply);
  check_saved(
      "layer norm", [](Rng&) { return LayerNorm(6); }, apply);
  check_saved(
      "mlp",
      [](Rng& rng) {
        return Mlp({6, 9, 3, 1}, Activation::gelu, rng);
      },
      apply);
  check_saved(
      "embedding", [](Rng& rng) { return Embedding(5, 3, rng, 1, 4); },
      [&](const Embedding& module, Pass&) { return module(ids); });
  for (const Bag kind : {Bag::sum, Bag::mean}) {
    check_saved(
        "bag", [&](Rng& rng) { return EmbeddingBag(5, 3, kind, rng); },
        [](const EmbeddingBag& module, Pass&) {
          return module(Ids({4}, {0, 4, 2, 1}), {0, 3, 3, 4});
        });
  }
  check_saved(
      "positions", [](Rng& rng) { return LearnedPositions(9, 6, rng); },
      [](const LearnedPositions& module, Pass&) { return module(4, 2); });
  check_saved(
      "relative bias", [](Rng&) { return RelativeBias(2); },
      [](const RelativeBias& module, Pass&) { return module(3, 5); });

  const auto read = [&](const Recurrent& module, Pass& pass) { return module(x, pass, {7, 0, 4}).outputs; };
  for (const Cell cell : {Cell::lstm, Cell::gru}) {
    for (const RecurrentSettings& settings : {RecurrentSettings{1, false, 0}, {3, false, 0.5}, {2, true, 0}})
      check_saved(
          "recurrent", [&](Rng& rng) { return Recurrent(cell, 6, 5, rng, settings); }, read);
  }

  const auto ask = [&](const auto& module, Pass& pass) { return module(x, narrow, narrow, pass).context; };
  for (const char* name : {"general", "additive", "additive_norm"}) {
    check_saved(
        name, [&](Rng& rng) { return make_score(name, 6, 4, 5, rng); },
        [&](const Score& score, Pass& pass) { return attend(score, x, narrow, narrow, pass).context; });
  }
  check_saved(
      "hybrid by dims", [](Rng& rng) { return Hybrid(HybridKind::by_dims, 6, 4, 5, rng); }, ask);
  for (const HybridKind kind : {HybridKind::mean, HybridKind::gate}) {
    check_saved(
        "hybrid of two", [kind](Rng& rng) { return Hybrid(kind, 6, 6, 5, rng); },
        [&](const Hybrid& module, Pass& pass) { return module(x, x, x, pass).context; });
  }
  for (const std::string& name : attention_names()) {
    check_saved(
        "attention in hops",
        [&](Rng& rng) {
          return make_attention({.score = name, .hybrid = "gate", .normalizer = "sparsemax", .hops = 2},
                                {6, 6, 4, 5}, rng);
        },
        [&](const ScoredAttention& module, Pass& pass) {
          return module(x, module.prepare(x), slice(x, 2, 0, 4), pass).context;
        });
  }
  for (const HeadScore score : {HeadScore::dot, HeadScore::scaled_dot, HeadScore::additive}) {
    check_saved(
        "multi-head", [&](Rng& rng) { return MultiHead(6, 3, rng, score); },
        [&](const MultiHead& module, Pass& pass) { return module(x, pass).context; });
  }

  for (const bool norm_first : {false, true}) {
    TransformerSettings settings{6, 2, 9, 2};
    settings.norm_first = norm_first;
    settings.activation = Activation::gelu;
    check_saved(
        "encoder", [&](Rng& rng) { return TransformerEncoder(settings, rng); },
        [&](const TransformerEncoder& module, Pass& pass) { return module(x, {}, pass); });
    check_saved(
        "decoder", [&](Rng& rng) { return TransformerDecoder(settings, rng); },
        [&](const TransformerDecoder& module, Pass& pass) { return module(x, x, Mask::causal(), {}, pass); });
  }

  for (const std::string model : {"lstm", "gru", "transformer"}) {
    for (const bool tied : {false, true}) {
      Seq2SeqSettings settings;
      settings.model = model;
      settings.source_vocabulary = 7;
      settings.target_vocabulary = 9;
      settings.width = 6;
      settings.layers = 2;
      settings.heads = 3;
      settings.inner = 5;
      settings.tied = tied;
      check_saved(
          "seq2seq", [&](Rng& rng) { return make_seq2seq(settings, rng); },
          [](const Seq2Seq& module, Pass& pass) {
            return forward(module, some_texts(7), some_texts(9), pass);
          });
    }
  }
}
