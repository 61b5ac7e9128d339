#pragma once

#include <span>
#include <vector>

#include "core/ids.hpp"
#include "examples/sequences/dataset.hpp"
#include "modules/seq2seq/padded.hpp"

namespace fovea::inline FOVEA_REAL::sequences {

/// T is the longest row's length. ShapeError when there is no row, or none that holds anything.
Padded pad(std::span<const std::vector<std::int64_t>> rows);

/// Pairs as a model learns them: it reads `source`, and after each of `inputs` is to say the one of `targets`
/// at the same place.
struct Batch {
  Padded source;
  Padded inputs;  // begin, target
  Ids targets;    // target, end: as long as the inputs

  std::size_t size() const { return source.items(); }
  /// Targets that are not padding: what a loss is averaged over.
  std::size_t tokens() const { return inputs.tokens(); }
};

Batch make_batch(std::span<const Item> items);
/// Of the items at these places.
Batch make_batch(std::span<const Item> items, std::span<const std::size_t> chosen);

}  // namespace fovea::inline FOVEA_REAL::sequences
