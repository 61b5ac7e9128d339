#include "modules/embedding.hpp"

#include <algorithm>
#include <numeric>

#include "core/draw.hpp"

namespace fovea::inline FOVEA_REAL {

Embedding::Embedding(std::size_t count, std::size_t width, Rng& rng, Real deviation,
                     std::optional<std::int64_t> in_padding)
    : table(normal(rng, {count, width}, 0, deviation)), padding(in_padding) {
  if (!padding) return;
  check<ConfigError>(0 <= *padding && *padding < static_cast<std::int64_t>(count), "Embedding",
                     "the padding id ", *padding, " is outside 0 … ", static_cast<std::int64_t>(count) - 1);
  table.update([&](Tensor& rows) {
    std::fill_n(rows.data() + static_cast<std::size_t>(*padding) * width, width, Real(0));
  });
}

Variable Embedding::projected(const Ids& ids, const Variable& weight, const Variable& bias) const {
  const std::size_t count = table.shape()[0];
  if (ids.values.size() <= count) return linear((*this)(ids), weight, bias);
  Ids all({count}, std::vector<std::int64_t>(count));
  std::iota(all.values.begin(), all.values.end(), 0);
  // Gathered first, for that keeps gradients from the padding's row.
  return gather(linear((*this)(all), weight, bias), ids);
}

EmbeddingBag::EmbeddingBag(std::size_t count, std::size_t width, Bag in_kind, Rng& rng, Real deviation)
    : table(normal(rng, {count, width}, 0, deviation)), kind(in_kind) {}

}  // namespace fovea::inline FOVEA_REAL
