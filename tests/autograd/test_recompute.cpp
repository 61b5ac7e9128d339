#include <catch2/catch.hpp>

#include "autograd/engine.hpp"
#include "autograd/gradcheck.hpp"
#include "autograd/ops.hpp"
#include "autograd/recompute.hpp"
#include "autograd/trace.hpp"
#include "compare.hpp"
#include "core/draw.hpp"

using namespace fovea;

namespace {

Variable leaf(std::initializer_list<Real> values) { return Variable::leaf(tensor({values.size()}, values)); }

Tensor drawn(const Shape& shape, std::uint64_t seed) {
  Rng rng(seed);
  return normal(rng, shape, 0, 1);
}

// A function of one result.
Variable recompute_one(const std::function<Variable(std::span<const Variable>)>& function,
                       const std::vector<Variable>& inputs, const std::vector<const Param*>& params = {}) {
  return recompute([function](std::span<const Variable> given) { return std::vector{function(given)}; },
                   inputs, params)[0];
}

// tanh(x · w) · x + w: what comes in and the parameter are both used twice.
struct Layer {
  Param w;
  Variable operator()(const Variable& x) const { return add(mul(tanh(mul(x, w)), x), w); }
  Variable recomputed(const Variable& x) const {
    return recompute_one([this](std::span<const Variable> given) { return (*this)(given[0]); }, {x}, {&w});
  }
};

std::vector<Layer> layers(std::size_t count) {
  std::vector<Layer> all;
  for (std::size_t i = 0; i < count; ++i) all.push_back({Param(drawn({3}, i))});
  return all;
}

}  // namespace

TEST_CASE("recomputed layers have the same values and gradients, bit for bit", "[autograd][recompute]") {
  const Tensor dy = drawn({2, 3}, 9);
  std::vector<Tensor> expected;
  for (const bool again : {false, true}) {
    std::vector<Layer> model = layers(4);
    const Variable x = Variable::leaf(drawn({2, 3}, 8));
    Variable y = x;
    for (const Layer& layer : model) y = again ? layer.recomputed(y) : layer(y);
    backward(y, dy);
    std::vector<Tensor> found{y.value(), *x.grad()};
    for (const Layer& layer : model) found.push_back(*layer.w.grad());
    if (!again) expected = found;
    REQUIRE(found.size() == expected.size());
    for (std::size_t i = 0; i < found.size(); ++i) CHECK(same_bits(found[i], expected[i]));
  }
}

TEST_CASE("a recomputed function runs once in each pass, and keeps no graph in between",
          "[autograd][recompute]") {
  const std::int64_t before = live_nodes();
  {
    const Variable x = leaf({2, 3});
    int runs = 0;
    const Variable y = recompute_one(
        [&runs](std::span<const Variable> given) {
          ++runs;
          return exp(tanh(mul(given[0], given[0])));
        },
        {x});
    CHECK(runs == 1);
    CHECK(live_nodes() == before + 2);  // x and the call
    backward(sum(y));
    CHECK(runs == 2);
    CHECK(live_nodes() == before + 2);
  }
  CHECK(live_nodes() == before);
}

TEST_CASE("a parameter of two recomputed functions and of the graph around them gets its whole gradient",
          "[autograd][recompute]") {
  // y = w · (w · (w x)) in small whole numbers, so that sums are exact however they are grouped.
  Param w(tensor({2}, {2, 3}));
  const Variable x = leaf({5, 7});
  const auto times_w = [&](const Variable& v) {
    return recompute_one([&](std::span<const Variable> given) { return mul(given[0], w); }, {v}, {&w});
  };
  std::vector<Tensor> seen, between;
  w.variable().on_gradient([&](const Tensor& gradient) { seen.push_back(gradient); });
  const Variable middle = times_w(mul(x, w));
  middle.on_gradient([&](const Tensor& gradient) { between.push_back(gradient); });
  const Variable y = add(times_w(middle), w);
  backward(sum(y));
  CHECK_THAT(*w.grad(), close_to(tensor({2}, {3 * 4 * 5 + 1, 3 * 9 * 7 + 1}), 0));
  CHECK_THAT(*x.grad(), close_to(tensor({2}, {8, 27}), 0));
  REQUIRE(seen.size() == 1);
  CHECK_THAT(seen[0], close_to(*w.grad(), 0));
  REQUIRE(between.size() == 1);
  CHECK_THAT(between[0], close_to(tensor({2}, {2, 3}), 0));
  w.clear_grad();
  CHECK_FALSE(w.grad());
  backward(sum(times_w(x)));
  CHECK_THAT(*w.grad(), close_to(tensor({2}, {5, 7}), 0));
  CHECK(seen.size() == 2);
}

