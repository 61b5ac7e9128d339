#include <fstream>
#include <thread>

#include <catch2/catch.hpp>

#include "autograd/engine.hpp"
#include "autograd/ops.hpp"
#include "autograd/param.hpp"
#include "autograd/record.hpp"
#include "autograd/trace.hpp"
#include "compare.hpp"

using namespace fovea;

namespace {

Variable leaf(std::initializer_list<Real> values) { return Variable::leaf(tensor({values.size()}, values)); }

// Resident memory of this process in bytes.
std::size_t resident() {
  std::ifstream file("/proc/self/statm");
  std::size_t pages = 0, in_memory = 0;
  file >> pages >> in_memory;
  return in_memory * 4096;
}

}  // namespace

TEST_CASE("gradients add up over every path and every pass", "[autograd]") {
  const Variable x = leaf({2, 3});
  const Variable y = mul(x, x);            // x²
  backward(sum(add(y, mul(y, x))), true);  // x² + x³
  CHECK_THAT(*x.grad(), close_to(tensor({2}, {16, 33})));
  backward(sum(x));
  CHECK_THAT(*x.grad(), close_to(tensor({2}, {17, 34})));
}

TEST_CASE("the gradient of a broadcast input has the input's shape", "[autograd]") {
  const Variable x = Variable::leaf(tensor({3, 1}, {1, 2, 3}));
  backward(sum(mul(x, tensor({2, 1, 4}, {1, 1, 1, 1, 1, 1, 1, 1}))));
  CHECK_THAT(*x.grad(), close_to(filled({3, 1}, 8)));
}

TEST_CASE("a formula with a wrong shape is named", "[autograd]") {
  static const Op wrong{"test_wrong"};
  const Variable x = leaf({1, 2});
  const Variable y = record(wrong, scalar(3), Wrt{x, [](const Tensor&) { return zeros({3}); }});
  CHECK_THROWS_WITH(backward(y), Catch::Contains("gradient of test_wrong") && Catch::Contains("[3]") &&
                                     Catch::Contains("[2]"));
}

TEST_CASE("a second pass over a freed graph is an error, with keep_graph it is not", "[autograd]") {
  const Variable x = leaf({2});
  const Variable y = sum(mul(x, x));
  backward(y, true);
  backward(y);
  CHECK_THAT(*x.grad(), close_to(tensor({1}, {8})));
  CHECK_THROWS_WITH(backward(y), Catch::Contains("freed") && Catch::Contains("keep_graph"));
  CHECK_THAT(*x.grad(), close_to(tensor({1}, {8})));
}

TEST_CASE("backward needs something to differentiate and a cotangent that fits", "[autograd]") {
  CHECK_THROWS_WITH(backward(Variable(scalar(1))), Catch::Contains("depends on no leaf"));
  const Variable x = leaf({1, 2});
  CHECK_THROWS_WITH(backward(mul(x, x)), Catch::Contains("[2]") && Catch::Contains("cotangent"));
  CHECK_THROWS_AS(backward(mul(x, x), zeros({3})), ShapeError);
  CHECK_FALSE(x.grad());
}

TEST_CASE("the functional form touches no leaf", "[autograd]") {
  const Variable x = leaf({2, 3}), other = leaf({5}), unused = leaf({7, 7, 7});
  const std::vector<Variable> outputs = {mul(x, x), mul(x, other)};
  const std::vector<Tensor> cotangents = {tensor({2}, {1, 10}), tensor({2}, {1, 1})};
  const std::vector<Variable> wrt = {x, other, unused};
  const auto found = gradients(outputs, cotangents, wrt);
  CHECK_THAT(found[0], close_to(tensor({2}, {9, 65})));
  CHECK_THAT(found[1], close_to(tensor({1}, {5})));
  CHECK_THAT(found[2], close_to(zeros({3})));
  CHECK_FALSE(x.grad());
  const std::vector<Variable> constant = {Variable(scalar(1))};
  CHECK_THROWS_WITH(gradients(outputs, cotangents, constant), Catch::Contains("takes no part"));
}

TEST_CASE("gradients can be asked for in the middle of a graph", "[autograd]") {
  const Variable x = leaf({2});
  const Variable y = mul(x, x);
  const Variable z = sum(mul(y, y));
  CHECK_THAT(gradients(std::span(&z, 1), {}, std::span(&y, 1))[0], close_to(tensor({1}, {8})));
}

