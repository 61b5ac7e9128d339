#include <algorithm>

#include <catch2/catch.hpp>

#include "autograd/engine.hpp"
#include "autograd/trace.hpp"
#include "compare.hpp"
#include "core/draw.hpp"
#include "core/parallel.hpp"
#include "modules/recurrent.hpp"
#include "training/checkpoint.hpp"

using namespace fovea;
using Catch::Contains;

namespace {

constexpr std::size_t inputs = 3, hidden = 5;

Tensor numbers_of(const Shape& shape, std::uint64_t seed) {
  Rng rng(seed);
  return normal(rng, shape, 0, 1);
}

Recurrent model(Cell cell, std::uint64_t seed = 1, double dropout = 0) {
  Rng rng(seed);
  return Recurrent(cell, inputs, hidden, rng, {2, true, dropout});
}

// Items `begin` … `end`-1 and their first `steps` steps.
Tensor part(const Tensor& x, std::size_t begin, std::size_t end, std::size_t steps) {
  return slice(slice(Variable(x), 0, begin, end), 1, 0, steps).value();
}

std::vector<Tensor> gradients_of(Recurrent& module) {
  std::vector<Tensor> all;
  for (const NamedParam& named : parameters(module)) all.push_back(*named.param->grad());
  return all;
}

// Outputs, states, and the gradients of a loss of all of them.
std::vector<Tensor> everything(Recurrent module, const Tensor& x, const std::vector<std::size_t>& lengths) {
  Pass pass;
  const Variable leaf = Variable::leaf(Tensor(x));
  const RecurrentResult y = module(leaf, pass, lengths);
  Variable loss = sum(pow(y.outputs, 2)) + sum(y.state.hidden);
  if (y.state.cell.defined()) loss = loss + sum(pow(y.state.cell, 3));
  backward(loss);
  std::vector<Tensor> all{y.outputs.value(), y.state.hidden.value(), *leaf.grad()};
  for (Tensor& gradient : gradients_of(module)) all.push_back(std::move(gradient));
  return all;
}

const double tight = 1e-6;

}  // namespace

TEST_CASE("an item of a padded batch gets what it gets alone", "[modules]") {
  for (const Cell cell : {Cell::lstm, Cell::gru}) {
    const std::vector<std::size_t> lengths{4, 0, 7, 1, 6};
    const Tensor x = numbers_of({5, 7, inputs}, 2);
    Recurrent module = model(cell), apart = model(cell);
    Pass pass;
    const Variable leaf = Variable::leaf(Tensor(x));
    const RecurrentResult y = module(leaf, pass, lengths);
    backward(sum(pow(y.outputs, 2)) + sum(y.state.hidden));
    for (std::size_t i = 0; i < lengths.size(); ++i) {
      INFO("item " << i);
      const Variable own = Variable::leaf(part(x, i, i + 1, lengths[i]));
      const RecurrentResult alone = apart(own, pass);
      CHECK_THAT(part(y.outputs.value(), i, i + 1, lengths[i]), close_to(alone.outputs.value(), tight));
      const Tensor last = slice(y.state.hidden, 1, i, i + 1).value();
      CHECK_THAT(last, close_to(alone.state.hidden.value(), tight));
      backward(sum(pow(alone.outputs, 2)) + sum(alone.state.hidden));
      CHECK_THAT(part(*leaf.grad(), i, i + 1, lengths[i]), close_to(*own.grad(), tight));
      for (std::size_t t = lengths[i]; t < 7; ++t) {
        for (std::size_t k = 0; k < 2 * hidden; ++k) CHECK(y.outputs.value().at(i, t, k) == 0);
        for (std::size_t k = 0; k < inputs; ++k) CHECK(leaf.grad()->at(i, t, k) == 0);
      }
    }
    const std::vector<Tensor> together = gradients_of(module), one_by_one = gradients_of(apart);
    for (std::size_t i = 0; i < together.size(); ++i)
      CHECK_THAT(together[i], close_to(one_by_one[i], 10 * tight));
  }
}

TEST_CASE("what padding holds has no influence on a recurrent layer, also NaN", "[modules]") {
  const std::vector<std::size_t> lengths{2, 0, 4};
  for (const Cell cell : {Cell::lstm, Cell::gru}) {
    Tensor x = numbers_of({3, 4, inputs}, 2);
    const std::vector<Tensor> clean = everything(model(cell), x, lengths);
    for (std::size_t i = 0; i < 3; ++i) {
      for (std::size_t t = lengths[i]; t < 4; ++t) {
        for (std::size_t k = 0; k < inputs; ++k) x.at(i, t, k) = std::numeric_limits<Real>::quiet_NaN();
      }
    }
    const std::vector<Tensor> odd = everything(model(cell), x, lengths);
    REQUIRE(odd.size() == clean.size());
    for (std::size_t i = 0; i < odd.size(); ++i) CHECK_THAT(odd[i], close_to(clean[i], 0));
  }
}

