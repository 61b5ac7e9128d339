#include <algorithm>
#include <map>
#include <set>

#include <catch2/catch.hpp>

#include "autograd/engine.hpp"
#include "autograd/gradcheck.hpp"
#include "autograd/trace.hpp"
#include "compare.hpp"
#include "core/draw.hpp"
#include "modules/seq2seq/beam.hpp"
#include "modules/seq2seq/guide.hpp"
#include "modules/seq2seq/seq2seq.hpp"

using namespace fovea;
using Catch::Contains;

namespace {

constexpr std::int64_t begin = 1, end = 2;
constexpr std::size_t sounds = 9;

struct Kind {
  std::string model, attention;
};
const std::vector<Kind> kinds{
    {"lstm", "additive"},        {"lstm", "dot"},        {"lstm", "scaled_dot"},
    {"lstm", "general"},         {"gru", "additive"},    {"gru", "scaled_dot"},
    {"transformer", "additive"}, {"transformer", "dot"}, {"transformer", "scaled_dot"}};

Seq2SeqSettings settings(const Kind& kind, bool tied = false) {
  return {.model = kind.model,
          .attention = {kind.attention},
          .source_vocabulary = 7,
          .target_vocabulary = sounds,
          .width = 8,
          .layers = 2,
          .heads = 2,
          .inner = 12,
          .activation = "gelu",
          .dropout = 0.3,
          .tied = tied};
}

// With biases that are not zero.
Seq2Seq model_of(const Kind& kind, bool tied = false, std::size_t width = 8, std::size_t layers = 2) {
  Rng rng(5);
  Seq2SeqSettings of = settings(kind, tied);
  of.width = width;
  of.layers = layers;
  Seq2Seq model = make_seq2seq(of, rng);
  for (const NamedParam& named : parameters(model)) {
    if (named.param->shape().size() != 1) continue;
    const Tensor shift = normal(rng, named.param->shape(), 0, Real(0.3));
    named.param->update([&](Tensor& value) { value += shift; });
  }
  return model;
}

// Three sources of different lengths, and what is said of them.
const Padded sources{Ids({3, 5}, {4, 5, 6, 4, 3, 5, 5, 0, 0, 0, 6, 4, 5, 0, 0}), {5, 2, 3}};
const Padded inputs{Ids({3, 4}, {begin, 4, 5, 6, begin, 8, 0, 0, begin, 7, 3, 0}), {4, 2, 3}};

Padded alone(const Padded& all, std::size_t item) {
  const std::size_t time = all.ids.shape[1], length = all.lengths[item];
  const auto first = all.ids.values.begin() + static_cast<std::ptrdiff_t>(item * time);
  return {Ids({1, length}, {first, first + static_cast<std::ptrdiff_t>(length)}), {length}};
}

// Row [b][t] of logits [B, T, V].
Tensor row_of(const Variable& logits, std::size_t b, std::size_t t) {
  const Variable item = slice(slice(logits, 0, b, b + 1), 1, t, t + 1);
  return reshape(item, {item.size()}).value();
}

double tolerance() { return sizeof(Real) == 8 ? 1e-12 : 1e-5; }

}  // namespace

TEST_CASE("seq2seq: step by step equals the whole sequence", "[modules][seq2seq]") {
  for (const Kind& kind : kinds) {
    for (const std::size_t layers : {1, 2}) {
      const bool tied = layers == 1;
      CAPTURE(kind.model, kind.attention, tied, layers);
      const Seq2Seq model = model_of(kind, tied, 8, layers);
      Pass pass;
      const NoGrad no_graph;
      const Variable whole = forward(model, sources, inputs, pass);
      const auto decoding = decode(model, sources, pass);
      for (std::size_t t = 0; t < 4; ++t) {
        std::vector<std::int64_t> last;
        for (std::size_t b = 0; b < 3; ++b) last.push_back(inputs.ids.values[b * 4 + t]);
        const Variable logits = decoding->next(last);
        REQUIRE(logits.shape() == Shape{3, sounds});
        for (std::size_t b = 0; b < 3; ++b) {
          if (t >= inputs.lengths[b]) continue;
          CHECK_THAT(reshape(slice(logits, 0, b, b + 1), {sounds}).value(),
                     close_to(row_of(whole, b, t), tolerance()));
        }
      }
    }
  }
}