TEST_CASE("a hook runs once, with the full gradient", "[autograd]") {
  const Variable x = leaf({3});
  const Variable y = mul(x, x);
  std::vector<Tensor> seen, at_leaf;
  y.on_gradient([&](const Tensor& gradient) { seen.push_back(gradient); });
  x.on_gradient([&](const Tensor& gradient) { at_leaf.push_back(gradient); });
  backward(sum(add(y, mul(y, y))));
  REQUIRE(seen.size() == 1);
  CHECK_THAT(seen[0], close_to(tensor({1}, {19})));
  REQUIRE(at_leaf.size() == 1);
  CHECK_THAT(at_leaf[0], close_to(tensor({1}, {114})));
  CHECK_THROWS_AS(Variable(scalar(1)).on_gradient([](const Tensor&) {}), Error);
}

TEST_CASE("backward sees the value that was recorded, not a later one", "[autograd]") {
  Param w(tensor({1}, {3}));
  const Variable x = leaf({5});
  const Variable y = sum(mul(x, w));
  w.update([](Tensor& value) { value.data()[0] = 100; });
  backward(y);
  CHECK_THAT(*x.grad(), close_to(tensor({1}, {3})));
  CHECK_THAT(*w.grad(), close_to(tensor({1}, {5})));
  CHECK(w.value().data()[0] == 100);
}

TEST_CASE("a parameter that no graph holds is updated in place", "[autograd]") {
  Param w(tensor({1}, {3}));
  const Real* place = w.value().data();
  backward(sum(mul(w.variable(), w.variable())));
  w.update([](Tensor& value) { value.data()[0] = 4; });
  CHECK(w.value().data() == place);
  const Variable held = mul(w.variable(), w.variable());
  w.update([](Tensor& value) { value.data()[0] = 5; });
  CHECK(w.value().data() != place);
}

TEST_CASE("a copy of a parameter shares nothing", "[autograd]") {
  Param a(tensor({1}, {3}));
  Param b = a;
  b.update([](Tensor& value) { value.data()[0] = 4; });
  backward(sum(mul(b.variable(), b.variable())));
  CHECK(a.value().data()[0] == 3);
  CHECK_FALSE(a.grad());
  b = a;
  CHECK(b.value().data()[0] == 3);
  CHECK_THROWS_WITH(a.set(zeros({2})), Catch::Contains("[2]") && Catch::Contains("[1]"));
}

TEST_CASE("an op with several outputs hands on the cotangents that arrived", "[autograd]") {
  static const Op split_op{"test_split"};
  const Variable x = leaf({1, 2});
  const std::vector<Variable> inputs = {x};
  const auto parts =
      record_joint(split_op, {share(tensor({1}, {1})), share(tensor({1}, {2}))}, inputs, [](Cotangents dy) {
        CHECK_FALSE(dy[0]);
        return Gradients{share(tensor({2}, {0, dy[1]->data()[0]}))};
      });
  backward(sum(mul(parts[1], parts[1])));
  CHECK_THAT(*x.grad(), close_to(tensor({2}, {0, 4})));
}

// Cases pytorch#5534, #155322. What each op costs (pytorch#41383) depends on the machine: `fovea_bench ops`
// measures it.
TEST_CASE("a million chained ops run, backward and free", "[autograd][memory]") {
  const std::int64_t before = live_nodes();
  for (const bool with_backward : {true, false}) {
    const Variable x = leaf({1});
    Variable y = x;
    for (int i = 0; i < 1'000'000; ++i) y = scale(y, Real(-1));
    if (with_backward) {
      backward(sum(y));
      CHECK_THAT(*x.grad(), close_to(tensor({1}, {1})));
    }
  }
  CHECK(live_nodes() == before);
}

