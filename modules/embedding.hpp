#pragma once

#include "autograd/ops.hpp"
#include "core/random.hpp"
#include "modules/fields.hpp"

namespace fovea::inline FOVEA_REAL {

/// A vector for each id: ids [...] → [..., width]. The table [count, width] starts normal with deviation
/// `deviation`. The row of `padding` starts at zero and gets no gradient here, so it stays zero with every
/// optimiser (where the table is used a second time, say to tie a decoder, that use may move it).
/// ConfigError for a padding id that has no row; ShapeError for ids without one, with their places.
struct Embedding {
  Param table;
  std::optional<std::int64_t> padding;
  FIELDS(table)

  Embedding() = default;
  Embedding(std::size_t count, std::size_t width, Rng& rng, Real deviation = 1,
            std::optional<std::int64_t> padding = {});

  Variable operator()(const Ids& ids) const { return gather(table, ids, padding); }
  /// linear((*this)(ids), weight, bias), by a product with each row of the table where there are more ids
  /// than rows.
  Variable projected(const Ids& ids, const Variable& weight, const Variable& bias = {}) const;
};

/// A vector for each bag of ids: the sum or mean of their rows (see embedding_bag in ops.hpp).
struct EmbeddingBag {
  Param table;
  Bag kind = Bag::mean;
  FIELDS(table)

  EmbeddingBag() = default;
  EmbeddingBag(std::size_t count, std::size_t width, Bag kind, Rng& rng, Real deviation = 1);

  Variable operator()(const Ids& ids, const std::vector<std::size_t>& offsets) const {
    return embedding_bag(table, ids, offsets, kind);
  }
};

}  // namespace fovea::inline FOVEA_REAL