TEST_CASE("seq2seq: who looks at the attention changes nothing", "[modules][seq2seq]") {
  for (const Kind& kind : kinds) {
    for (const bool training : {false, true}) {  // dropout is drawn alike
      for (const std::size_t layers : {1, 2}) {
        CAPTURE(kind.model, kind.attention, training, layers);
        Seq2Seq model = model_of(kind, false, 8, layers);
        const auto run = [&](Observations* observations) {
          Pass pass{.training = training, .rng = Rng(3), .observations = observations};
          for (const NamedParam& named : parameters(model)) named.param->clear_grad();
          const Trace trace;
          const Variable logits = forward(model, sources, inputs, pass);
          const bool at_once = std::any_of(trace.calls().begin(), trace.calls().end(), [](const auto& call) {
            return call.op->name() == "attentive_lstm";
          });
          CHECK(at_once ==
                (kind.model == "lstm" && kind.attention == "additive" && layers == 1 && !observations));
          backward(sum(nll(log_softmax(logits, -1), inputs.ids, 0)));
          std::vector<Tensor> all{logits.value()};
          for (const NamedParam& named : parameters(model)) all.push_back(*named.param->grad());
          return all;
        };
        Observations seen({.weights = true});
        const std::vector<Tensor> unseen = run(nullptr), looked_at = run(&seen);
        REQUIRE(unseen.size() == looked_at.size());
        for (std::size_t i = 0; i < unseen.size(); ++i)
          CHECK_THAT(unseen[i], close_to(looked_at[i], tolerance()));
      }
    }
  }
}

TEST_CASE("seq2seq: rows that are chosen go on with what they remember", "[modules][seq2seq]") {
  for (const Kind& kind : kinds) {
    CAPTURE(kind.model, kind.attention);
    const Seq2Seq model = model_of(kind);
    Pass pass;
    const NoGrad no_graph;
    const auto all = decode(model, sources, pass), one = decode(model, alone(sources, 2), pass);
    all->next(std::vector<std::int64_t>{begin, begin, begin});
    one->next(std::vector<std::int64_t>{begin});
    all->select(std::vector<std::size_t>{2, 0, 2});
    const Variable logits = all->next(std::vector<std::int64_t>{7, 4, 3});
    const Variable expected = one->next(std::vector<std::int64_t>{7});
    CHECK_THAT(slice(logits, 0, 0, 1).value(), close_to(expected.value(), tolerance()));
    // Another token, another answer.
    CHECK_THAT(slice(logits, 0, 2, 3).value(), !close_to(expected.value(), tolerance()));
  }
}

TEST_CASE("seq2seq: an item of a padded batch gets what it gets alone", "[modules][seq2seq]") {
  for (const Kind& kind : kinds) {
    CAPTURE(kind.model, kind.attention);
    const Seq2Seq model = model_of(kind);
    Pass pass;
    const Variable together = forward(model, sources, inputs, pass);
    for (std::size_t b = 0; b < 3; ++b) {
      const Variable one = forward(model, alone(sources, b), alone(inputs, b), pass);
      for (std::size_t t = 0; t < inputs.lengths[b]; ++t)
        CHECK_THAT(row_of(together, b, t), close_to(row_of(one, 0, t), sizeof(Real) == 8 ? 1e-12 : 2e-6));
    }
  }
}

TEST_CASE("seq2seq: what padding holds has no influence", "[modules][seq2seq]") {
  for (const Kind& kind : kinds) {
    CAPTURE(kind.model, kind.attention);
    const Seq2Seq model = model_of(kind);
    Padded other = sources;
    other.ids.values[7] = 6;  // item 1 has two tokens
    Pass pass;
    const Variable a = forward(model, sources, inputs, pass), b = forward(model, other, inputs, pass);
    for (std::size_t t = 0; t < 2; ++t) CHECK(same_bits(row_of(a, 1, t), row_of(b, 1, t)));
  }
}

