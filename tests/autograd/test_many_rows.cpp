#include <functional>

#include <catch2/catch.hpp>

#include "autograd/engine.hpp"
#include "autograd/ops.hpp"
#include "compare.hpp"
#include "core/draw.hpp"

// More rows than one range of threads takes: what a row gets must not depend on where it lies.

using namespace fovea;

namespace {

constexpr std::size_t many = 20000, few = 7, width = 3;

// An op over rows; `first` is the number that the first of them has in the whole.
using RowsOp = std::function<Variable(const Variable& x, std::size_t first)>;

Ids classes(std::size_t first, std::size_t count) {
  std::vector<std::int64_t> ids;
  for (std::size_t r = first; r < first + count; ++r) ids.push_back(static_cast<std::int64_t>(r % width));
  return Ids({count}, ids);
}

Keep kept(std::size_t first, std::size_t count) {
  std::vector<unsigned char> values;
  for (std::size_t i = first * width; i < (first + count) * width; ++i) values.push_back(i % 5 != 0);
  return Keep({count, width}, values);
}

const std::vector<std::pair<std::string, RowsOp>> row_ops = {
    {"softmax", [](const Variable& x, std::size_t) { return softmax(x, -1); }},
    {"log_softmax", [](const Variable& x, std::size_t) { return log_softmax(x, -1); }},
    {"masked_softmax",
     [](const Variable& x, std::size_t first) { return masked_softmax(x, kept(first, x.shape()[0])); }},
    {"entropy", [](const Variable& x, std::size_t) { return entropy(x); }},
    {"l2_normalize", [](const Variable& x, std::size_t) { return l2_normalize(x); }},
    {"layer_norm",
     [](const Variable& x, std::size_t) {
       return layer_norm(x, tensor({width}, {1, 2, 3}), tensor({width}, {3, 2, 1}));
     }},
    {"nll", [](const Variable& x, std::size_t first) { return nll(x, classes(first, x.shape()[0])); }},
    {"cross_entropy",
     [](const Variable& x, std::size_t first) { return cross_entropy(x, classes(first, x.shape()[0])); }},
    {"cross_entropy, smoothed",
     [](const Variable& x, std::size_t first) {
       return cross_entropy(x, classes(first, x.shape()[0]), {.smoothing = Real(0.1)});
     }},
};

Tensor drawn(const Shape& shape, std::uint64_t seed) {
  Rng rng(seed);
  return uniform(rng, shape, Real(0.1), 2);
}

Tensor end_of(const Tensor& whole) {
  Shape shape = whole.shape();
  shape[0] = few;
  Tensor end = uninitialized(shape);
  std::copy(whole.data() + whole.size() - end.size(), whole.data() + whole.size(), end.data());
  return end;
}

}  // namespace

TEST_CASE("a row among many gets what it gets among few, forward and backward", "[autograd]") {
  for (const auto& [name, op] : row_ops) {
    INFO(name);
    const Tensor x = drawn({many, width}, 1);
    const Variable whole = Variable::leaf(Tensor(x)), end = Variable::leaf(end_of(x));
    const Variable y = op(whole, 0), y_end = op(end, many - few);
    CHECK(same_bits(end_of(y.value()), y_end.value()));
    const Tensor dy = drawn(y.shape(), 2);
    backward(y, dy);
    backward(y_end, end_of(dy));
    CHECK(same_bits(end_of(*whole.grad()), *end.grad()));
  }
}

TEST_CASE("gain and bias of a layer norm gather the gradients of all rows", "[autograd]") {
  const Tensor x = drawn({many, width}, 1), dy = drawn({many, width}, 2);
  const Variable gain = Variable::leaf(tensor({width}, {1, 2, 3})), bias = Variable::leaf(zeros({width}));
  backward(layer_norm(x, gain, bias), dy);
  // By hand: dbias = Σ dy, and dgain = Σ dy h with the normalised rows h.
  const Tensor h = layer_norm(x, tensor({width}, {1, 1, 1}), zeros({width})).value();
  Tensor dgain = zeros({width}), dbias = zeros({width});
  for (std::size_t c = 0; c < width; ++c) {
    double of_gain = 0, of_bias = 0;
    for (std::size_t i = c; i < x.size(); i += width) {
      of_gain += static_cast<double>(dy.data()[i]) * h.data()[i];
      of_bias += dy.data()[i];
    }
    dgain.data()[c] = static_cast<Real>(of_gain);
    dbias.data()[c] = static_cast<Real>(of_bias);
  }
  const double tolerance = sizeof(Real) == 8 ? 1e-10 : 1e-4;
  CHECK_THAT(*gain.grad(), close_to(dgain, tolerance));
  CHECK_THAT(*bias.grad(), close_to(dbias, tolerance));
}
