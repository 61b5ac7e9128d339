#include <cmath>
#include <set>

#include <catch2/catch.hpp>

#include "autograd/declared_ops.hpp"
#include "autograd/engine.hpp"
#include "autograd/gradcheck.hpp"
#include "autograd/op_table.hpp"
#include "compare.hpp"

using namespace fovea;

namespace {

std::set<std::string> row_names() {
  std::set<std::string> names;
  for (const OpRow& row : op_table()) names.insert(row.name);
  return names;
}

std::set<std::string> linked_names() {
  std::set<std::string> names;
  for (const Op* op = Op::first(); op; op = op->next()) {
    const bool of_a_test = op->name().substr(0, 5) == "test_";
    // A leaf has no formula, and what is recomputed has those of its ops: test_recompute.cpp.
    const bool of_the_engine = op->name() == "leaf" || op->name() == "recompute";
    if (!of_the_engine && !of_a_test) names.emplace(op->name());
  }
  return names;
}

Variable call_on_leaves(const OpSample& sample, std::vector<Variable>& leaves) {
  leaves.clear();
  for (const Tensor& input : sample.inputs) leaves.push_back(Variable::leaf(Tensor(input)));
  return sample.call(leaves);
}

}  // namespace

TEST_CASE("ops: every declared op is linked and has a row", "[autograd]") {
  REQUIRE(declared_ops().size() > 20);
  CHECK(difference(declared_ops(), row_names(),
                   "is declared in autograd/ops.hpp and has no row: add one to tests/autograd/op_rows_*.cpp",
                   "has a row and is not declared in autograd/ops.hpp") == "");
  std::set<std::string> recorded;
  for (const OpRow& row : op_table()) {
    if (row.records.empty()) recorded.insert(row.name);
  }
  CHECK(difference(recorded, linked_names(), "has a row, and no static Op of that name is linked",
                   "is recorded under a name that no row has") == "");
  CHECK(row_names().size() == op_table().size());
}

TEST_CASE("ops: analytic gradients equal numeric ones", "[autograd]") {
  if (sizeof(Real) < 8) return;  // differences prove nothing in single precision; f64 runs this
  for (const OpRow& row : op_table()) {
    REQUIRE_FALSE(row.samples.empty());
    for (std::size_t i = 0; i < row.samples.size(); ++i) {
      INFO(row.name << ", sample " << i);
      const GradcheckReport report = gradcheck(row.samples[i].call, row.samples[i].inputs);
      INFO(report.text());
      CHECK(report.passed);
      CHECK(report.tensors.size() == row.samples[i].inputs.size());
    }
  }
}

TEST_CASE("ops: examples give the known values", "[autograd]") {
  for (const OpRow& row : op_table()) {
    INFO(row.name);
    CHECK_FALSE(row.examples.empty());
    for (const OpExample& example : row.examples)
      CHECK_THAT(example.call().value(), close_to(example.expected));
  }
}

TEST_CASE("ops: misuse throws an error that names the op, the shapes and the rule", "[autograd]") {
  for (const OpRow& row : op_table()) {
    for (const OpMisuse& misuse : row.misuses) {
      std::string message;
      try {
        misuse.call();
      } catch (const Error& error) {
        message = error.what();
      }
      INFO(row.name << ": " << message);
      CHECK_FALSE(message.empty());
      for (const std::string& word : misuse.words) CHECK_THAT(message, Catch::Contains(word));
    }
  }
}

TEST_CASE("ops: the recorded op is the row's, a zero cotangent gives zero, nothing stays alive",
          "[autograd]") {
  const std::int64_t before = live_nodes();
  for (const OpRow& row : op_table()) {
    for (std::size_t i = 0; i < row.samples.size(); ++i) {
      INFO(row.name << ", sample " << i);
      std::vector<Variable> leaves;
      const Variable y = call_on_leaves(row.samples[i], leaves);
      REQUIRE(y.tracked());
      const Node* node = y.node().get();
      for (int below = 0; row.joined && below < 2; ++below) node = node->inputs.at(0).node.get();
      REQUIRE(node);
      CHECK(node->op->name() == (row.records.empty() ? row.name : row.records));
      const Tensor zero = zeros(y.shape());
      for (const Tensor& gradient : gradients(std::span(&y, 1), std::span(&zero, 1), leaves)) {
        CHECK_THAT(gradient, close_to(zeros(gradient.shape())));
      }
    }
  }
  CHECK(live_nodes() == before);
}

