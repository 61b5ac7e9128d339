#include <cmath>
#include <set>

#include <fmt/format.h>

#include "examples/chosen.hpp"
#include "examples/cities/show.hpp"
#include "examples/cities/task.hpp"
#include "training/text.hpp"

// The pictures of a search: the cities with the largest weights, and where they are.

namespace fovea::inline FOVEA_REAL::cities {
namespace {

constexpr std::size_t queries_tried = 500, matches_shown = 8;

std::string title_of(const Query& query) {
  std::string text = utf8(query.name);
  if (query.at)
    text += fmt::format(", near {:.1f}° {} {:.1f}° {}", std::abs(query.at->latitude),
                        query.at->latitude < 0 ? "S" : "N", std::abs(query.at->longitude),
                        query.at->longitude < 0 ? "W" : "E");
  if (!query.country.empty()) text += ", in " + query.country;
  return text;
}

std::string name_of(const City& city) {
  return city.country.empty() ? city.name : city.name + ", " + city.country;
}

report::Place place_of(const Coordinates& at) { return {at.latitude, at.longitude}; }

// Where there are cities at all, to a degree: together they draw the continents.
std::vector<report::Place> inhabited(const Catalogue& cities) {
  std::set<std::pair<double, double>> degrees;
  for (const City& city : cities)
    if (city.at) degrees.emplace(std::round(city.at->latitude), std::round(city.at->longitude));
  std::vector<report::Place> places;
  for (const auto& [latitude, longitude] : degrees) places.push_back({latitude, longitude});
  return places;
}

}  // namespace

std::vector<report::Picture> CitiesTask::pictures(const report::Wanted& wanted) const {
  const PreparedCatalogue catalogue = prepare_catalogue(model, features_, cities_.size());
  std::vector<Query> queries;
  std::vector<Chosen> chosen;
  std::vector<Asked> asked;  // empty when the queries were typed
  if (wanted.items.empty()) {
    const std::vector<Asked>& all = splits_.unseen_names;
    asked.assign(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(std::min(queries_tried, all.size())));
    queries = fixed_queries(cities_, splits_, asked);
    const auto ranks_of = [&](std::span<const std::size_t>) {  // all of them are tried
      std::vector<double> ranks(queries.size());
      answer(model, features_, catalogue, queries, [&](std::size_t i, const Answer& found) {
        ranks[i] = static_cast<double>(found.rank(asked[i].city));
      });
      return ranks;
    };
    chosen = choose(queries.size(), queries.size(), wanted, ranks_of);
  } else {
    for (const std::string& line : wanted.items) {
      chosen.push_back({queries.size(), "asked for"});
      queries.push_back(parse_query(line, countries_));
    }
  }
  std::vector<Query> shown;
  for (const Chosen& one : chosen) shown.push_back(queries[one.item]);
  const std::vector<report::Place> backdrop = inhabited(cities_);
  std::vector<report::Picture> pictures(shown.size());
  answer(model, features_, catalogue, shown, [&](std::size_t i, const Answer& found) {
    report::Picture& picture = pictures[i];
    picture.group = chosen[i].group;
    picture.title = title_of(shown[i]);
    report::Ranking ranking;
    std::vector<std::size_t> best = found.best(matches_shown);
    const bool is_test = !asked.empty();
    const std::size_t right = is_test ? asked[chosen[i].item].city : 0;
    const std::size_t rank = is_test ? found.rank(right) : 0;
    if (is_test && rank >= best.size()) best.push_back(right);
    for (const std::size_t c : best) {
      const City& city = cities_[c];
      report::Ranking::Entry entry{name_of(city), "", found.weights[c], {}, is_test && c == right};
      if (city.population) entry.detail = for_people(*city.population) + " people";
      if (city.at) entry.at = {place_of(*city.at)};
      ranking.entries.push_back(std::move(entry));
    }
    picture.answer = ranking.entries.front().name;
    if (is_test) {
      picture.truth = name_of(cities_[right]);
      picture.note = fmt::format("found at place {}", for_people(static_cast<double>(rank + 1)));
    } else {
      picture.note = fmt::format("entropy {:.2f} nats", found.entropy);
    }
    if (shown[i].at) ranking.asked = {place_of(*shown[i].at)};
    ranking.backdrop = backdrop;
    picture.shown = std::move(ranking);
  });
  return pictures;
}

}  // namespace fovea::inline FOVEA_REAL::cities
