#include "examples/forecast/looks.hpp"

#include <algorithm>

namespace fovea::inline FOVEA_REAL::forecast {

std::vector<double> weights_of(const Observed& one, std::size_t step, std::size_t history,
                               std::size_t patch) {
  const Shape& shape = one.weights.shape();  // [B, heads, Tq, Tk]
  const std::size_t keys = shape[3], queries = shape[2], heads = shape[1], items = shape[0];
  const bool rows_are_keys = keys == history && patch == 0;
  std::vector<double> weights(history, 0);
  double count = 0;
  for (std::size_t b = 0; b < items; ++b) {
    for (std::size_t h = 0; h < heads; ++h) {
      for (std::size_t q = 0; q < queries; ++q) {
        if (rows_are_keys && q != step) continue;
        ++count;
        for (std::size_t k = 0; k < keys; ++k) {
          const double w =
              static_cast<double>(one.weights.value().data()[((b * heads + h) * queries + q) * keys + k]);
          const std::size_t first = rows_are_keys ? k : history - (keys - k) * patch;
          const std::size_t length = rows_are_keys ? 1 : std::min(2 * patch, history - first);
          for (std::size_t i = 0; i < length; ++i) weights[first + i] += w / static_cast<double>(length);
        }
      }
    }
  }
  for (double& weight : weights) weight /= count;
  return weights;
}

}  // namespace fovea::inline FOVEA_REAL::forecast
