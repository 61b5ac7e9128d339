#include <algorithm>
#include <functional>

#include <catch2/catch.hpp>

#include "examples/cities/bundled.hpp"
#include "examples/cities/candidates.hpp"
#include "examples/cities/query.hpp"

using namespace fovea;
using namespace fovea::cities;

TEST_CASE("cities: the parts of the bundled catalogue", "[examples]") {
  const Splits& splits = bundled().splits;
  CHECK(splits.counts.own_name == 6631);
  CHECK(splits.counts.cities == 2669);
  CHECK(splits.counts.searchable == 249);
  CHECK(splits.train.size() == 93172);
  CHECK(splits.counts.validation == 5382);
  CHECK(splits.counts.unseen_names == 10742);
  CHECK(splits.counts.unseen_cities == 11031);
  CHECK(splits.validation.size() == 1000);
  CHECK(splits.unseen_names.size() == 2000);
  CHECK(splits.unseen_cities.size() == 2000);
}

TEST_CASE("cities: what is tested is neither searchable nor learned", "[examples]") {
  const auto& [cities, splits] = bundled();
  std::unordered_set<Text> learned;
  for (const Asked& asked : splits.train) {
    CHECK_FALSE(splits.is_unseen[asked.city]);
    CHECK_FALSE(asked.name == cities[asked.city].text);
    CHECK_FALSE(splits.held_out.contains(asked.name));
    learned.insert(asked.name);
  }
  for (const auto* part : {&splits.validation, &splits.unseen_names, &splits.unseen_cities}) {
    const auto queries = fixed_queries(cities, splits, *part);
    REQUIRE(queries.size() == part->size());
    for (std::size_t i = 0; i < queries.size(); ++i) {
      const Asked& asked = (*part)[i];
      CHECK_FALSE(splits.searchable.contains(asked.name));
      CHECK_FALSE(learned.contains(asked.name));
      CHECK_FALSE(splits.searchable.contains(queries[i].name));  // also after a typing error
      CHECK(splits.held_out.contains(asked.name));
      CHECK(splits.is_unseen[asked.city] == (part == &splits.unseen_cities));
    }
  }
}

TEST_CASE("cities: test queries are the same ones always", "[examples]") {
  const auto& [cities, splits] = bundled();
  const auto all = fixed_queries(cities, splits, splits.unseen_names);
  const auto some = fixed_queries(cities, splits, std::span(splits.unseen_names).subspan(7, 3));
  REQUIRE(some.size() == 3);
  for (std::size_t i = 0; i < 3; ++i) {
    CHECK(some[i].name == all[7 + i].name);
    CHECK(some[i].at.has_value() == all[7 + i].at.has_value());
    CHECK(some[i].country == all[7 + i].country);
  }
}

TEST_CASE("cities: candidates hold every answer and no unseen city", "[examples]") {
  const auto& [cities, splits] = bundled();
  const TrigramIndex names(cities);
  const Places places(cities);
  Rng rng(4);
  for (int round = 0; round < 3; ++round) {
    std::vector<Asked> asked;
    for (int i = 0; i < 32; ++i) asked.push_back(splits.train[rng.below(splits.train.size())]);
    const Candidates found = draw_candidates(asked, splits, names, places, 100, rng);
    REQUIRE(found.targets.size() == asked.size());
    CHECK(found.cities.size() > 100);
    CHECK(found.cities.size() <= 32 * 4 + 100);
    CHECK(std::adjacent_find(found.cities.begin(), found.cities.end(), std::greater_equal<>()) ==
          found.cities.end());
    for (const std::size_t city : found.cities) CHECK_FALSE(splits.is_unseen[city]);
    for (std::size_t i = 0; i < asked.size(); ++i) {
      CHECK(found.cities.at(static_cast<std::size_t>(found.targets[i])) == asked[i].city);
    }
  }
}

TEST_CASE("cities: similar names", "[examples]") {
  const TrigramIndex index(parse_catalogue("name\nab\nabc\nxyz\nab\n", "names"));
  // ^ab ab$ | ^ab abc bc$ | ^xy xyz yz$ | ^ab ab$
  CHECK(index.similarities(U"ab") == std::vector<double>{1, 0.25, 0, 1});
  CHECK(index.similarities(U"q") == std::vector<double>{0, 0, 0, 0});
  CHECK(index.most_similar(U"ab", 8, 99) == std::vector<std::size_t>{0, 3, 1});
  CHECK(index.most_similar(U"ab", 1, 0) == std::vector<std::size_t>{3});
}

TEST_CASE("cities: the nearest places are those that a search of all finds", "[examples]") {
  const Catalogue& cities = bundled().cities;
  const Places places(cities);
  Rng rng(3);
  for (int round = 0; round < 5; ++round) {
    const std::size_t self = rng.below(cities.size());
    const Point at = round == 4 ? on_sphere({90, 0}) : *places[self];
    std::vector<std::pair<double, std::size_t>> all;
    for (std::size_t i = 0; i < cities.size(); ++i) {
      if (i != self) all.emplace_back(kilometres(at, *places[i]), i);
    }
    std::sort(all.begin(), all.end());
    const auto found = places.nearest(at, 16, self);
    REQUIRE(found.size() == 16);
    for (std::size_t i = 0; i < 16; ++i) CHECK(kilometres(at, *places[found[i]]) == Approx(all[i].first));
  }
  CHECK(places.nearest(*places[0], 0, 0).empty());
}

TEST_CASE("cities: distances on the globe", "[examples]") {
  const auto km = [](Coordinates a, Coordinates b) { return kilometres(on_sphere(a), on_sphere(b)); };
  CHECK(km({0, 0}, {0, 90}) == Approx(10007.557));
  CHECK(km({90, 0}, {-90, 17}) == Approx(20015.115));
  CHECK(km({0, 179.5}, {0, -179.5}) == Approx(111.195).epsilon(1e-4));
  CHECK(km({12, 34}, {12, 34}) == 0);
}
