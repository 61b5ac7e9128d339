#include "examples/cities/baselines.hpp"

#include <algorithm>
#include <cmath>

#include "core/parallel.hpp"
#include "examples/cities/search.hpp"

namespace fovea::inline FOVEA_REAL::cities {
namespace {

constexpr std::uint64_t fit_seed = 5;
constexpr std::size_t fit_queries = 4000, fit_options = 81, fit_similar = 16, fit_near = 16, fit_random = 64;

std::optional<Point> point_of(const Query& query) {
  return query.at ? std::optional(on_sphere(*query.at)) : std::nullopt;
}

double weighted(const std::vector<double>& weights, const std::array<double, 4>& numbers) {
  double total = 0;
  for (std::size_t i = 0; i < weights.size(); ++i) total += weights[i] * numbers[i];
  return total;
}

}  // namespace

Baselines::Baselines(const Catalogue& cities, const Splits& splits, const TrigramIndex& index,
                     const Places& places)
    : cities_(cities), splits_(splits), index_(index), places_(places), blend_(2), blend_all_(4) {
  // Side by side: describing a query's every match is most of the work.
  for (const City& city : cities) {
    log_population_.push_back(std::log(std::max(1.0, city.population.value_or(1))));
    country_.push_back(city.country);
  }
  const Rng rng(fit_seed);
  const auto order = rng.split("order").permutation(splits.train.size());
  std::vector<Choice> all(std::min(fit_queries, order.size()));
  parallel_for(all.size(), 16, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      Rng own = rng.split(i);
      all[i] = choice(splits.train[order[i]], own);
    }
  });
  if (all.empty()) return;
  std::vector<Choice> two = all;
  for (Choice& one : two) {
    for (std::vector<double>& option : one) option.resize(2);
  }
  blend_ = fit_conditional_logit(two);
  blend_all_ = fit_conditional_logit(all);
}

Choice Baselines::choice(const Asked& asked, Rng& rng) const {
  const std::size_t answer = asked.city;
  const Query query = draw_query(cities_[answer], asked.name, splits_.held_out, rng);
  const auto from = point_of(query);
  std::vector<std::size_t> others = index_.most_similar(query.name, fit_similar, answer);
  if (from) {
    const auto around = places_.nearest(*from, fit_near, answer);
    others.insert(others.end(), around.begin(), around.end());
  }
  for (std::size_t i = 0; i < fit_random; ++i) others.push_back(rng.below(cities_.size()));
  std::sort(others.begin(), others.end());
  others.erase(std::unique(others.begin(), others.end()), others.end());
  std::erase(others, answer);
  std::vector<std::size_t> options{answer};
  for (const std::size_t i : rng.permutation(others.size())) {
    if (options.size() < fit_options) options.push_back(others[i]);
  }
  const std::vector<double> similar = index_.similarities(query.name);
  Choice result;
  for (const std::size_t city : options) {
    const Description numbers = describe(query, from, similar[city], city);
    result.emplace_back(numbers.begin(), numbers.end());
  }
  return result;
}

Baselines::Description Baselines::describe(const Query& query, const std::optional<Point>& from,
                                           double similarity, std::size_t city) const {
  constexpr double half_around = 20015;  // km, to the other side of the earth
  const auto& at = places_[city];
  const double nearness = from ? -std::log1p((at ? kilometres(*from, *at) : half_around) / 25) : 0;
  const bool same_country = !query.country.empty() && query.country == country_[city];
  return {similarity, nearness, same_country ? 1.0 : 0.0, log_population_[city]};
}

std::array<std::vector<std::size_t>, Baselines::count> Baselines::ranks(std::span<const Query> queries,
                                                                        std::span<const Asked> asked) const {
  std::array<std::vector<std::size_t>, count> result;
  for (auto& ranks : result) ranks.resize(queries.size());
  parallel_for(queries.size(), 8, [&](std::size_t begin, std::size_t end) {
    std::array<std::vector<double>, count> scores;
    for (auto& row : scores) row.resize(cities_.size());
    for (std::size_t i = begin; i < end; ++i) {
      const Query& query = queries[i];
      const auto from = point_of(query);
      const std::vector<double> similar = index_.similarities(query.name);
      for (std::size_t city = 0; city < cities_.size(); ++city) {
        const Description features = describe(query, from, similar[city], city);
        // Only names with the same trigrams can be equal.
        scores[exact][city] = similar[city] == 1 && query.name == cities_[city].text ? 1 : 0;
        scores[jaccard][city] = features[0];
        scores[nearest][city] = features[1];  // falls with the distance as -km does
        scores[blend][city] = weighted(blend_, features);
        scores[blend_all][city] = weighted(blend_all_, features);
      }
      for (std::size_t k = 0; k < count; ++k) result[k][i] = rank_of(scores[k], asked[i].city);
    }
  });
  return result;
}

}  // namespace fovea::inline FOVEA_REAL::cities
