#pragma once

#include <functional>

#include "examples/cities/model.hpp"

namespace fovea::inline FOVEA_REAL::cities {

/// What each attention's score makes of the whole catalogue, block by block: computed once for many queries.
struct PreparedCatalogue {
  std::size_t cities = 0;
  std::vector<std::vector<Variable>> blocks;  // by attention; [1, cities of the block, width]
};
PreparedCatalogue prepare_catalogue(const CitiesModel& model, const Features& features, std::size_t cities);

/// One query's attention over the whole catalogue.
struct Answer {
  std::vector<double> weights;  // by city; they sum to 1
  std::vector<double> scores;   // what cities are ranked by: raw scores, or the hybrid's weights
  double entropy = 0;           // of the weights, in nats; the mean of two for the hybrid

  /// Cities that come before this one. Of equal scores the one that is first in the catalogue comes first.
  std::size_t rank(std::size_t city) const;
  /// The first `count` cities, best first.
  std::vector<std::size_t> best(std::size_t count) const;
};

/// Calls `each(i, answer)` for each query, from several threads at once.
void answer(const CitiesModel& model, const Features& features, const PreparedCatalogue& catalogue,
            std::span<const Query> queries, const std::function<void(std::size_t, const Answer&)>& each);

/// Cities before this one when ordered by score, as above.
std::size_t rank_of(std::span<const double> scores, std::size_t city);

}  // namespace fovea::inline FOVEA_REAL::cities