TEST_CASE("recomputed functions stand in each other", "[autograd][recompute]") {
  const Tensor dy = drawn({2, 3}, 9);
  std::vector<Tensor> expected;
  for (const bool again : {false, true}) {
    const std::vector<Layer> model = layers(4);
    const Variable x = Variable::leaf(drawn({2, 3}, 8));
    const auto pair = [&](const Variable& in, std::size_t i) {
      if (!again) return model[i + 1](model[i](in));
      return recompute_one(
          [&, i](std::span<const Variable> given) {
            return model[i + 1].recomputed(model[i].recomputed(given[0]));
          },
          {in}, {&model[i].w, &model[i + 1].w});
    };
    const Variable y = pair(pair(x, 0), 2);
    backward(y, dy);
    std::vector<Tensor> found{y.value(), *x.grad()};
    for (const Layer& layer : model) found.push_back(*layer.w.grad());
    if (!again) expected = found;
    for (std::size_t i = 0; i < found.size(); ++i) CHECK(same_bits(found[i], expected[i]));
  }
}

TEST_CASE("a recomputed function has as many results as it likes", "[autograd][recompute]") {
  const Variable x = leaf({2, 3}), other = leaf({5, 7});
  const Variable constant = tensor({2}, {11, 13});
  const auto y = recompute(
      [](std::span<const Variable> given) {
        return std::vector<Variable>{mul(given[0], given[1]), given[1], given[2], exp(given[0]), given[1]};
      },
      {x, other, constant, Variable()}, {});
  REQUIRE(y.size() == 5);
  CHECK_THAT(y[2].value(), close_to(tensor({2}, {11, 13})));
  // The third one depends on nothing. The last two are not used; one of them is another one, too.
  backward(sum(add(add(y[0], y[1]), y[2])));
  CHECK_THAT(*x.grad(), close_to(tensor({2}, {5, 7})));
  CHECK_THAT(*other.grad(), close_to(tensor({2}, {3, 4})));
}

TEST_CASE("the same variable twice is one variable to a recomputed function", "[autograd][recompute]") {
  const Variable x = leaf({2, 3});
  const Variable y = recompute_one(
      [](std::span<const Variable> given) {
        CHECK(given[0].node() == given[2].node());
        CHECK(given[0].node() != given[1].node());
        return mul(mul(given[0], given[1]), given[2]);
      },
      {x, leaf({5, 7}), x});
  backward(sum(y));
  CHECK_THAT(*x.grad(), close_to(tensor({2}, {20, 42})));
}

TEST_CASE("where nothing is recorded a function to recompute is just called", "[autograd][recompute]") {
  const Variable x = leaf({2}), constant = scalar(3);
  int runs = 0;
  const auto square = [&runs](std::span<const Variable> given) {
    ++runs;
    return mul(given[0], given[0]);
  };
  CHECK_FALSE(recompute_one(square, {constant}).tracked());
  {
    const NoGrad no_graph;
    CHECK_FALSE(recompute_one(square, {x}).tracked());
  }
  CHECK(runs == 2);
  const Trace trace;
  const Variable y = recompute_one(square, {x});
  REQUIRE(trace.calls().size() == 1);
  CHECK(trace.calls()[0].op->name() == "mul");
  backward(y);
  CHECK(runs == 3);
  CHECK_THAT(*x.grad(), close_to(tensor({1}, {4})));
}

TEST_CASE("a backward pass under NoGrad goes through what was recomputed", "[autograd][recompute]") {
  const Variable x = leaf({2});
  const Variable y = recompute_one([](auto given) { return mul(given[0], given[0]); }, {x});
  {
    const NoGrad no_graph;
    backward(y);
    CHECK_FALSE(recording());
  }
  CHECK_THAT(*x.grad(), close_to(tensor({1}, {4})));
}

TEST_CASE("the graph of a recomputed function is freed once, or kept where asked", "[autograd][recompute]") {
  const Variable x = leaf({2});
  const Variable y = recompute_one([](auto given) { return mul(given[0], given[0]); }, {x});
  backward(y, true);
  backward(y);
  CHECK_THAT(*x.grad(), close_to(tensor({1}, {8})));
  CHECK_THROWS_WITH(backward(y),
                    Catch::Contains("graph of recompute was freed") && Catch::Contains("keep_graph"));
  CHECK_THAT(*x.grad(), close_to(tensor({1}, {8})));
}

TEST_CASE("a variable that a recomputed function hides is an error at once", "[autograd][recompute]") {
  const Variable x = leaf({2, 3}), hidden = leaf({5, 7});
  const Variable made = exp(hidden);
  const Param forgotten(tensor({1, 2}, {1, 2}));
  CHECK_THROWS_WITH(recompute_one([&](auto given) { return mul(given[0], made); }, {x}),
                    Catch::Contains("[recompute]") && Catch::Contains("[2], made by exp"));
  CHECK_THROWS_WITH(
      recompute_one([&](auto given) { return mul(given[0], forgotten); }, {x}),
      Catch::Contains("[1, 2], made by leaf") && Catch::Contains("neither an input nor a parameter"));
  CHECK_THROWS_AS(recompute_one([&](auto) { return made; }, {x}), Error);
  // Constants may be used as one likes, and so may what is handed over.
  CHECK_NOTHROW(recompute_one([&](auto given) { return mul(given[0], made.detach()); }, {x}));
  CHECK_NOTHROW(recompute_one([&](auto given) { return mul(given[0], forgotten); }, {x}, {&forgotten}));
}