TEST_CASE("ops: a gradient doubles with its cotangent, also from exactly 1", "[autograd]") {
  for (const OpRow& row : op_table()) {
    for (std::size_t i = 0; i < row.samples.size(); ++i) {
      INFO(row.name << ", sample " << i);
      std::vector<std::vector<Tensor>> results;
      for (const Real size : {Real(1), Real(2)}) {
        std::vector<Variable> leaves;
        const Variable y = call_on_leaves(row.samples[i], leaves);
        const Tensor cotangent = filled(y.shape(), size);
        results.push_back(gradients(std::span(&y, 1), std::span(&cotangent, 1), leaves));
      }
      for (std::size_t k = 0; k < results[0].size(); ++k) {
        Tensor twice = results[0][k];
        for (Real& g : twice) g *= 2;
        CHECK_THAT(results[1][k], close_to(twice));
      }
    }
  }
}

TEST_CASE("ops: without a tracked input, or under NoGrad, nothing is recorded", "[autograd]") {
  for (const OpRow& row : op_table()) {
    INFO(row.name);
    std::vector<Variable> constants(row.samples[0].inputs.begin(), row.samples[0].inputs.end());
    CHECK_FALSE(row.samples[0].call(constants).tracked());
    const NoGrad guard;
    std::vector<Variable> leaves;
    CHECK_FALSE(call_on_leaves(row.samples[0], leaves).tracked());
  }
}

TEST_CASE("a zero cotangent gives a zero gradient where the derivative is infinite", "[autograd]") {
  const Real inf = std::numeric_limits<Real>::infinity();
  const std::vector<std::pair<std::string, std::function<Variable(const Variable&)>>> edges = {
      {"1/x at 0", [](const Variable& x) { return div(scalar(1), x); }},
      {"x/0", [](const Variable& x) { return div(x, scalar(0)); }},
      {"log at 0", [](const Variable& x) { return log(x); }},
      {"sqrt at 0", [](const Variable& x) { return sqrt(x); }},
      {"exp of 1000", [](const Variable& x) { return exp(add(x, scalar(1000))); }},
      {"pow at 0", [](const Variable& x) { return pow(x, Real(0.5)); }},
      {"x · inf", [inf](const Variable& x) { return mul(x, scalar(inf)); }},
      {"matmul with inf",
       [inf](const Variable& x) {
         return matmul(reshape(x, {1, 1}), tensor({1, 1}, {inf}));
       }},
      {"linear with inf",
       [inf](const Variable& x) {
         return linear(tensor({1, 1}, {inf}), reshape(x, {1, 1}));
       }},
  };
  for (const auto& [name, f] : edges) {
    INFO(name);
    const Variable x = Variable::leaf(tensor({1}, {0}));
    const Variable y = f(x);
    backward(y, zeros(y.shape()));
    CHECK_THAT(*x.grad(), close_to(zeros({1})));
  }
}

TEST_CASE("a power of 0 is constant, also at 0", "[autograd]") {
  const Variable x = Variable::leaf(tensor({2}, {0, 3}));
  const Variable y = pow(x, Real(0));
  backward(sum(y));
  CHECK_THAT(y.value(), close_to(tensor({2}, {1, 1})));
  CHECK_THAT(*x.grad(), close_to(zeros({2}), 0));
}

TEST_CASE("what relu cuts off gets no gradient, not even of an infinite one", "[autograd]") {
  const Variable x = Variable::leaf(tensor({3}, {-1, 0, 1}));
  backward(relu(x), filled({3}, std::numeric_limits<Real>::infinity()));
  CHECK(x.grad()->at(0) == 0);
  CHECK(x.grad()->at(1) == 0);
  CHECK(std::isinf(x.grad()->at(2)));
}