TEST_CASE("an item that is NaN and counts for nothing leaves the weights' gradients alone", "[modules]") {
  for (const Cell cell : {Cell::lstm, Cell::gru}) {
    Tensor x = numbers_of({2, 4, inputs}, 2);
    x.at(1, 1, 0) = std::numeric_limits<Real>::infinity();
    x.at(1, 2, 0) = std::numeric_limits<Real>::quiet_NaN();
    const auto of = [&](const Tensor& from) {
      Recurrent module = model(cell);
      Pass pass;
      backward(sum(slice(module(from, pass).outputs, 0, 0, 1)));
      return gradients_of(module);
    };
    const std::vector<Tensor> with = of(x), without = of(part(x, 0, 1, 4));
    for (std::size_t i = 0; i < with.size(); ++i) CHECK_THAT(with[i], close_to(without[i], tight));
  }
}

TEST_CASE("the state that a recurrent layer hands on continues the sequence", "[modules]") {
  for (const Cell cell : {Cell::lstm, Cell::gru}) {
    Rng rng(1);
    const Recurrent module(cell, inputs, hidden, rng, {.layers = 2});
    const Variable x = numbers_of({2, 5, inputs}, 2);
    Pass pass;
    const RecurrentResult whole = module(x, pass);
    RecurrentState state;
    for (std::size_t t = 0; t < 5; ++t) {
      const RecurrentResult next = module(slice(x, 1, t, t + 1), pass, {}, state);
      state = next.state;
      CHECK_THAT(next.outputs.value(), close_to(slice(whole.outputs, 1, t, t + 1).value(), tight));
    }
    CHECK_THAT(state.hidden.value(), close_to(whole.state.hidden.value(), tight));
  }
}

TEST_CASE("a recurrent layer drops outputs between layers, and only while training", "[modules]") {
  const Variable x = numbers_of({2, 4, inputs}, 2);
  const auto outputs = [&](bool training, double rate, std::size_t layers) {
    Rng rng(1);
    const LSTM module(inputs, hidden, rng, {.layers = layers, .dropout = rate});
    Pass pass{.training = training, .rng = Rng(3)};
    return module(x, pass).outputs.value();
  };
  const Tensor plain = outputs(false, 0, 2);
  CHECK(same_bits(outputs(false, 0.5, 2), plain));
  CHECK_FALSE(same_bits(outputs(true, 0.5, 2), plain));
  CHECK(same_bits(outputs(true, 0.5, 1), outputs(false, 0, 1)));  // the last layer's are not dropped
}

TEST_CASE("start values of recurrent layers", "[modules]") {
  for (const Cell cell : {Cell::lstm, Cell::gru}) {
    const Recurrent module = model(cell);
    const std::size_t gates = cell == Cell::lstm ? 4 : 3;
    for (const RecurrentLayer& layer : module.layers) {
      for (const RecurrentDirection* direction : {&layer.forward, &*layer.backward}) {
        for (std::size_t gate = 0; gate < gates; ++gate) {
          const Variable rows =
              slice(direction->weight_hh.variable().detach(), 0, gate * hidden, (gate + 1) * hidden);
          Tensor one = zeros({hidden, hidden});
          for (std::size_t i = 0; i < hidden; ++i) one.at(i, i) = 1;
          CHECK_THAT(matmul(rows, rows, false, true).value(), close_to(one));
          for (std::size_t i = 0; i < hidden; ++i) {
            const bool forget = cell == Cell::lstm && gate == 1;
            CHECK(direction->bias_ih.value().at(gate * hidden + i) == (forget ? 1 : 0));
            CHECK(direction->bias_hh.value().at(gate * hidden + i) == 0);
          }
        }
        CHECK_FALSE(direction->bias_ih.decays());
        CHECK_FALSE(direction->bias_hh.decays());
      }
    }
  }
}

