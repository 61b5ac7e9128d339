#pragma once

#include <cmath>

#include "autograd/op_table.hpp"
#include "core/draw.hpp"

// What the rows of the op table are made with.

namespace fovea::inline FOVEA_REAL {

using In = std::span<const Variable>;

// Fixed random numbers; each call has its own.
inline Tensor random(const Shape& shape, std::uint64_t seed = 1) {
  Rng rng(seed);
  return normal(rng, shape, 0, 1);
}
// Away from zero, where log, sqrt and division have their edges.
inline Tensor positive(const Shape& shape, std::uint64_t seed = 2) {
  Rng rng(seed);
  return uniform(rng, shape, Real(0.5), Real(2));
}
// Away from the kink of relu.
inline Tensor off_zero(const Shape& shape, std::uint64_t seed = 3) {
  Tensor t = random(shape, seed);
  for (Real& x : t) x += x < 0 ? Real(-0.1) : Real(0.1);
  return t;
}

inline Variable t(const Shape& shape, std::initializer_list<Real> values) { return tensor(shape, values); }

// Shapes of two inputs that meet: equal, repeated rows, repeated columns, both, scalar, zero-size.
inline const std::vector<std::pair<Shape, Shape>> meetings = {
    {{2, 3}, {2, 3}}, {{2, 3}, {3}}, {{2, 1}, {2, 3}},   {{2, 1}, {1, 3}},
    {{2, 3, 2}, {}},  {{0, 3}, {3}}, {{4, 1, 2}, {3, 1}}};

inline std::vector<OpSample> two_inputs(Variable (*op)(const Variable&, const Variable&)) {
  std::vector<OpSample> samples;
  for (const auto& [a, b] : meetings) {
    samples.push_back({{random(a), positive(b)}, [op](In in) { return op(in[0], in[1]); }});
  }
  return samples;
}

inline std::vector<OpSample> one_input(Variable (*op)(const Variable&),
                                       Tensor (*draw)(const Shape&, std::uint64_t)) {
  std::vector<OpSample> samples;
  for (const Shape& shape : {Shape{3, 5}, Shape{}, Shape{0, 2}, Shape{17}}) {
    samples.push_back({{draw(shape, 7)}, [op](In in) { return op(in[0]); }});
  }
  return samples;
}

inline std::vector<OpMisuse> no_common_shape(Variable (*op)(const Variable&, const Variable&),
                                             const std::string& name) {
  return {{[op] { op(random({2, 3}), random({4})); }, {"[" + name + "]", "[2, 3]", "[4]", "broadcast"}}};
}

// The rows, by kind of op.
std::vector<OpRow> elementwise_rows();
std::vector<OpRow> product_rows();
std::vector<OpRow> layout_rows();
std::vector<OpRow> normaliser_rows();
std::vector<OpRow> attention_rows();
std::vector<OpRow> linear_attention_rows();
std::vector<OpRow> recurrent_rows();
std::vector<OpRow> class_loss_rows();
std::vector<OpRow> regression_rows();

}  // namespace fovea::inline FOVEA_REAL
