#include <cmath>

#include <catch2/catch.hpp>

#include "examples/cities/baselines.hpp"
#include "examples/cities/bundled.hpp"
#include "examples/cities/measures.hpp"
#include "examples/cities/search.hpp"

using namespace fovea;
using namespace fovea::cities;

TEST_CASE("cities: ranks resolve ties by the catalogue's order", "[examples]") {
  const std::vector<double> scores{1, 3, 1, 3, 0};
  const std::vector<std::size_t> places{2, 0, 3, 1, 4};
  for (std::size_t i = 0; i < scores.size(); ++i) CHECK(rank_of(scores, i) == places[i]);
  const Answer answer{{}, scores, 0};
  CHECK(answer.best(3) == std::vector<std::size_t>{1, 3, 0});
  CHECK(answer.best(9).size() == 5);
}

TEST_CASE("cities: measures are percentages", "[examples]") {
  const std::vector<std::size_t> ranks{0, 1, 4, 9};
  const Measures measures = Measures::of(ranks);
  CHECK(measures.top1 == Approx(25));
  CHECK(measures.top5 == Approx(75));
  CHECK(measures.mrr == Approx(25 * (1 + 0.5 + 0.2 + 0.1)));
  CHECK(Measures::of({}).top1 == 0);
}

TEST_CASE("cities: a conditional logit finds the odds", "[examples]") {
  // Of four choices between 1 and 0 three fall on 1: the odds are 3, so w = ln 3. What never varies gets 0.
  const Choice one{{1, 7}, {0, 7}}, zero{{0, 7}, {1, 7}};
  const auto w = fit_conditional_logit({one, one, one, zero});
  REQUIRE(w.size() == 2);
  CHECK(w[0] == Approx(std::log(3)).epsilon(1e-6));
  CHECK(std::abs(w[1]) < 1e-6);
  CHECK(fit_conditional_logit({}).empty());
}

TEST_CASE("cities: baselines rank as their scores say", "[examples]") {
  const Catalogue cities = parse_catalogue(four_cities, "four");
  const Splits splits = split(cities);
  const TrigramIndex index(cities);
  const Places places(cities);
  const Baselines baselines(cities, splits, index, places);
  const std::vector<Query> queries{
      {U"wien", {}, {}},           // equal names, no coordinates
      {U"graz", {{11, 171}}, {}},  // near the last one
      {U"wiener neu", {}, "AT"},
  };
  const std::vector<Asked> asked{{3, {}}, {3, {}}, {2, {}}};
  const auto ranks = baselines.ranks(queries, asked);
  CHECK(ranks[Baselines::exact] == std::vector<std::size_t>{1, 3, 2});
  CHECK(ranks[Baselines::jaccard] == std::vector<std::size_t>{1, 3, 0});
  CHECK(ranks[Baselines::nearest] == std::vector<std::size_t>{3, 0, 2});
}

TEST_CASE("cities: the blend prefers similar names and near places", "[examples][slow]") {
  const auto& [cities, splits] = bundled();
  const TrigramIndex index(cities);
  const Places places(cities);
  const Baselines baselines(cities, splits, index, places);
  const auto& two = baselines.weights(Baselines::blend);
  const auto& four = baselines.weights(Baselines::blend_all);
  REQUIRE(two.size() == 2);
  REQUIRE(four.size() == 4);
  CHECK(two[0] == Approx(13).epsilon(0.1));
  CHECK(two[1] == Approx(1.93).epsilon(0.1));
  for (const double w : four) CHECK(w > 0);
}