TEST_CASE("seq2seq: gradients", "[modules][seq2seq]") {
  if constexpr (sizeof(Real) == 8) {
    for (const Kind& kind : kinds) {
      for (const double own : {0.0, 0.5}) {
        CAPTURE(kind.model, kind.attention, own);
        Seq2Seq model = model_of(kind, own > 0, 4, 1);  // small: each number costs two passes
        const auto loss = [&] {
          Pass pass{.training = true, .rng = Rng(3)};
          const Variable logits = forward(model, sources, inputs, pass, own);
          // Padding is left out: as an input its row of the table gets no gradient.
          return sum(nll(log_softmax(logits, -1), inputs.ids, 0));
        };
        const GradcheckReport report = gradcheck(parameters(model), loss, {});
        INFO(report.text());
        CHECK(report.passed);
      }
    }
  }
}

TEST_CASE("seq2seq: own guesses take the place of inputs", "[modules][seq2seq]") {
  for (const Kind& kind : kinds) {
    CAPTURE(kind.model, kind.attention);
    const Seq2Seq model = model_of(kind);
    const NoGrad no_graph;
    Pass pass;
    const Variable taught = forward(model, sources, inputs, pass);
    // Greedy guesses in the places of all inputs but the first: what is then said at step t follows them. A
    // Transformer guesses from the right inputs.
    Padded guessed = inputs;
    if (kind.model == "transformer") {
      for (std::size_t b = 0; b < 3; ++b)
        for (std::size_t t = 1; t < inputs.lengths[b]; ++t)
          guessed.ids.values[b * 4 + t] = guesses(Variable(row_of(taught, b, t - 1)))[0];
    } else {
      for (std::size_t t = 1; t < 4; ++t) {
        const Variable so_far = forward(model, sources, guessed, pass);
        for (std::size_t b = 0; b < 3; ++b)
          if (t < inputs.lengths[b])
            guessed.ids.values[b * 4 + t] = guesses(Variable(row_of(so_far, b, t - 1)))[0];
      }
    }
    CHECK_THAT(forward(model, sources, inputs, pass, 1).value(),
               close_to(forward(model, sources, guessed, pass).value(), tolerance()));
    CHECK(same_bits(forward(model, sources, inputs, pass, 0).value(), taught.value()));
  }
}

TEST_CASE("seq2seq: a tied last layer is the target's table", "[modules][seq2seq]") {
  for (const std::string name : {"lstm", "transformer"}) {
    Seq2Seq free = model_of({name, "additive"}), tied = model_of({name, "additive"}, true);
    CHECK(parameter_count(free) - parameter_count(tied) == 8 * sounds);
    const auto paths = [](Seq2Seq& model) {
      std::set<std::string> found;
      for (const NamedParam& named : parameters(model)) found.insert(named.path);
      return found;
    };
    CHECK(paths(free).contains("out.weight"));
    CHECK_FALSE(paths(tied).contains("out.weight"));
    CHECK(paths(tied).contains("out_bias"));
  }
}

TEST_CASE("seq2seq: every attention can be looked at, by path", "[modules][seq2seq]") {
  const auto looked_at = [](const Kind& kind) {
    const Seq2Seq model = model_of(kind);
    Observations seen({.weights = true, .entropy = true});
    Pass pass{.observations = &seen};
    forward(model, sources, inputs, pass);
    std::map<std::string, std::vector<Shape>> shapes;
    for (const auto& [path, calls] : by_path(model, seen))
      for (const Observed& call : calls) shapes[path].push_back(call.weights.shape());
    return shapes;
  };
  const auto recurrent = looked_at({"lstm", "additive"});
  CHECK(recurrent == std::map<std::string, std::vector<Shape>>{
                         {"attention", {{3, 1, 1, 5}, {3, 1, 1, 5}, {3, 1, 1, 5}, {3, 1, 1, 5}}}});
  const auto transformer = looked_at({"transformer", "additive"});
  CHECK(transformer.size() == 6);
  CHECK(transformer.at("encoder.layers.1.self_attention") == std::vector<Shape>{{3, 2, 5, 5}});
  CHECK(transformer.at("decoder.layers.0.cross_attention") == std::vector<Shape>{{3, 2, 4, 5}});
}

