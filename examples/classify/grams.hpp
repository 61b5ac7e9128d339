#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "core/check.hpp"
#include "core/real.hpp"

namespace fovea::inline FOVEA_REAL::classify {

/// A text's tokens as numbers.
using Row = std::vector<std::int64_t>;

/// The n-grams of tokens that a model knows, n = 2 … `longest`, numbered from 0. Before a text stands
/// Vocabulary::begin, and behind it Vocabulary::end, as often as it takes.
class Grams {
 public:
  Grams() = default;
  /// Those that occur at least `min_count` times in these texts, in the order in which they reach it.
  Grams(std::span<const Row> texts, std::size_t longest, std::uint64_t min_count);

  std::size_t size() const { return numbers_.size(); }
  /// Appends the numbers of those around the token at `place` that are known: of each n the tokens
  /// place - n / 2 … place - n / 2 + n - 1, so that each token has one n-gram of each length.
  void add_around(std::span<const std::int64_t> text, std::size_t place, std::vector<std::int64_t>& to) const;

  /// For a task's `state`. CheckpointError, with nothing changed, when what is read are no n-grams.
  template <class Archive>
  void state(Archive& archive) {
    std::uint64_t longest = longest_;
    std::vector<std::uint64_t> flat = flattened();
    archive("longest_gram", longest);
    archive("grams", flat);
    if constexpr (Archive::reading) restore(longest, flat);
  }

  bool operator==(const Grams&) const = default;

 private:
  std::vector<std::uint64_t> flattened() const;
  void restore(std::uint64_t longest, std::span<const std::uint64_t> flat);

  std::size_t longest_ = 1;
  std::unordered_map<std::u32string, std::int64_t> numbers_;
};

}  // namespace fovea::inline FOVEA_REAL::classify
