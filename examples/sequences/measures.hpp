#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/real.hpp"

namespace fovea::inline FOVEA_REAL::sequences {

/// The least number of insertions, deletions and substitutions that make `b` of `a` (Levenshtein, 1966), in
/// time a · b and memory b. The unknown token equals nothing, not even itself: nobody knows what it stood
/// for.
std::size_t edit_distance(std::span<const std::int64_t> a, std::span<const std::int64_t> b);

/// How far hypotheses are from what they should be, summed over words and divided once at the end:
///
///     word error rate    words none of whose references is the hypothesis / words
///     token error rate   Σ distance to the nearest reference / Σ length of that reference
///
/// as percentages. The nearest reference is the one at the least distance, of several the longest. The token
/// error rate may be more than 100.
struct ErrorRates {
  std::uint64_t words = 0, wrong = 0, edits = 0, tokens = 0;

  /// Ids without begin, end and padding; at least one reference.
  void add(std::span<const std::int64_t> hypothesis, std::span<const std::vector<std::int64_t>> references);

  double word_rate() const;   // 0 when there are no words
  double token_rate() const;  // 0 when there are no tokens
};

}  // namespace fovea::inline FOVEA_REAL::sequences
