#include "modules/seq2seq/guide.hpp"

#include <algorithm>
#include <cmath>

#include "autograd/ops.hpp"

namespace fovea::inline FOVEA_REAL {
namespace {

void check_shapes(const Shape& weights, std::size_t queries, std::size_t keys) {
  check(weights.size() == 4 && weights[0] == queries && weights[0] == keys, "diagonal", "weights have shape ",
        weights, " beside ", queries, " lengths of queries and ", keys,
        " of keys; expected [items, heads, queries, keys]");
}

// Calls each(item, head, query, its row) for every query that is not padding.
template <class Each>
void for_queries(const Shape& shape, std::span<const std::size_t> queries, const Each& each) {
  for (std::size_t b = 0; b < shape[0]; ++b)
    for (std::size_t h = 0; h < shape[1]; ++h)
      for (std::size_t i = 0; i < std::min(queries[b], shape[2]); ++i)
        each(b, i, ((b * shape[1] + h) * shape[2] + i) * shape[3]);
}

}  // namespace

Variable diagonal_guide(const Variable& weights, std::span<const std::size_t> queries,
                        std::span<const std::size_t> keys, double width) {
  const Shape& shape = weights.shape();
  check_shapes(shape, queries.size(), keys.size());
  check<ConfigError>(width > 0, "diagonal", "the width is ", width, "; expected more than 0");
  double count = 0;
  for (const std::size_t n : queries) count += static_cast<double>(std::min(n, shape[2]));
  count = std::max(count * static_cast<double>(shape[1]), 1.0);
  Tensor cost = zeros(shape);
  for_queries(shape, queries, [&](std::size_t b, std::size_t i, std::size_t row) {
    for (std::size_t j = 0; j < std::min(keys[b], shape[3]); ++j) {
      const double away = static_cast<double>(i) / static_cast<double>(queries[b]) -
                          static_cast<double>(j) / static_cast<double>(keys[b]);
      cost.data()[row + j] = static_cast<Real>((1 - std::exp(-away * away / (2 * width * width))) / count);
    }
  });
  return sum(mul(weights, Variable(std::move(cost))));
}

double mass_on_diagonal(const Tensor& weights, std::span<const std::size_t> queries,
                        std::span<const std::size_t> keys, double reach) {
  const Shape shape = weights.shape();
  check_shapes(shape, queries.size(), keys.size());
  double mass = 0;
  for_queries(shape, queries, [&](std::size_t b, std::size_t i, std::size_t row) {
    const double step = static_cast<double>(keys[b]) / static_cast<double>(queries[b]);
    const double centre = (static_cast<double>(i) + 0.5) * step - 0.5;
    for (std::size_t j = 0; j < std::min(keys[b], shape[3]); ++j)
      if (std::abs(static_cast<double>(j) - centre) <= reach)
        mass += static_cast<double>(weights.data()[row + j]);
  });
  return mass;
}

}  // namespace fovea::inline FOVEA_REAL
