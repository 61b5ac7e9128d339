#include <catch2/catch.hpp>

#include "compare.hpp"
#include "core/memory.hpp"
#include "modules/recompute.hpp"
#include "modules/recurrent.hpp"
#include "modules/streaming.hpp"
#include "modules/transformer.hpp"

using namespace fovea;
using namespace fovea::streamed;

namespace {

constexpr HeadScore all_scores[] = {HeadScore::dot, HeadScore::scaled_dot, HeadScore::additive};

TransformerSettings settings(HeadScore score, bool norm_first, bool recompute) {
  return {.width = 8,
          .heads = 2,
          .inner = 12,
          .layers = 3,
          .attention = {.score = name_of(score)},
          .norm_first = norm_first,
          .dropout = 0.3,
          .recompute = recompute};
}

struct EncoderDecoder {
  TransformerEncoder encoder;
  TransformerDecoder decoder;
  FIELDS(encoder, decoder)

  explicit EncoderDecoder(const TransformerSettings& of) {
    Rng rng(1);
    encoder = TransformerEncoder(of, rng);
    decoder = TransformerDecoder(of, rng);
  }
};

// Numbers that a run has left: values, gradients, and where the random numbers stand.
struct Left {
  std::vector<Tensor> numbers;
  Rng::State rng;
};

template <class Module>
void add_gradients(Module& module, Left& to) {
  for (const NamedParam& named : parameters(module)) to.numbers.push_back(*named.param->grad());
}

void check_same(const Left& found, const Left& expected) {
  CHECK(found.rng == expected.rng);
  REQUIRE(found.numbers.size() == expected.numbers.size());
  for (std::size_t i = 0; i < found.numbers.size(); ++i) {
    CAPTURE(i);
    CHECK(same_bits(found.numbers[i], expected.numbers[i]));
  }
}

struct Reader {
  LSTM lstm;
  FIELDS(lstm)
  Variable operator()(const Variable& x, const std::vector<std::size_t>& lengths, Pass& pass) const {
    return lstm(x, pass, lengths).outputs;
  }
};

struct Biased {
  MultiHead attention;
  FIELDS(attention)
  Variable operator()(const Variable& x, const AttendOptions& options, Pass& pass) const {
    return attention(x, pass, options).context;
  }
};

}  // namespace

TEST_CASE("a recomputed Transformer is the same bit for bit, with dropout and masks",
          "[modules][recompute]") {
  const Mask padding = Mask::key_lengths({5, 0, 4});  // one item has nothing to read
  for (const HeadScore score : all_scores) {
    for (const bool norm_first : {true, false}) {
      std::vector<Left> left;
      for (const bool again : {false, true}) {
        EncoderDecoder model(settings(score, norm_first, again));
        const Variable x = Variable::leaf(drawn({3, 5, 8}, 3)), y = Variable::leaf(drawn({3, 7, 8}, 4));
        Pass pass{.training = true, .rng = Rng(7)};
        const std::int64_t before = live_nodes();
        const Variable memory = model.encoder(x, padding, pass);
        const Variable out = model.decoder(y, memory, Mask::causal(), padding, pass);
        // A node for each layer, and the last normalisation.
        if (again) CHECK(live_nodes() == before + 2 * (3 + norm_first));
        backward(out, drawn({3, 7, 8}, 5));
        left.push_back({{out.value(), *x.grad(), *y.grad()}, pass.rng.state()});
        add_gradients(model, left.back());
        CHECK(all_finite(out.value()));
      }
      check_same(left[1], left[0]);
      CHECK(left[0].rng.counter > 0);
    }
  }
}

TEST_CASE("what is seen of a recomputed layer is seen once, and takes part in the loss",
          "[modules][recompute]") {
  for (const HeadScore score : all_scores) {
    std::vector<Left> left;
    std::vector<std::vector<std::string>> paths;
    for (const bool again : {false, true}) {
      EncoderDecoder model(settings(score, true, again));
      const Variable x = Variable::leaf(drawn({2, 5, 8}, 3)), y = Variable::leaf(drawn({2, 4, 8}, 4));
      Variable loss;
      left.emplace_back();
      paths.emplace_back();
      {
        Observations outer({.scores = true}), seen({.weights = true, .entropy = true}, &outer);
        Pass pass{.training = true, .rng = Rng(7), .observations = &seen};
        const Variable memory = model.encoder(x, {}, pass);
        loss = sum(model.decoder(y, memory, Mask::causal(), {}, pass));
        CHECK(pass.observations == &seen);
        left.back().rng = pass.rng.state();
        std::uint64_t seed = 20;
        for (const auto& [path, calls] : by_path(model, outer)) {
          paths.back().push_back(path);
          REQUIRE(calls.size() == 1);
          for (const Variable& part : {calls[0].scores, calls[0].weights, calls[0].entropy}) {
            left.back().numbers.push_back(part.value());
            loss = loss + sum(mul(part, Variable(drawn(part.shape(), seed++))));
          }
        }
        CHECK(by_path(model, seen).size() == 9);
      }
      backward(loss);  // the observations are gone by now
      left.back().numbers.push_back(*x.grad());
      left.back().numbers.push_back(*y.grad());
      add_gradients(model, left.back());
    }
    CHECK(paths[0].size() == 9);
    CHECK(paths[1] == paths[0]);
    check_same(left[1], left[0]);
  }
}

