#include "examples/cities/query.hpp"

#include <algorithm>
#include <cmath>

namespace fovea::inline FOVEA_REAL::cities {
namespace {

constexpr std::uint64_t noise_seed = 20240101;  // of test queries

Text trimmed(const Text& text) {
  const std::size_t begin = text.find_first_not_of(U' ');
  if (begin == Text::npos) return {};
  return text.substr(begin, text.find_last_not_of(U' ') + 1 - begin);
}

}  // namespace

Text with_typo(const Text& name, Rng& rng) {
  enum Kind : std::uint64_t { substitute, insert, erase, swap };
  const auto kind = name.size() < 2 ? insert : static_cast<Kind>(rng.below(4));
  const char32_t letter = U'a' + static_cast<char32_t>(rng.below(26));
  const std::size_t places = kind == insert ? name.size() + 1 : kind == swap ? name.size() - 1 : name.size();
  const std::size_t at = rng.below(places);
  Text typed = name;
  switch (kind) {
    case substitute:
      typed[at] = letter;
      break;
    case insert:
      typed.insert(at, 1, letter);
      break;
    case erase:
      typed.erase(at, 1);
      break;
    case swap:
      std::swap(typed[at], typed[at + 1]);
      break;
  }
  return trimmed(typed);
}

Coordinates with_noise(const Coordinates& at, Rng& rng) {
  const double latitude = at.latitude + coordinates_noise * rng.normal();
  const double longitude = at.longitude + coordinates_noise * rng.normal();
  return {std::clamp(latitude, -90.0, 90.0), longitude - 360 * std::floor((longitude + 180) / 360)};
}

Query draw_query(const City& city, const Text& name, const std::unordered_set<Text>& forbidden, Rng& rng) {
  Query query{name, {}, {}};
  if (rng.chance(typo_rate)) {
    Text typed = with_typo(name, rng);
    if (!typed.empty() && !forbidden.contains(typed)) query.name = std::move(typed);
  }
  if (rng.chance(coordinates_rate) && city.at) query.at = with_noise(*city.at, rng);
  if (rng.chance(country_rate)) query.country = city.country;
  return query;
}

std::vector<Query> fixed_queries(const Catalogue& cities, const Splits& splits,
                                 std::span<const Asked> asked) {
  std::vector<Query> queries;
  for (const Asked& one : asked) {
    const City& city = cities[one.city];
    // By what is asked, not by its number: a query keeps its noise when others come or go.
    Rng rng = Rng(noise_seed).split(city.key() + " " + utf8(one.name));
    queries.push_back(draw_query(city, one.name, splits.searchable, rng));
  }
  return queries;
}

}  // namespace fovea::inline FOVEA_REAL::cities