TEST_CASE("a recurrent layer reads ids as it reads their vectors", "[modules]") {
  constexpr std::size_t items = 3, steps = 4;
  for (const Cell cell : {Cell::lstm, Cell::gru}) {
    for (const std::size_t rows : {5, 12, 13}) {  // of the table; there are 12 ids
      for (const auto& lengths : {std::vector<std::size_t>(), {4, 0, 2}}) {
        for (const bool bidirectional : {false, true}) {
          CAPTURE(cell == Cell::lstm, rows, lengths, bidirectional);
          std::vector<std::int64_t> values(items * steps);
          for (std::size_t i = 0; i < values.size(); ++i)
            values[i] = static_cast<std::int64_t>(i * 7 % std::min<std::size_t>(rows, 5));
          const Ids ids({items, steps}, values);
          const auto run = [&](bool as_ids) {
            Rng rng(1);
            Embedding embedding(rows, inputs, rng, 1, 2);
            Recurrent module(cell, inputs, hidden, rng, {.layers = 2, .bidirectional = bidirectional});
            for (RecurrentLayer& layer : module.layers) {
              layer.forward.bias_hh.set(numbers_of(layer.forward.bias_hh.shape(), 6));
              layer.forward.bias_ih.set(numbers_of(layer.forward.bias_ih.shape(), 7));
            }
            const Shape of_state{2 * module.directions(), items, hidden};
            const Variable h = Variable::leaf(numbers_of(of_state, 3)),
                           c = Variable::leaf(numbers_of(of_state, 4));
            const RecurrentState start{h, cell == Cell::lstm ? c : Variable()};
            Pass pass;
            const Trace trace;
            const RecurrentResult y = as_ids ? module(embedding, ids, pass, lengths, start)
                                             : module(embedding(ids), pass, lengths, start);
            if (as_ids && cell == Cell::lstm) {
              const auto layers =
                  std::count_if(trace.calls().begin(), trace.calls().end(),
                                [](const auto& call) { return call.op->name() == "lstm_layer"; });
              const std::size_t all = 2 * module.directions();
              CHECK(static_cast<std::size_t>(layers) == (rows < 12 ? all / 2 : all));
            }
            Variable loss = sum(pow(y.outputs, 2)) + sum(y.state.hidden);
            if (y.state.cell.defined()) loss = loss + sum(pow(y.state.cell, 3));
            backward(loss);
            std::vector<Tensor> found{y.outputs.value(), y.state.hidden.value(), *embedding.table.grad(),
                                      *h.grad()};
            if (cell == Cell::lstm) found.push_back(*c.grad());
            for (Tensor& gradient : gradients_of(module)) found.push_back(std::move(gradient));
            return found;
          };
          const std::vector<Tensor> found = run(true), expected = run(false);
          REQUIRE(found.size() == expected.size());
          for (std::size_t i = 0; i < found.size(); ++i) {
            INFO("result " << i);
            CHECK_THAT(found[i], close_to(expected[i], 10 * tight));
          }
        }
      }
    }
  }
}

TEST_CASE("recurrent layers have the same bits for any number of threads", "[modules]") {
  const std::size_t before = threads();
  const Tensor x = numbers_of({37, 9, inputs}, 2);
  std::vector<std::size_t> lengths(37);
  for (std::size_t i = 0; i < lengths.size(); ++i) lengths[i] = (i * 5) % 10;
  for (const Cell cell : {Cell::lstm, Cell::gru}) {
    for (const auto& of : {std::vector<std::size_t>(), lengths}) {
      set_threads(1);
      const std::vector<Tensor> one = everything(model(cell), x, of);
      set_threads(2);
      const std::vector<Tensor> two = everything(model(cell), x, of);
      for (std::size_t i = 0; i < one.size(); ++i) CHECK(same_bits(one[i], two[i]));
    }
  }
  set_threads(before);
}

TEST_CASE("an attentive lstm: same bits for any number of threads, a batch equals its items", "[modules]") {
  struct Sizes {
    std::size_t items, steps, keys, width;  // with many keys an item is work enough for a thread
  };
  const std::size_t before = threads();
  for (const auto [items, steps, keys, width] :
       {Sizes{37, 4, 6, 3}, {37, 1, 200, 64}, {5, 3, 200, 64}, {20, 2, 200, 64}}) {
    CAPTURE(items, steps, keys);
    std::vector<Tensor> all;
    std::uint64_t seed = 0;
    for (const Shape& shape : {Shape{items, steps, 4 * hidden},
                               {items, keys, width},
                               {items, keys, 2 * width},
                               {items, hidden},
                               {4 * hidden, hidden},
                               {4 * hidden, 2 * width},
                               {width, hidden},
                               {width}})
      all.push_back(numbers_of(shape, ++seed));
    // Results and gradients; of what items have, those of `begin` … `end`-1.
    const auto run = [&](std::size_t begin, std::size_t end) {
      std::vector<Variable> in;
      for (std::size_t i = 0; i < all.size(); ++i)
        in.push_back(Variable::leaf(i < 4 ? slice(Variable(all[i]), 0, begin, end).value() : Tensor(all[i])));
      const Recurrence y = attentive_lstm(in[0], {in[4], in[5], in[6], in[7]}, in[1], in[2], in[3]);
      backward(sum(pow(y.outputs, 2)) + sum(y.contexts) + sum(y.hidden) + sum(pow(y.cell, 3)));
      std::vector<Tensor> found{y.outputs.value(), y.contexts.value()};
      for (const Variable& x : in) found.push_back(*x.grad());
      return found;
    };
    set_threads(1);
    const std::vector<Tensor> expected = run(0, items);
    for (const std::size_t count : {2, 3}) {
      set_threads(count);
      const std::vector<Tensor> found = run(0, items);
      for (std::size_t i = 0; i < expected.size(); ++i) CHECK(same_bits(found[i], expected[i]));
    }
    set_threads(before);
    for (const std::size_t item : {std::size_t{0}, items / 2, items - 1}) {
      const std::vector<Tensor> alone = run(item, item + 1);
      for (std::size_t i = 0; i < 6; ++i)
        CHECK_THAT(alone[i], close_to(slice(Variable(expected[i]), 0, item, item + 1).value(), 10 * tight));
    }
  }
}

