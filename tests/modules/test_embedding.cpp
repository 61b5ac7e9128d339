#include <catch2/catch.hpp>

#include "autograd/engine.hpp"
#include "compare.hpp"
#include "core/draw.hpp"
#include "modules/embedding.hpp"
#include "optim/optimizer.hpp"

using namespace fovea;
using Catch::Contains;

TEST_CASE("the row of the padding id is zero and stays so with every optimiser", "[modules]") {
  for (const std::string& name : optimizer_names()) {
    INFO(name);
    Rng rng(1), same(1);
    Embedding padded(4, 3, rng, 1, 2);
    const Embedding plain(4, 3, same);
    const Tensor start = padded.table.value();
    for (const std::size_t row : {0, 1, 3}) {
      CHECK(same_bits(slice(Variable(start), 0, row, row + 1).value(),
                      slice(plain.table, 0, row, row + 1).value()));
    }
    CHECK_THAT(padded(Ids({2})).value(), close_to(zeros({1, 3}), 0));
    const auto method = make_optimizer(name, name == "adam" ? 0 : 0.1);
    for (int step = 0; step < 3; ++step) {
      padded.table.clear_grad();
      backward(sum(add(padded(Ids({0, 2, 2, 3})), Variable(scalar(1)))));
      method->step(parameters(padded), 0.1);
    }
    const Tensor& now = padded.table.value();
    CHECK_THAT(slice(Variable(now), 0, 2, 3).value(), close_to(zeros({1, 3}), 0));
    CHECK(now.at(0, 0) != start.at(0, 0));
    CHECK(now.at(3, 0) != start.at(3, 0));
  }
}

TEST_CASE("a projection of an embedding, from few ids and from many", "[modules]") {
  Rng rng(3);
  for (const std::optional<std::int64_t> padding :
       {std::optional<std::int64_t>(), std::optional<std::int64_t>(2)}) {
    Embedding embedding(4, 3, rng, 1, padding);
    Variable weight = Variable::leaf(normal(rng, {5, 3}, 0, 1)),
             bias = Variable::leaf(normal(rng, {5}, 0, 1));
    for (const Ids& ids : {Ids({3}, {0, 2, 3}), Ids({2, 3}, {0, 2, 2, 3, 0, 0})}) {
      const auto run = [&](const Variable& y) {
        embedding.table.clear_grad();
        weight.clear_grad();
        bias.clear_grad();
        backward(sum(mul(y, y)));
        return std::vector<Tensor>{y.value(), *embedding.table.grad(), *weight.grad(), *bias.grad()};
      };
      const std::vector<Tensor> one = run(embedding.projected(ids, weight, bias)),
                                other = run(linear(embedding(ids), weight, bias));
      for (std::size_t i = 0; i < one.size(); ++i)
        CHECK_THAT(one[i], close_to(other[i], sizeof(Real) == 8 ? 1e-12 : 1e-5));
    }
  }
}

TEST_CASE("a padding id has to be one of the rows", "[modules]") {
  Rng rng(1);
  for (const std::int64_t padding : {-1, 4}) {
    CHECK_THROWS_WITH(Embedding(4, 3, rng, 1, padding),
                      Contains("padding id " + std::to_string(padding)) && Contains("0 … 3"));
  }
}

// Case ChatRWKV PR#217.
TEST_CASE("an id without a row is named, with its place", "[modules]") {
  Rng rng(1);
  const Embedding embedding(5, 2, rng), padded(5, 2, rng, 1, 0);
  const EmbeddingBag bag(5, 2, Bag::sum, rng);
  const auto say = [](const std::function<void()>& call) {
    try {
      call();
    } catch (const ShapeError& error) {
      return std::string(error.what());
    }
    return std::string("no error");
  };
  for (const std::int64_t id : {std::int64_t{5}, std::int64_t{-1}, std::int64_t{1} << 40}) {
    const std::string start = "id " + std::to_string(id) + " at position ";
    const std::string end = " is outside 0 … 4 (5 rows)";
    CHECK(say([&] { embedding(Ids({2, 2}, {0, 1, 4, id})); }) == "[gather] " + start + "[1, 1]" + end);
    CHECK(say([&] { padded(Ids({0, 0, id})); }) == "[gather] " + start + "[2]" + end);
    CHECK(say([&] { bag(Ids({0, id}), {0, 2}); }) == "[embedding_bag] " + start + "[1]" + end);
  }
}
