#include "modules/attention/bias.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>

namespace fovea::inline FOVEA_REAL {
namespace {

std::int64_t distance(std::size_t i, std::size_t j, std::size_t queries, std::size_t keys) {
  return static_cast<std::int64_t>(j + queries) - static_cast<std::int64_t>(i + keys);
}

}  // namespace

Variable alibi(Real slope, std::size_t queries, std::size_t keys) {
  Tensor bias = uninitialized({queries, keys});
  for (std::size_t i = 0; i < queries; ++i) {
    for (std::size_t j = 0; j < keys; ++j) {
      bias.data()[i * keys + j] = -slope * static_cast<Real>(std::abs(distance(i, j, queries, keys)));
    }
  }
  return bias;
}

std::vector<Real> alibi_slopes(std::size_t heads) {
  std::vector<Real> slopes;
  for (std::size_t h = 1; h <= heads; ++h) {
    slopes.push_back(
        static_cast<Real>(std::exp2(-8.0 * static_cast<double>(h) / static_cast<double>(heads))));
  }
  return slopes;
}

Variable RelativeBias::operator()(std::size_t queries, std::size_t keys) const {
  const auto reach = static_cast<std::int64_t>(table.size() / 2);
  std::vector<std::int64_t> rows;
  for (std::size_t i = 0; i < queries; ++i) {
    for (std::size_t j = 0; j < keys; ++j) {
      rows.push_back(std::clamp(distance(i, j, queries, keys), -reach, reach) + reach);
    }
  }
  const Variable column = reshape(table, {table.size(), 1});
  return reshape(gather(column, Ids({queries, keys}, std::move(rows))), {queries, keys});
}

}  // namespace fovea::inline FOVEA_REAL
