#pragma once

#include <span>
#include <unordered_set>

#include "core/random.hpp"
#include "examples/cities/splits.hpp"

namespace fovea::inline FOVEA_REAL::cities {

/// What someone who looks for a city gives: a name as typed, and perhaps where it is about.
struct Query {
  Text name;
  std::optional<Coordinates> at;
  std::string country;  // empty: not given
};

// How queries are made of a city's alternate name.
inline constexpr double typo_rate = 0.3, coordinates_rate = 0.5, country_rate = 0.5;
inline constexpr double coordinates_noise = 0.5;  // degrees, deviation, in latitude and in longitude

/// One typing error: with equal chance a letter is substituted, inserted, deleted, or swapped with the next.
/// New letters are a … z (perhaps the one that stood there). A name of fewer than two letters gets one
/// inserted.
Text with_typo(const Text& name, Rng& rng);

/// Coordinates moved by normal noise; latitude is held at the poles, longitude goes around.
Coordinates with_noise(const Coordinates& at, Rng& rng);

/// A query for a city. A typing error that leads to nothing or into `forbidden` is left out.
Query draw_query(const City& city, const Text& name, const std::unordered_set<Text>& forbidden, Rng& rng);

/// The queries of a test set: the same ones always.
std::vector<Query> fixed_queries(const Catalogue& cities, const Splits& splits, std::span<const Asked> asked);

}  // namespace fovea::inline FOVEA_REAL::cities
