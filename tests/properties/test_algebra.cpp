#include <algorithm>
#include <numeric>

#include "properties/property.hpp"

using namespace fovea;

namespace {

// Two shapes that meet under numpy's rule, and what they come to.
struct Meeting {
  Shape a, b, both;
};

Meeting any_meeting(std::size_t least_length) {
  Meeting m;
  m.both = any_shape("the result", 0, 4, least_length, 3);
  const auto partner = [&](const std::string& name) {
    const std::size_t rank = any_of("rank of " + name, 0, m.both.size());
    Shape shape(m.both.end() - static_cast<std::ptrdiff_t>(rank), m.both.end());
    for (std::size_t i = 0; i < rank; ++i) {
      if (any_bool("axis " + std::to_string(i) + " of " + name + " repeated")) shape[i] = 1;
    }
    return shape;
  };
  m.a = partner("a");
  m.b = partner("b");
  broadcast(m.a, m.b, m.both);
  return m;
}

Tensor away_from_zero(Tensor x) {
  for (Real& value : x) value += value < 0 ? Real(-0.5) : Real(0.5);
  return x;
}

}  // namespace

TEST_CASE("ops that broadcast equal the same ops on inputs written out", "[properties]") {
  const std::map<std::string, Variable (*)(const Variable&, const Variable&)> ops = {
      {"add", add}, {"sub", sub}, {"mul", mul}, {"div", div}};
  for (const auto& [name, op] : ops) {
    hold(name, [op = op] {
      const Meeting m = any_meeting(0);
      const Variable a = any_leaf("a", m.a);
      const Variable b = Variable::leaf(away_from_zero(any_leaf("b", m.b).value()));
      demand_same(op(a, b), op(repeated(a, m.both), repeated(b, m.both)), {a, b}, "op", 10);
    });
  }
  hold("where", [] {
    const Meeting m = any_meeting(0);
    const Variable a = any_leaf("a", m.a), b = any_leaf("b", m.b);
    const Keep condition = any_keep("condition", m.both);
    demand_same(where(condition, a, b), where(condition, repeated(a, m.both), repeated(b, m.both)), {a, b},
                "where", 4);
  });
}

TEST_CASE("matmul that broadcasts equals matmul of batches written out", "[properties]") {
  hold("matmul", [] {
    const Meeting m = any_meeting(1);
    const std::size_t rows = any_of("M", 0, 4), inner = any_of("K", 0, 5), columns = any_of("N", 0, 4);
    const auto with = [](Shape batch, std::size_t r, std::size_t c) {
      batch.push_back(r);
      batch.push_back(c);
      return batch;
    };
    const Variable a = any_leaf("a", with(m.a, rows, inner)), b = any_leaf("b", with(m.b, inner, columns));
    demand_same(matmul(a, b),
                matmul(repeated(a, with(m.both, rows, inner)), repeated(b, with(m.both, inner, columns))),
                {a, b}, "matmul", 10);
  });
}

TEST_CASE("matmul with transposed flags equals matmul of permuted inputs", "[properties]") {
  hold("matmul", [] {
    const Shape batch = any_shape("the batch", 0, 2, 1, 3);
    const std::size_t rows = any_of("M", 1, 5), inner = any_of("K", 1, 5), columns = any_of("N", 1, 5);
    const bool flip_a = any_bool("a transposed"), flip_b = any_bool("b transposed");
    const auto matrix = [&](const std::string& name, std::size_t r, std::size_t c, bool flip) {
      Shape shape = batch;
      shape.push_back(flip ? c : r);
      shape.push_back(flip ? r : c);
      return any_leaf(name, shape);
    };
    const Variable a = matrix("a", rows, inner, flip_a), b = matrix("b", inner, columns, flip_b);
    std::vector<std::size_t> axes(batch.size() + 2);
    std::iota(axes.begin(), axes.end(), std::size_t{0});
    std::swap(axes.end()[-1], axes.end()[-2]);
    demand_same(matmul(a, b, flip_a, flip_b),
                matmul(flip_a ? permute(a, axes) : a, flip_b ? permute(b, axes) : b), {a, b}, "matmul", 4);
  });
}

