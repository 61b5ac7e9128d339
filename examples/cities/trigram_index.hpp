#pragma once

#include <vector>

#include "examples/cities/catalogue.hpp"

namespace fovea::inline FOVEA_REAL::cities {

/// Finds cities whose names share trigrams with a name. The similarity of two names is that of Jaccard
/// between their sets of trigrams: |A ∩ B| / |A ∪ B|.
class TrigramIndex {
 public:
  explicit TrigramIndex(const Catalogue& cities);

  /// The similarity of `name` with each city's searchable name.
  std::vector<double> similarities(const Text& name) const;
  /// The `count` most similar cities, fewer when fewer share a trigram, best first, without `except`. Ties
  /// are resolved by the catalogue's order.
  std::vector<std::size_t> most_similar(const Text& name, std::size_t count, std::size_t except) const;

 private:
  struct Posting {
    std::uint64_t trigram;
    std::uint32_t city;
    auto operator<=>(const Posting&) const = default;
  };
  /// Calls `each(city)` for each trigram of `name` and each city whose name has it.
  template <class Each>
  std::size_t for_each_shared(const Text& name, const Each& each) const;

  std::vector<Posting> postings_;      // ascending
  std::vector<std::uint32_t> counts_;  // trigrams of each city's name
};

}  // namespace fovea::inline FOVEA_REAL::cities
