#include <catch2/catch.hpp>

#include "compare.hpp"
#include "modules/streaming.hpp"
#include "modules/transformer.hpp"

using namespace fovea;
using namespace fovea::streamed;

namespace {

constexpr HeadScore all_scores[] = {HeadScore::dot, HeadScore::scaled_dot, HeadScore::additive};

TransformerSettings settings(HeadScore score, bool norm_first = true, double dropout = 0) {
  return {.width = 8,
          .heads = 2,
          .inner = 12,
          .layers = 2,
          .attention = {.score = name_of(score)},
          .norm_first = norm_first,
          .dropout = dropout};
}

// Biases that are not zero, and gains that are not one, so that each has its part in the results.
template <class Module>
Module stirred(Module module) {
  std::uint64_t seed = 100;
  for (const NamedParam& named : parameters(module)) {
    if (named.param->shape().size() != 1) continue;
    Rng rng(seed++);
    const Tensor shift = normal(rng, named.param->shape(), 0, Real(0.3));
    named.param->update([&](Tensor& value) { value += shift; });
  }
  return module;
}

TransformerEncoder encoder_of(const TransformerSettings& of) {
  Rng rng(1);
  return stirred(TransformerEncoder(of, rng));
}

TransformerDecoder decoder_of(const TransformerSettings& of) {
  Rng rng(2);
  return stirred(TransformerDecoder(of, rng));
}

Variable times(const Variable& x, std::size_t begin, std::size_t end) { return slice(x, 1, begin, end); }
Variable item(const Variable& x, std::size_t i) { return slice(x, 0, i, i + 1); }

}  // namespace

TEST_CASE("decoding step by step equals the whole sequence", "[modules][transformer]") {
  const Variable x = drawn({3, 7, 8}, 3), memory = drawn({3, 5, 8}, 4);
  const Mask memory_mask = Mask::key_lengths({5, 2, 4});
  for (const HeadScore score : all_scores) {
    for (const bool norm_first : {true, false}) {
      const TransformerDecoder decoder = decoder_of(settings(score, norm_first));
      Pass pass;
      const Variable whole = decoder(x, memory, Mask::causal(), memory_mask, pass);
      for (const std::vector<std::size_t>& sizes :
           {std::vector<std::size_t>{1, 1, 1, 1, 1, 1, 1}, {3, 1, 2, 1}, {7}}) {
        std::vector<DecoderCache> caches = decoder.start(memory);
        std::size_t t = 0;
        for (const std::size_t n : sizes) {
          const Variable y = decoder.step(times(x, t, t + n), caches, memory_mask, pass);
          CHECK_THAT(y.value(), close_to(times(whole, t, t + n).value(), tolerance));
          t += n;
        }
        CHECK(caches.at(1).self.keys.shape() == Shape{3, 7, 8});
      }
    }
  }
  std::vector<DecoderCache> one(1);
  Pass pass;
  CHECK_THROWS_WITH(decoder_of(settings(HeadScore::dot)).step(x, one, {}, pass),
                    Catch::Contains("1 caches") && Catch::Contains("2 layers"));
}

TEST_CASE("gradients flow through decoding step by step", "[modules][transformer]") {
  const Variable x = drawn({2, 4, 8}, 3), memory = Variable::leaf(drawn({2, 3, 8}, 4));
  for (const HeadScore score : all_scores) {
    TransformerDecoder decoder = decoder_of(settings(score));
    std::vector<Variable> wrt = {memory};
    for (const NamedParam& named : parameters(decoder)) wrt.push_back(*named.param);
    const Tensor dy = drawn({2, 4, 8}, 5);
    Pass pass;
    const auto expected = gradients_of(decoder(x, memory, Mask::causal(), {}, pass), dy, wrt);
    std::vector<DecoderCache> caches = decoder.start(memory);
    std::vector<Variable> rows;
    for (std::size_t t = 0; t < 4; ++t) rows.push_back(decoder.step(times(x, t, t + 1), caches, {}, pass));
    const auto actual = gradients_of(concat(rows, 1), dy, wrt);
    for (std::size_t i = 0; i < wrt.size(); ++i) CHECK_THAT(actual[i], close_to(expected[i], 10 * tolerance));
  }
}

TEST_CASE("Transformer layers: an item of a padded batch gets what it gets alone", "[modules][transformer]") {
  const std::vector<std::size_t> sources = {6, 1, 4}, targets = {2, 5, 3};
  const Variable x = drawn({3, 6, 8}, 3), y = drawn({3, 5, 8}, 4);
  for (const HeadScore score : all_scores) {
    for (const bool norm_first : {true, false}) {
      const TransformerEncoder encoder = encoder_of(settings(score, norm_first));
      const TransformerDecoder decoder = decoder_of(settings(score, norm_first));
      const Mask padding = Mask::key_lengths(sources);
      Pass pass;
      const Variable memory = encoder(x, padding, pass);
      const Variable all = decoder(y, memory, Mask::causal() & Mask::key_lengths(targets), padding, pass);
      for (std::size_t i = 0; i < 3; ++i) {
        const Variable own_memory = encoder(times(item(x, i), 0, sources[i]), {}, pass);
        CHECK_THAT(times(item(memory, i), 0, sources[i]).value(), close_to(own_memory.value(), 1e-6));
        const Variable own = decoder(times(item(y, i), 0, targets[i]), own_memory, Mask::causal(), {}, pass);
        CHECK_THAT(times(item(all, i), 0, targets[i]).value(), close_to(own.value(), 4e-6));
      }
    }
  }
}