TEST_CASE("linear equals a product and a sum", "[properties]") {
  hold("linear", [] {
    Shape shape = any_shape("x but its last axis", 0, 3, 0, 4);
    const std::size_t inputs = any_of("inputs", 1, 6), outputs = any_of("outputs", 1, 5);
    shape.push_back(inputs);
    const Variable x = any_leaf("x", shape), w = any_leaf("weight", {outputs, inputs}),
                   b = any_leaf("bias", {outputs});
    const Variable rows = reshape(x, {volume(shape) / inputs, inputs});
    shape.back() = outputs;
    demand_same(linear(x, w, b), reshape(matmul(rows, w, false, true) + b, shape), {x, w, b}, "linear", 10);
  });
}

TEST_CASE("the sum over axes does not depend on their order", "[properties]") {
  hold("sum and mean", [] {
    const Variable x = any_leaf("x", any_shape("x", 1, 4, 1, 4));
    const std::vector<std::size_t> order = any_order("axes", x.rank());
    Variable total = x, average = x;
    for (std::size_t axis : order) {
      total = sum(total, static_cast<int>(axis), true);
      average = mean(average, static_cast<int>(axis), true);
    }
    demand_same(reshape(total, {}), sum(x), {x}, "sum", 30);
    demand_same(reshape(average, {}), mean(x), {x}, "mean", 4);
  });
}

TEST_CASE("permute and its inverse leave everything as it was", "[properties]") {
  hold("permute", [] {
    const Variable x = any_leaf("x", any_shape("x", 0, 5, 0, 3));
    const std::vector<std::size_t> axes = any_order("axes", x.rank());
    std::vector<std::size_t> inverse(axes.size());
    for (std::size_t i = 0; i < axes.size(); ++i) inverse[axes[i]] = i;
    const Variable y = permute(x, axes);
    for (std::size_t i = 0; i < axes.size(); ++i) demand(y.shape()[i] == x.shape()[axes[i]], "shape");
    demand_same(permute(y, inverse), reshape(x, x.shape()), {x}, "permute", 0);
    demand_close(sum(mul(y, y)).value(), sum(mul(x, x)).value(), "elements", 10);
  });
}

TEST_CASE("slices of what was joined are its parts, and parts joined are the whole", "[properties]") {
  hold("concat and slice", [] {
    const Shape shape = any_shape("a part", 1, 4, 0, 3);
    const auto axis = static_cast<int>(any_of("axis", 0, shape.size() - 1));
    std::vector<Variable> parts;
    const std::size_t count = any_of("parts", 1, 4);
    for (std::size_t i = 0; i < count; ++i) {
      Shape own = shape;
      own[static_cast<std::size_t>(axis)] = any_of("length of part " + std::to_string(i), 0, 3);
      parts.push_back(any_leaf("part " + std::to_string(i), own));
    }
    const Variable whole = concat(parts, axis);
    std::size_t begin = 0;
    std::vector<Variable> cut;
    for (const Variable& part : parts) {
      const std::size_t end = begin + part.length(axis);
      cut.push_back(slice(whole, axis, begin, end));
      demand_same(cut.back(), reshape(part, part.shape()), parts, "slice", 0);
      begin = end;
    }
    demand(begin == whole.length(axis), "length of the whole");
    demand_same(concat(cut, axis), whole, parts, "concat", 0);
  });
}

TEST_CASE("gather equals a product with one-hot rows", "[properties]") {
  hold("gather", [] {
    const std::size_t rows = any_of("rows", 1, 6), width = any_of("width", 1, 5), count = any_of("ids", 0, 8);
    const Variable table = any_leaf("table", {rows, width});
    const Ids ids = any_ids("ids", {count}, rows);
    Tensor one_hot = zeros({count, rows});
    for (std::size_t i = 0; i < count; ++i)
      one_hot.data()[i * rows + static_cast<std::size_t>(ids.values[i])] = 1;
    demand_same(gather(table, ids), matmul(one_hot, table), {table}, "gather", 4);
  });
}
