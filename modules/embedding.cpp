#include "modules/embedding.hpp"

#include "core/draw.hpp"

namespace fovea::inline FOVEA_REAL {

Embedding::Embedding(std::size_t count, std::size_t width, Rng& rng, Real deviation)
    : table(normal(rng, {count, width}, 0, deviation)) {}

EmbeddingBag::EmbeddingBag(std::size_t count, std::size_t width, Bag in_kind, Rng& rng, Real deviation)
    : table(normal(rng, {count, width}, 0, deviation)), kind(in_kind) {}

}  // namespace fovea::inline FOVEA_REAL