TEST_CASE("where a prediction is right, no loss of the difference has a gradient", "[autograd]") {
  const std::vector<std::function<Variable(const Variable&, const Variable&)>> losses = {
      mse, mae, [](const Variable& p, const Variable& y) { return huber(p, y, Real(0.5)); },
      [](const Variable& p, const Variable& y) { return pinball(p, y, Real(0.1)); }};
  for (const auto& loss : losses) {
    const Variable p = Variable::leaf(tensor({2}, {1, -2})), y = Variable::leaf(tensor({2}, {1, -2}));
    const Variable value = loss(p, y);
    backward(value);
    CHECK(value.item() == 0);
    CHECK_THAT(*p.grad(), close_to(zeros({2}), 0));
    CHECK_THAT(*y.grad(), close_to(zeros({2}), 0));
  }
}

TEST_CASE("the row of the padding id gets no gradient", "[autograd]") {
  const Variable table = Variable::leaf(tensor({3, 1}, {1, 2, 3}));
  const Variable y = gather(table, Ids({0, 1, 1, 2}), 1);
  CHECK_THAT(y.value(), close_to(tensor({4, 1}, {1, 2, 2, 3})));
  backward(sum(y));
  CHECK_THAT(*table.grad(), close_to(tensor({3, 1}, {1, 0, 1})));
}

TEST_CASE("where every target is padding the loss and all gradients are 0", "[autograd]") {
  for (const CrossEntropyOptions& options :
       {CrossEntropyOptions{.padding = 7}, CrossEntropyOptions{.padding = 7, .smoothing = Real(0.1)}}) {
    const Variable x = Variable::leaf(tensor({2, 2}, {1, 2, 3, 4}));
    const Ids targets({7, 7});
    const Variable loss = sum(cross_entropy(x, targets, options));
    backward(loss);
    CHECK(loss.item() == 0);
    CHECK_THAT(*x.grad(), close_to(zeros({2, 2}), 0));
    CHECK(target_weight(targets, options) == 0);
  }
  CHECK(target_weight(Ids({0, 1, 7}), {.padding = 7, .class_weights = {2, 5}}) == 7);
}

TEST_CASE("what where does not choose has no influence, also on the gradient", "[autograd]") {
  const Variable x = Variable::leaf(tensor({2}, {0, 1})), n = Variable::leaf(tensor({2}, {0, 2}));
  const Variable y = where(Keep({2}, {1, 0}), Variable(scalar(0)), div(x, n));
  backward(sum(y));
  CHECK_THAT(y.value(), close_to(tensor({2}, {0, 0.5})));
  CHECK_THAT(*x.grad(), close_to(tensor({2}, {0, 0.5})));
  CHECK_THAT(*n.grad(), close_to(tensor({2}, {0, -0.25})));
}

// Case pytorch#2421.
TEST_CASE("the gradient of a norm at zero is zero", "[autograd]") {
  const Variable x = Variable::leaf(tensor({2, 2}, {0, 0, 3, 4}));
  backward(sum(norm(x)));
  CHECK_THAT(*x.grad(), close_to(tensor({2, 2}, {0, 0, 0.6, 0.8})));
  const Real inf = std::numeric_limits<Real>::infinity();
  const Variable endless = Variable::leaf(tensor({2, 2}, {inf, 1, 3, 4}));
  backward(norm(endless), tensor({2}, {0, 1}));
  CHECK_THAT(*endless.grad(), close_to(tensor({2, 2}, {0, 0, 0.6, 0.8})));
  const Variable z = Variable::leaf(zeros({2}));
  backward(sum(l2_normalize(z, Real(1))));
  CHECK(all_finite(*z.grad()));
}

