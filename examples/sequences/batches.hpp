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
  Ids source;  // [B, S]
  std::vector<std::size_t> source_lengths;
  Ids inputs;                               // [B, T]: begin, target
  Ids targets;                              // [B, T]: target, end
  std::vector<std::size_t> target_lengths;  // with begin, or with end

  std::size_t size() const { return source_lengths.size(); }
  /// Targets that are not padding: what a loss is averaged over.
  std::size_t tokens() const;
};

Batch make_batch(std::span<const Item> items);
/// Of the items at these places.
Batch make_batch(std::span<const Item> items, std::span<const std::size_t> chosen);

/// The sources of words, to find their targets.
Padded make_sources(std::span<const Word> words);

}  // namespace fovea::inline FOVEA_REAL::sequences