TEST_CASE("any module can be recomputed, with arguments of any kind", "[modules][recompute]") {
  std::vector<Left> left;
  const Variable x = Variable::leaf(drawn({3, 6, 4}, 3));
  for (const bool again : {false, true}) {
    Variable(x).clear_grad();
    Rng rng(2);
    Reader model{LSTM(4, 5, rng, {.layers = 2, .bidirectional = true, .dropout = 0.4})};
    Pass pass{.training = true, .rng = Rng(7)};
    Variable y;
    {
      const std::vector<std::size_t> lengths{6, 1, 3};  // gone before the backward pass
      y = again ? recompute(model, pass, x, lengths) : model(x, lengths, pass);
    }
    backward(y, drawn(y.shape(), 5));
    left.push_back({{y.value(), *x.grad()}, pass.rng.state()});
    add_gradients(model, left.back());
  }
  check_same(left[1], left[0]);
}

TEST_CASE("a pass is as it was when a layer that is to be recomputed throws", "[modules][recompute]") {
  Rng rng(1);
  const EncoderLayer layer(settings(HeadScore::dot, true, false), rng);
  Observations seen({.entropy = true});
  Pass pass{.training = true, .rng = Rng(7), .observations = &seen};
  const Variable x = Variable::leaf(drawn({2, 5, 8}, 3));
  CHECK_THROWS_AS(recompute(layer, pass, x, Mask::key_lengths({1})), ShapeError);
  CHECK(pass.rng.state() == Rng(7).state());
  CHECK(pass.observations == &seen);
  CHECK(seen.all().empty());
}

TEST_CASE("a bias that gradients flow into does not hide in options", "[modules][recompute]") {
  Rng rng(1);
  const Biased layer{MultiHead(8, 2, rng)};
  const Variable x = drawn({2, 5, 8}, 3), bias = Variable::leaf(drawn({5, 5}, 4));
  Pass pass;
  CHECK_THROWS_WITH(recompute(layer, pass, x, AttendOptions{.bias = bias}),
                    Catch::Contains("[5, 5]") && Catch::Contains("neither an input nor a parameter"));
  CHECK_NOTHROW(recompute(layer, pass, x, AttendOptions{.bias = bias.detach()}));
}

TEST_CASE("a recomputed Transformer trains in a fraction of the memory", "[modules][recompute][memory]") {
  // The least budget in which a step of this many layers can be made, to a hundredth.
  const auto least = [](std::size_t layers, bool again) {
    Rng rng(1);
    TransformerEncoder model({.width = 16, .heads = 2, .inner = 64, .layers = layers, .recompute = again},
                             rng);
    const Variable x = drawn({4, 32, 16}, 3);
    const auto fits = [&](std::size_t bytes) {
      try {
        const memory::Budget budget(bytes);
        Pass pass{.training = true, .rng = Rng(7)};
        backward(sum(model(x, Mask::causal(), pass)));
        for (const NamedParam& named : parameters(model)) named.param->clear_grad();
        return true;
      } catch (const memory::OverBudget&) {
        for (const NamedParam& named : parameters(model)) CHECK_FALSE(named.param->grad());
        return false;
      }
    };
    std::size_t low = 0, high = std::size_t{1} << 26;
    REQUIRE(fits(high));
    while (high - low > high / 100) {
      const std::size_t middle = (low + high) / 2;
      (fits(middle) ? high : low) = middle;
    }
    return high;
  };
  const std::size_t input = 4 * 32 * 16 * sizeof(Real);
  const std::size_t plain = least(12, false), again = least(12, true), half = least(6, true);
  CHECK(again < plain / 3);
  // A layer more costs its input and its parameters' gradients.
  const std::size_t gradients = (4 * 16 * 16 + 2 * 16 * 64 + 9 * 16 + 64) * sizeof(Real);
  CHECK(again - half < 6 * (input + gradients) * 11 / 10);
}