TEST_CASE("memory stays flat over many small graphs, with a hook and without", "[autograd][memory]") {
  const Variable x = leaf({1, 2, 3});
  const std::int64_t before = live_nodes();
  const auto run = [&](int graphs) {
    for (int i = 0; i < graphs; ++i) {
      const Variable y = sum(mul(x, x));
      if (i % 2) y.on_gradient([](const Tensor&) {});
      if (i % 3) backward(y);
    }
  };
  run(10'000);
  const std::size_t start = resident();
  run(90'000);
  CHECK(live_nodes() == before);
#ifndef __SANITIZE_ADDRESS__  // which keeps what was freed, to catch its use; its leak check speaks there
  CHECK(resident() < start + (1 << 20));
#else
  (void)start;
#endif
}

// Cases pytorch PR#6017, dynet#120.
TEST_CASE("a sum of losses that goes on over a thousand batches does not keep their tensors",
          "[autograd][memory]") {
  const Variable w = Variable::leaf(filled({50'000}, Real(0.5)));
  const std::int64_t before = live_nodes();
  double number = 0;
  {
    Variable total = Variable(scalar(0));
    const auto batch = [&] {
      const Variable loss = mean(mul(w, tanh(mul(w, w))));
      backward(loss);
      number += static_cast<double>(loss.item());
      total = add(total, loss);  // what people write; a plain number is better
    };
    batch();
    const std::size_t start = resident();
    for (int i = 1; i < 1000; ++i) batch();
#ifndef __SANITIZE_ADDRESS__
    CHECK(resident() < start + (16 << 20));  // each batch saves half a megabyte or more
#else
    (void)start;
#endif
    CHECK(static_cast<double>(total.item()) == Approx(number).epsilon(1e-4));
    CHECK(total.tracked());
  }
  CHECK(live_nodes() == before);
  static_assert(std::is_same_v<decltype(w.item()), Real>);
}

TEST_CASE("a thousand predictions leave nothing behind", "[autograd][memory]") {
  const Variable w = Variable::leaf(filled({50'000}, Real(0.5)));
  const bool guarded = GENERATE(true, false);
  const std::int64_t before = live_nodes();
  const auto predict = [&] {
    std::optional<NoGrad> guard;
    if (guarded) guard.emplace();
    const Variable y = mean(tanh(mul(w, w)));
    CHECK(y.tracked() == !guarded);
    return y.item();
  };
  predict();
  const std::size_t start = resident();
  for (int i = 0; i < 1000; ++i) predict();
  CHECK(live_nodes() == before);
#ifndef __SANITIZE_ADDRESS__
  CHECK(resident() < start + (16 << 20));
#else
  (void)start;
#endif
}

TEST_CASE("each thread records for itself", "[autograd]") {
  const NoGrad guard;
  bool tracked = false;
  std::thread([&] { tracked = mul(leaf({1}), leaf({2})).tracked(); }).join();
  CHECK(tracked);
  CHECK_FALSE(mul(leaf({1}), leaf({2})).tracked());
}

TEST_CASE("a trace writes down every call, recorded or not, on its own", "[autograd]") {
  const Variable x = leaf({2}), constant = scalar(3);
  const Trace outer;
  {
    const Trace inner;
    const Variable y = mul(exp(x), constant);
    exp(constant);
    const NoGrad no_graph;
    linear(reshape(x, {1, 1}), reshape(x, {1, 1}));
    std::vector<std::string> names;
    for (const Trace::Call& call : inner.calls()) names.emplace_back(call.op->name());
    CHECK(names == std::vector<std::string>{"exp", "mul", "exp", "reshape", "reshape", "linear"});
    const Trace::Call& product = inner.calls()[1];
    CHECK(product.inputs.at(0).shared() == inner.calls()[0].results.at(0).shared());
    CHECK(product.inputs.at(1).shared() == constant.shared());
    CHECK(product.results.at(0).node() == y.node());
    CHECK_FALSE(inner.calls()[2].results.at(0).tracked());
    CHECK_FALSE(inner.calls().back().inputs.at(2).defined());
  }
  layer_norm(tensor(Shape{1}, {1}), tensor(Shape{1}, {1}), tensor(Shape{1}, {1}));
  REQUIRE(outer.calls().size() == 1);
  CHECK(outer.calls()[0].op->name() == "layer_norm");
  CHECK(outer.calls()[0].inputs.size() == 3);
}

TEST_CASE("a variable without exactly one element is no number", "[autograd]") {
  CHECK(Variable(tensor({1, 1}, {3})).item() == 3);
  CHECK_THROWS_WITH(leaf({1, 2}).item(), Catch::Contains("[2]"));
}

TEST_CASE("when a hook or a formula throws, no leaf has changed", "[autograd]") {
  const Variable early = leaf({1});
  const Variable y = mul(early, early);
  y.on_gradient([](const Tensor&) { throw Error("stop"); });
  const Variable late = leaf({2});
  const Variable z = sum(mul(y, late));
  CHECK_THROWS_WITH(backward(z), "stop");
  CHECK_FALSE(late.grad());
  CHECK_FALSE(early.grad());
}

TEST_CASE("a joint backward must give a gradient for each input", "[autograd]") {
  static const Op op{"test_too_many"};
  const Variable x = leaf({1});
  const Variable y = record_joint(op, scalar(1), {x}, [](Cotangents) { return Gradients(2); });
  CHECK_THROWS_WITH(backward(y),
                    Catch::Contains("test_too_many") && Catch::Contains("2 gradients for 1 inputs"));
}

TEST_CASE("a graph may live as long as the program", "[autograd]") {
  static Variable y;  // freed after this thread's own objects
  y = mul(leaf({1}), leaf({2}));
  CHECK(y.tracked());
}