TEST_CASE("a parameter that was changed meanwhile is an error, and so are other results",
          "[autograd][recompute]") {
  Layer layer = layers(1)[0];
  const Variable x = leaf({1, 2, 3});
  const Variable y = sum(layer.recomputed(x));
  const Tensor before = layer.w.value();
  layer.w.update([](Tensor& value) { value.data()[0] += 1; });
  CHECK_THROWS_WITH(backward(y), Catch::Contains("[recompute] a parameter of shape [3] was changed"));
  CHECK_FALSE(x.grad());
  CHECK_FALSE(layer.w.grad());
  std::size_t length = 2;
  const Variable shorter =
      sum(recompute_one([&](auto given) { return slice(given[0], 0, 0, length--); }, {x}));
  CHECK_THROWS_WITH(backward(shorter), Catch::Contains("other shapes"));
  CHECK_FALSE(x.grad());
}

TEST_CASE("when a recomputation throws, nothing is half done", "[autograd][recompute]") {
  Param w(tensor({1}, {3}));
  const Variable x = leaf({2});
  int hooks = 0;
  w.variable().on_gradient([&](const Tensor&) { ++hooks; });
  const std::int64_t before = live_nodes();
  for (const bool in_backward : {false, true}) {
    bool fails = false;
    const auto function = [&](std::span<const Variable> given) {
      const Variable y = mul(given[0], w);
      if (fails && !in_backward) throw Error("stop");
      if (fails) y.on_gradient([](const Tensor&) { throw Error("stop"); });
      return y;
    };
    // The cotangent of w comes to it from outside, before the function is recomputed.
    const Variable y = add(recompute_one(function, {x}, {&w}), w);
    fails = true;
    CHECK_THROWS_WITH(backward(y, true), "stop");
    CHECK_FALSE(x.grad());
    CHECK_FALSE(w.grad());
    CHECK(hooks == 0);
    CHECK(recording());
    fails = false;
    backward(y);
    CHECK(hooks == 1);
    CHECK_THAT(*w.grad(), close_to(tensor({1}, {3}), 0));
    w.clear_grad();
    Variable(x).clear_grad();
    hooks = 0;
  }
  CHECK(live_nodes() == before);
}

TEST_CASE("a hook within a recomputed function runs once", "[autograd][recompute]") {
  const Variable x = leaf({2});
  std::vector<Tensor> seen;
  const Variable y = recompute_one(
      [&](std::span<const Variable> given) {
        const Variable square = mul(given[0], given[0]);
        square.on_gradient([&](const Tensor& gradient) { seen.push_back(gradient); });
        return mul(square, square);
      },
      {x});
  backward(y);
  REQUIRE(seen.size() == 1);
  CHECK_THAT(seen[0], close_to(tensor({1}, {8})));
}

TEST_CASE("gradients that are asked for go through recomputed functions", "[autograd][recompute]") {
  const Layer layer = layers(1)[0];
  const Variable x = Variable::leaf(drawn({2, 3}, 8)), middle = exp(x);
  const Tensor dy = drawn({2, 3}, 9);
  const std::vector<Variable> wrt{middle, layer.w.variable()};
  const Variable plain = layer(middle), again = layer.recomputed(middle);
  const auto expected = gradients(std::span(&plain, 1), std::span(&dy, 1), wrt, true);
  const auto found = gradients(std::span(&again, 1), std::span(&dy, 1), wrt);
  for (std::size_t i = 0; i < wrt.size(); ++i) CHECK(same_bits(found[i], expected[i]));
  CHECK_FALSE(layer.w.grad());
  if constexpr (sizeof(Real) == 8) {
    const GradcheckReport report = gradcheck(
        [&](std::span<const Variable> inputs) { return layer.recomputed(inputs[0]); }, {drawn({2, 3}, 8)});
    INFO(report.text());
    CHECK(report.passed);
  }
}

TEST_CASE("a long chain of recomputed functions runs, backward and free", "[autograd][recompute][memory]") {
  const std::int64_t before = live_nodes();
  for (const bool with_backward : {true, false}) {
    const Variable x = leaf({1});
    Variable y = x;
    for (int i = 0; i < 20'000; ++i)
      y = recompute_one([](std::span<const Variable> given) { return scale(given[0], -1); }, {y});
    if (with_backward) {
      backward(y);
      CHECK_THAT(*x.grad(), close_to(tensor({1}, {1})));
    }
  }
  CHECK(live_nodes() == before);
}
