#pragma once

#include <array>

#include "examples/cities/logit.hpp"
#include "examples/cities/places.hpp"
#include "examples/cities/query.hpp"
#include "examples/cities/trigram_index.hpp"

namespace fovea::inline FOVEA_REAL::cities {

/// What can be had without a model that learns names, from the same fields of the same queries. A city's
/// score is
///
///     exact      1 when its name is the query's, else 0
///     jaccard    J: similarity of the names' trigrams
///     nearest    -km, or equal for all cities when the query has no coordinates
///     blend      a J - b ln(1 + km / 25); the second term is 0 when the query has no coordinates
///     blend_all  a J - b ln(1 + km / 25) + c [same country] + d ln(population)
///
/// with the weights of the blends fitted to training queries. A city without coordinates is as far as can be.
/// Ties are resolved by the catalogue's order.
class Baselines {
 public:
  enum Kind : std::size_t { exact, jaccard, nearest, blend, blend_all };
  static constexpr std::size_t count = 5;
  static constexpr std::array<const char*, count> names{"exact", "jaccard", "nearest", "blend", "blend_all"};

  /// Fits the blends. The references are held.
  Baselines(const Catalogue& cities, const Splits& splits, const TrigramIndex& index, const Places& places);

  /// For each baseline and query, how many cities come before the answer.
  std::array<std::vector<std::size_t>, count> ranks(std::span<const Query> queries,
                                                    std::span<const Asked> asked) const;
  const std::vector<double>& weights(Kind blend_kind) const {
    return blend_kind == blend ? blend_ : blend_all_;
  }

 private:
  /// J, -ln(1 + km / 25), same country, ln(population) of a query with a city.
  using Description = std::array<double, 4>;
  Description describe(const Query& query, const std::optional<Point>& from, double similarity,
                       std::size_t city) const;
  Choice choice(const Asked& asked, Rng& rng) const;

  const Catalogue& cities_;
  const Splits& splits_;
  const TrigramIndex& index_;
  const Places& places_;
  std::vector<double> log_population_;  // by city, as is the next
  std::vector<std::string> country_;
  std::vector<double> blend_, blend_all_;
};

}  // namespace fovea::inline FOVEA_REAL::cities