// Cases flax#982, fairseq#3575.
TEST_CASE("what a mask hides in a softmax has no weight and no gradient, whatever it is", "[autograd]") {
  const Real inf = std::numeric_limits<Real>::infinity();
  for (const Real hidden : {Real(2e9), Real(-2e9), inf, -inf, Real(NAN)}) {
    const Variable x = Variable::leaf(tensor({2, 3}, {1, hidden, 2, 1, hidden, 3}));
    const Variable p = masked_softmax(x, Keep({2, 3}, {1, 0, 1, 0, 0, 0}));
    CHECK(p.value().at(0, 1) == 0);
    CHECK(p.value().at(0, 0) + p.value().at(0, 2) == Approx(1));
    CHECK_THAT(slice(p, 0, 1, 2).value(), close_to(zeros({1, 3}), 0));
    backward(sum(mul(p, tensor({2, 3}, {1, 2, 3, 4, 5, 6}))));
    CHECK(all_finite(*x.grad()));
    for (const std::size_t j : {1, 3, 4, 5}) CHECK(x.grad()->data()[j] == 0);
    CHECK(x.grad()->data()[0] != 0);
  }
}

// Case trl#7221.
TEST_CASE("an entropy with impossible elements is finite, and so is its gradient", "[autograd]") {
  const Real ln2 = Real(0.6931471805599453);
  const Variable p = Variable::leaf(tensor({2, 3}, {0, 0.5, 0.5, 0, 0, 0}));
  const Variable h = entropy(p);
  CHECK_THAT(h.value(), close_to(tensor({2}, {ln2, 0})));
  backward(sum(h));
  CHECK(all_finite(*p.grad()));
  const Variable x = Variable::leaf(tensor({2, 3}, {9, 1, 1, 1, 2, 3}));
  const Variable masked = entropy(masked_softmax(x, Keep({2, 3}, {0, 1, 1, 0, 0, 0})));
  CHECK_THAT(masked.value(), close_to(tensor({2}, {ln2, 0})));
  backward(sum(masked));
  CHECK_THAT(*x.grad(), close_to(zeros({2, 3})));
  // A certain one: its entropy is 0, and no logarithm of zero comes back.
  const Variable far = Variable::leaf(tensor({1, 2}, {0, 5000}));
  backward(sum(entropy(softmax(far, -1))));
  CHECK_THAT(*far.grad(), close_to(zeros({1, 2})));
}

TEST_CASE("classes are looked for even when there are none", "[autograd]") {
  const Ids far({1}, {1'000'000'000});
  CHECK_THROWS_WITH(nll(zeros({1, 0}), far, -1),
                    Catch::Contains("id 1000000000") && Catch::Contains("0 classes"));
  CHECK_THROWS_AS(cross_entropy(zeros({1, 0}), far, {.padding = -1}), ShapeError);
  CHECK(cross_entropy(zeros({1, 0}), Ids({1}, {-1}), {.padding = -1}).value().at(0) == 0);
}

TEST_CASE("the absolute value of -0 is 0", "[autograd]") {
  CHECK_FALSE(std::signbit(abs(Variable(scalar(Real(-0.0)))).item()));
}

TEST_CASE("a target without a class weight is our error", "[autograd]") {
  const CrossEntropyOptions options{.padding = 7, .class_weights = {2, 5}};
  for (const std::int64_t id : {-1, 2, 9}) {
    CHECK_THROWS_WITH(target_weight(Ids({2, 2}, {0, 7, 1, id}), options),
                      Catch::Contains("id " + std::to_string(id)) && Catch::Contains("[1, 1]") &&
                          Catch::Contains("2 class weights"));
    CHECK_THROWS_AS(target_weight(Ids({id}), options), ShapeError);
  }
}

TEST_CASE("max keeps NaN along any axis", "[autograd]") {
  const Variable x = tensor({2, 3}, {1, std::numeric_limits<Real>::quiet_NaN(), 3, 4, 5, 6});
  const Tensor rows = max(x, 1).value(), columns = max(x, 0).value();
  CHECK(std::isnan(rows.data()[0]));
  CHECK(rows.data()[1] == 6);
  CHECK(columns.data()[0] == 4);
  CHECK(std::isnan(columns.data()[1]));
}