TEST_CASE("recurrent layers are saved and loaded by path", "[modules]") {
  for (const Cell cell : {Cell::lstm, Cell::gru}) {
    Recurrent module = model(cell), other = model(cell, 9);
    CHECK(parameters(module)[0].path == "layers.0.forward.weight_ih");
    CHECK(parameters(module).back().path == "layers.1.backward.bias_hh");
    Entries entries;
    add_model(entries, parameters(module), buffers(module));
    load_model({"x.fovea", {}, {}, Entries::unpack(entries.pack())}, parameters(other), buffers(other));
    const Variable x = numbers_of({2, 4, inputs}, 2);
    Pass pass;
    CHECK(same_bits(module(x, pass).outputs.value(), other(x, pass).outputs.value()));
  }
}

TEST_CASE("a recurrent layer of nothing", "[modules]") {
  for (const Cell cell : {Cell::lstm, Cell::gru}) {
    const Recurrent module = model(cell);
    Pass pass;
    CHECK(module(zeros({0, 4, inputs}), pass).outputs.shape() == Shape{0, 4, 2 * hidden});
    const RecurrentResult none = module(zeros({2, 0, inputs}), pass);
    CHECK(none.outputs.shape() == Shape{2, 0, 2 * hidden});
    CHECK_THAT(none.state.hidden.value(), close_to(zeros({4, 2, hidden}), 0));
    const Tensor state = numbers_of({4, 2, hidden}, 5);
    const RecurrentState start{Variable(state), cell == Cell::lstm ? Variable(state) : Variable()};
    CHECK(same_bits(module(zeros({2, 3, inputs}), pass, {0, 0}, start).state.hidden.value(), state));
  }
}

TEST_CASE("recurrent layers say what does not fit", "[modules]") {
  Pass pass;
  Rng rng(1);
  const Recurrent module = model(Cell::lstm), gru = model(Cell::gru);
  CHECK(cell_named("lstm") == Cell::lstm);
  CHECK(cell_named("gru") == Cell::gru);
  CHECK_THROWS_WITH(cell_named("rnn"), Contains("'rnn'") && Contains("lstm and gru"));
  CHECK_THROWS_AS(cell_named(""), ConfigError);
  CHECK_THROWS_AS(LSTM(2, 3, rng, {.layers = 0}), ConfigError);
  CHECK_THROWS_AS(LSTM(2, 3, rng, {.dropout = 1}), ConfigError);
  CHECK_THROWS_WITH(module(zeros({2, 4, 7}), pass), Contains("[2, 4, 7]") && Contains("[batch, time, 3]"));
  const Embedding table(5, inputs, rng), wide(5, 4, rng);
  CHECK_THROWS_WITH(module(table, Ids({2}, {1, 2}), pass),
                    Contains("ids") && Contains("[2]") && Contains("[batch, time]"));
  CHECK_THROWS_WITH(module(wide, Ids({1, 2}, {1, 2}), pass), Contains("[5, 4]") && Contains("[ids, 3]"));
  CHECK_THROWS_WITH(module(zeros({2, 4, inputs}), pass, {1}), Contains("1 lengths") && Contains("2 items"));
  CHECK_THROWS_WITH(module(zeros({2, 4, inputs}), pass, {1, 5}), Contains("item 1") && Contains("length 5"));
  CHECK_THROWS_WITH(module(zeros({2, 4, inputs}), pass, {}, {Variable(zeros({2, 2, hidden})), {}}),
                    Contains("hidden state") && Contains("[4, 2, 5]"));
  CHECK_THROWS_WITH(module(zeros({2, 4, inputs}), pass, {}, {{}, Variable(zeros({4, 2, 1}))}),
                    Contains("cell state") && Contains("[4, 2, 1]"));
  CHECK_THROWS_WITH(gru(zeros({2, 4, inputs}), pass, {}, {{}, Variable(zeros({4, 2, hidden}))}),
                    Contains("gru has no cell"));
}