TEST_CASE("a later token changes no bit of what was before it", "[modules][transformer]") {
  constexpr std::size_t changed = 5;
  const Tensor x = drawn({2, 9, 8}, 3);
  const Variable memory = drawn({2, 4, 8}, 4);
  for (const HeadScore score : all_scores) {
    const TransformerDecoder decoder = decoder_of(settings(score, true, 0.3));
    for (const bool training : {false, true}) {
      for (const bool weights : {false, true}) {
        for (const bool padded : {false, true}) {
          const Mask mask = padded ? Mask::causal() & Mask::key_lengths({9, 7}) : Mask::causal();
          const auto before = [&](const Tensor& input) {
            Observations seen({.weights = true});
            Pass pass{.training = training, .rng = Rng(7), .observations = weights ? &seen : nullptr};
            return times(decoder(input, memory, mask, {}, pass), 0, changed).value();
          };
          const Tensor expected = before(x);
          CHECK(all_finite(expected));
          for (const Real other : {Real(80), Real(-80), inf, nan_value}) {
            Tensor spoiled = x;
            for (std::size_t n = 0; n < 2; ++n) {
              for (std::size_t d = 0; d < 8; ++d) spoiled.data()[(n * 9 + changed) * 8 + d] = other;
            }
            INFO("training " << training << ", weights " << weights << ", padded " << padded << ", "
                             << other);
            CHECK_THAT(before(spoiled), close_to(expected, 0));
          }
        }
      }
    }
  }
}

TEST_CASE("a pass that does not train draws nothing and repeats itself", "[modules][transformer]") {
  const Variable x = drawn({2, 4, 8}, 3), memory = drawn({2, 3, 8}, 4);
  for (const HeadScore score : all_scores) {
    const TransformerDecoder decoder = decoder_of(settings(score, true, 0.5));
    const auto run = [&](Pass pass) { return decoder(x, memory, Mask::causal(), {}, pass).value(); };
    const Tensor once = run({});
    CHECK_THAT(run({.rng = Rng(9)}), close_to(once, 0));
    Pass pass;
    CHECK_THAT(decoder_of(settings(score))(x, memory, Mask::causal(), {}, pass).value(), close_to(once, 0));
    const Tensor trained = run({.training = true, .rng = Rng(9)});
    CHECK_THAT(run({.training = true, .rng = Rng(9)}), close_to(trained, 0));
    CHECK_THAT(run({.training = true, .rng = Rng(10)}), !close_to(trained, 0.01));
  }
}

TEST_CASE("dropout stands where PyTorch has it", "[modules][transformer]") {
  // Each place alone: the attention's weights, inside the feed-forward part, and what a part adds.
  const Variable x = drawn({2, 3, 8}, 3);
  for (const bool norm_first : {true, false}) {
    Rng rng(1);
    const EncoderLayer layer = stirred(EncoderLayer(settings(HeadScore::scaled_dot, norm_first, 0.4), rng));
    Pass pass{.training = true, .rng = Rng(5)}, same = pass;
    const Variable actual = layer(x, {}, pass);
    const auto add_and_norm = [&](const Variable& to, const LayerNorm& norm, const auto& part) {
      const Variable added = add(to, dropout(part(norm_first ? norm(to) : to), 0.4, same.rng));
      return norm_first ? added : norm(added);
    };
    const Variable middle = add_and_norm(x, layer.norm1, [&](const Variable& in) {
      const auto plain = [&](Want want, double rate) {
        return packed_attention(layer.self_attention.in(in), Real(0.5),
                                {.dropout = rate, .rng = &same.rng, .want = want, .heads = 2});
      };
      return layer.self_attention.out(plain({}, 0.4).context);
    });
    const Variable expected = add_and_norm(middle, layer.norm2, [&](const Variable& in) {
      const FeedForward& of = layer.feed_forward;
      return of.linear2(dropout(relu(of.linear1(in)), 0.4, same.rng));
    });
    CHECK_THAT(actual.value(), close_to(expected.value(), tolerance));
  }
}

TEST_CASE("a Transformer refuses what cannot be", "[modules][transformer]") {
  Rng rng(1);
  TransformerSettings odd = settings(HeadScore::dot);
  odd.heads = 3;
  CHECK_THROWS_WITH(EncoderLayer(odd, rng), Catch::Contains("3 heads"));
  odd.heads = 2;
  odd.dropout = 1;
  CHECK_THROWS_AS(EncoderLayer(odd, rng), ConfigError);
  const DecoderLayer layer(settings(HeadScore::additive), rng);
  Pass pass;
  CHECK_THROWS_WITH(layer(Variable(drawn({1, 2, 8}, 3)), Variable(drawn({1, 2, 6}, 4)), {}, {}, pass),
                    Catch::Contains("keys") && Catch::Contains("[1, 2, 6]"));
}