TEST_CASE("seq2seq: names that do not exist", "[modules][seq2seq]") {
  CHECK_THROWS_WITH(model_of({"rnn", "dot"}), Contains("rnn") && Contains("transformer"));
  CHECK_THROWS_WITH(model_of({"lstm", "angle"}), Contains("angle"));
  CHECK_THROWS_WITH(model_of({"transformer", "general"}), Contains("general"));
  Pass pass;
  CHECK_THROWS_WITH(forward(model_of({"lstm", "dot"}), sources, alone(inputs, 0), pass),
                    Contains("3 sources") && Contains("1 targets"));
}

TEST_CASE("all steps at once: the score's bias must be the key's", "[modules][seq2seq]") {
  Rng rng(1);
  AdditiveScore score(3, 3, 3, rng);
  const RecurrentDirection layer(Cell::lstm, 6, 3, rng);
  const auto gates_of = [](const Variable& weight, const Variable& bias) {
    return linear(zeros({1, 2, 3}), weight, bias);
  };
  const DecoderMemory read{{zeros({1, 4, 3})}, zeros({1, 4, 3})};
  CHECK(all_steps(layer, score, gates_of, read, {}, {}).outputs.shape() == Shape{1, 2, 3});
  score.query.bias = Param(zeros({3}));
  CHECK_THROWS_AS(all_steps(layer, score, gates_of, read, {}, {}), ConfigError);
}

TEST_CASE("beam search of 1 equals greedy on models", "[modules][seq2seq]") {
  for (const Kind& kind : kinds) {
    CAPTURE(kind.model, kind.attention);
    const Seq2Seq model = model_of(kind);
    const NoGrad no_graph;
    Pass pass;
    const auto decoding = decode(model, sources, pass);
    const std::vector<std::size_t> most{6, 6, 6};
    const auto found = beam_search(*decoding, most, {.beam = 1});
    for (std::size_t b = 0; b < 3; ++b) {
      std::vector<std::int64_t> said{begin};
      while (said.size() <= 6) {
        const Padded so_far{Ids({1, said.size()}, std::vector(said)), {said.size()}};
        const Variable logits = forward(model, alone(sources, b), so_far, pass);
        const std::int64_t best = guesses(Variable(row_of(logits, 0, said.size() - 1)))[0];
        if (best == end) break;
        said.push_back(best);
      }
      said.erase(said.begin());
      CHECK(found[b][0].tokens == said);
    }
  }
}

TEST_CASE("diagonal: the guide is the mean cost of the weights, by each item's lengths",
          "[modules][seq2seq]") {
  // One head, item 0 with 2 queries of 3 keys, item 1 with 1 of 1.
  const Tensor weights = tensor({2, 1, 2, 3}, {Real(0.5), Real(0.25), Real(0.25), 0, 0, 1,  //
                                               1, 0, 0, Real(0.5), Real(0.5), 0});
  const std::vector<std::size_t> queries{2, 1}, keys{3, 1};
  const auto cost = [](double away) { return 1 - std::exp(-away * away / 0.08); };
  const double expected = (0.25 * cost(1.0 / 3) + 0.25 * cost(2.0 / 3) + cost(0.5 - 2.0 / 3)) / 3;
  CHECK(static_cast<double>(diagonal_guide(weights, queries, keys).item()) == Approx(expected).epsilon(1e-5));
  // Centres of item 0 are at 0.25 and 1.75 of 0 … 2; item 1's second query is padding.
  CHECK(mass_on_diagonal(weights, queries, keys, 1) == Approx(0.75 + 1 + 1));
  CHECK(mass_on_diagonal(weights, queries, keys, 0.5) == Approx(0.5 + 1 + 1));
  CHECK_THROWS_WITH(mass_on_diagonal(weights, keys, {}, 1), Contains("[2, 1, 2, 3]"));
}
