#include "examples/cities/candidates.hpp"

#include <algorithm>

#include "core/parallel.hpp"

namespace fovea::inline FOVEA_REAL::cities {
namespace {

constexpr std::size_t similar = 8, similar_drawn = 2, near = 16;

}  // namespace

Candidates draw_candidates(std::span<const Asked> asked, const Splits& splits, const TrigramIndex& names,
                           const Places& places, std::size_t random, Rng& rng) {
  std::vector<std::vector<std::size_t>> hard(asked.size());
  parallel_for(asked.size(), 4, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      const std::size_t answer = asked[i].city;
      Rng own = rng.split(i);  // so that the draws do not depend on who comes first
      const auto alike = names.most_similar(asked[i].name, similar, answer);
      for (std::size_t k = 0; k < similar_drawn && !alike.empty(); ++k)
        hard[i].push_back(alike[own.below(alike.size())]);
      if (!places[answer]) continue;
      const auto around = places.nearest(*places[answer], near, answer);
      if (!around.empty()) hard[i].push_back(around[own.below(around.size())]);
    }
  });
  Candidates result;
  std::vector<std::size_t>& cities = result.cities;
  const auto add = [&](std::size_t city) {
    if (!splits.is_unseen[city]) cities.push_back(city);
  };
  for (std::size_t i = 0; i < asked.size(); ++i) {
    add(asked[i].city);
    for (const std::size_t city : hard[i]) add(city);
  }
  for (std::size_t k = 0; k < random; ++k) add(rng.below(splits.is_unseen.size()));
  std::sort(cities.begin(), cities.end());
  cities.erase(std::unique(cities.begin(), cities.end()), cities.end());
  for (const Asked& one : asked) {
    const auto place = std::lower_bound(cities.begin(), cities.end(), one.city);
    result.targets.push_back(static_cast<std::int64_t>(place - cities.begin()));
  }
  return result;
}

}  // namespace fovea::inline FOVEA_REAL::cities
