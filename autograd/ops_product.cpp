#include <cmath>

#include "autograd/ops.hpp"
#include "autograd/record.hpp"
#include "core/blas.hpp"
#include "core/elementwise.hpp"
#include "core/move.hpp"

namespace fovea::inline FOVEA_REAL {
namespace {

Shape batch_of(const Shape& shape) { return Shape(shape.begin(), shape.end() - 2); }

Shape with_matrix(Shape batch, std::size_t rows, std::size_t columns) {
  batch.push_back(rows);
  batch.push_back(columns);
  return batch;
}

// A tensor under another shape of the same volume: reading needs no copy for that.
struct Seen {
  const Tensor* tensor;
  Shape shape;

  Seen(const Tensor& t) : tensor(&t), shape(t.shape()) {}
  Seen(const Tensor& t, Shape as) : tensor(&t), shape(std::move(as)) {}
  const Real* data() const { return tensor->data(); }
  std::size_t rank() const { return shape.size(); }
};

// One operand of a batched product: where its matrices lie, repeated to the common batch where one step
// from item to item cannot say it.
struct Batched {
  Tensor repeated;
  Operand operand;
  std::size_t step = 0;

  Batched(const Seen& x, bool transposed, const Shape& batch) {
    const std::size_t rows = x.shape[x.rank() - 2], columns = x.shape[x.rank() - 1];
    const std::size_t own = volume(batch_of(x.shape));
    const Real* data = x.data();
    if (own != 1 && own != volume(batch)) {
      // Seen under its own shape: all rows as one matrix are never repeated.
      repeated = numbers::broadcast_to(*x.tensor, with_matrix(batch, rows, columns));
      data = repeated.data();
    }
    operand = {data, columns, transposed};
    step = own == 1 ? 0 : rows * columns;
  }
};

// op(a) op(b) over the last two axes; the axes before them broadcast.
Tensor product(const Seen& a, bool transpose_a, const Seen& b, bool transpose_b) {
  const std::size_t ra = a.rank(), rb = b.rank();
  const std::size_t m = a.shape[transpose_a ? ra - 1 : ra - 2], k = a.shape[transpose_a ? ra - 2 : ra - 1];
  const std::size_t n = b.shape[transpose_b ? rb - 2 : rb - 1];
  Shape batch;
  broadcast(batch_of(a.shape), batch_of(b.shape), batch);
  Tensor y = uninitialized(with_matrix(batch, m, n));
  const Batched left(a, transpose_a, batch), right(b, transpose_b, batch);
  gemm_batched(volume(batch), m, n, k, 1, left.operand, left.step, right.operand, right.step, 0, y.data(), n,
               m * n);
  return y;
}

Real element(const Operand& x, std::size_t i, std::size_t j) {
  return x.transposed ? x.data[j * x.stride + i] : x.data[i * x.stride + j];
}

Tensor without_non_finite(const Seen& x) {
  Tensor finite = numbers::reshape(*x.tensor, x.shape);
  for (Real& element : finite) element = std::isfinite(element) ? element : Real(0);
  return finite;
}

// Whose zeros leave out what they are multiplied with, whatever that is.
enum class Zeros { of_first, of_either };

// y[i, j] += z[i, l] · x[l, j] for the terms that the clean product did not hold: a factor is not finite, and
// no zero leaves it out.
void add_non_finite(std::size_t m, std::size_t n, std::size_t k, const Operand& z, const Operand& x,
                    Zeros zeros, Real* y) {
  for (std::size_t i = 0; i < m; ++i) {
    for (std::size_t l = 0; l < k; ++l) {
      const Real weight = element(z, i, l);
      if (weight == 0) continue;
      const bool weight_finite = std::isfinite(weight);
      for (std::size_t j = 0; j < n; ++j) {
        const Real factor = element(x, l, j);
        if (zeros == Zeros::of_either && factor == 0) continue;
        const bool held =
            zeros == Zeros::of_either ? weight_finite && std::isfinite(factor) : std::isfinite(factor);
        if (!held) y[i * n + j] += weight * factor;
      }
    }
  }
}

// The product op(z) op(x) in which a 0 of z (or of either) leaves out what it multiplies: so a zero cotangent
// gives a zero gradient, and padding that is not finite stays where it is. What lies there does not change a
// bit of the other elements. While the result is finite it only costs a look at it.
Tensor product_skipping_zeros(const Seen& z, bool transpose_z, const Seen& x, bool transpose_x,
                              Zeros zeros = Zeros::of_first) {
  Tensor y = product(z, transpose_z, x, transpose_x);
  if (all_finite(y)) return y;
  const Tensor finite_x = without_non_finite(x);
  y = zeros == Zeros::of_either ? product(without_non_finite(z), transpose_z, finite_x, transpose_x)
                                : product(z, transpose_z, finite_x, transpose_x);
  const Shape batch = batch_of(y.shape());
  const Batched left(z, transpose_z, batch), right(x, transpose_x, batch);
  const std::size_t m = y.shape()[batch.size()], n = y.shape()[batch.size() + 1];
  const std::size_t k = z.shape[z.rank() - (transpose_z ? 2 : 1)];
  for (std::size_t item = 0; item < volume(batch); ++item) {
    Operand at_z = left.operand, at_x = right.operand;
    at_z.data += item * left.step;
    at_x.data += item * right.step;
    add_non_finite(m, n, k, at_z, at_x, zeros, y.data() + item * m * n);
  }
  return y;
}

}  // namespace

static const Op matmul_op{"matmul"};

Variable matmul(const Variable& a, const Variable& b, bool transpose_a, bool transpose_b) {
  check(a.rank() >= 2 && b.rank() >= 2, matmul_op, "shapes ", a.shape(), " and ", b.shape(),
        "; expected matrices, so at least two axes each");
  check(a.length(transpose_a ? -2 : -1) == b.length(transpose_b ? -1 : -2), matmul_op, "inner lengths of ",
        a.shape(), transpose_a ? " (transposed)" : "", " and ", b.shape(), transpose_b ? " (transposed)" : "",
        " differ");
  Shape batch;
  check(broadcast(batch_of(a.shape()), batch_of(b.shape()), batch), matmul_op, "the batch axes of ",
        a.shape(), " and ", b.shape(), " do not broadcast");
  const auto to_a = [b = b.shared(), transpose_a, transpose_b](const Tensor& dy) {
    Tensor da = product_skipping_zeros(dy, false, *b, !transpose_b);
    return transpose_a ? numbers::transpose_last_two(da) : da;
  };
  const auto to_b = [a = a.shared(), transpose_a, transpose_b](const Tensor& dy) {
    Tensor db = product_skipping_zeros(dy, true, *a, transpose_a);
    return transpose_b ? db : numbers::transpose_last_two(db);
  };
  return record(matmul_op, product(a.value(), transpose_a, b.value(), transpose_b), Wrt{a, to_a},
                Wrt{b, to_b});
}

static const Op weighted_sum_op{"weighted_sum"};

Variable weighted_sum(const Variable& weights, const Variable& values) {
  check(weights.rank() == 3 && values.rank() == 3 &&
            (weights.shape()[0] == values.shape()[0] || values.shape()[0] == 1) &&
            weights.shape()[2] == values.shape()[1],
        weighted_sum_op, "weights have shape ", weights.shape(), " and values ", values.shape(),
        "; expected [batch, queries, keys] and [batch or 1, keys, width]");
  const auto to_weights = [v = values.shared()](const Tensor& dy) {
    return product_skipping_zeros(dy, false, *v, true);
  };
  const auto to_values = [w = weights.shared()](const Tensor& dy) {
    return product_skipping_zeros(*w, true, dy, false, Zeros::of_either);
  };
  return record(weighted_sum_op, product_skipping_zeros(weights.value(), false, values.value(), false),
                Wrt{weights, to_weights}, Wrt{values, to_values});
}

static const Op linear_op{"linear"};

Variable linear(const Variable& x, const Variable& weight, const Variable& bias) {
  check(weight.rank() == 2, linear_op, "the weight has shape ", weight.shape(),
        "; expected [outputs, inputs]");
  const std::size_t outputs = weight.shape()[0], inputs = weight.shape()[1];
  check(x.rank() >= 1 && x.length(-1) == inputs, linear_op, "the input has shape ", x.shape(),
        "; expected its last length to be ", inputs, " to match the weight's ", weight.shape());
  check(!bias.defined() || bias.shape() == Shape{outputs}, linear_op, "the bias has shape ",
        bias.defined() ? bias.shape() : Shape{}, "; expected ", Shape{outputs});

  Shape result = x.shape();
  result.back() = outputs;
  Tensor y = bias.defined() ? numbers::broadcast_to(bias.value(), result) : uninitialized(result);
  const std::size_t rows = volume(Shape(x.shape().begin(), x.shape().end() - 1));
  gemm(rows, outputs, inputs, 1, {x.value().data(), inputs}, {weight.value().data(), inputs, true},
       bias.defined() ? 1 : 0, y.data(), outputs);

  // All rows at once: the axes before the last are one.
  const auto as_rows = [rows](const Tensor& t) { return Seen(t, {rows, t.shape().back()}); };
  const auto to_x = [w = weight.shared(), as_rows, shape = x.shape()](const Tensor& dy) {
    return numbers::reshape(product_skipping_zeros(as_rows(dy), false, *w, false), shape);
  };
  const auto to_weight = [x = x.shared(), as_rows](const Tensor& dy) {
    return product_skipping_zeros(as_rows(dy), true, as_rows(*x), false);
  };
  return record(linear_op, std::move(y), Wrt{x, to_x}, Wrt{weight, to_weight}, Wrt{bias, pass_on});
}

}  // namespace fovea::inline FOVEA_REAL
