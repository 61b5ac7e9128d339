#include <catch2/catch.hpp>

#include "examples/cities/task.hpp"

using namespace fovea;
using namespace fovea::cities;

TEST_CASE("cities: pictures of queries that are named", "[examples]") {
  CitiesTask task = CitiesTask::tiny({});
  const std::vector<report::Picture> pictures = task.pictures({{"belgrade\t5\t11\tBB"}});
  REQUIRE(pictures.size() == 1);
  CHECK(pictures[0].title == "belgrade, near 5.0° N 11.0° E, in BB");
  CHECK(pictures[0].truth.empty());
  const auto& ranking = std::get<report::Ranking>(pictures[0].shown);
  REQUIRE(ranking.entries.size() == 8);
  CHECK(pictures[0].answer == ranking.entries[0].name);
  CHECK(ranking.asked == std::vector<report::Place>{{5, 11}});
  for (std::size_t i = 1; i < ranking.entries.size(); ++i)
    CHECK(ranking.entries[i].weight <= ranking.entries[i - 1].weight);
  CHECK(ranking.backdrop.size() == 16);  // each city is at a degree of its own
}

TEST_CASE("cities: pictures of what went worst show the right city, however late it comes", "[examples]") {
  CitiesTask task = CitiesTask::tiny({});
  const std::vector<report::Picture> pictures = task.pictures({{}, 3, 1});
  REQUIRE(pictures.size() >= 1);
  for (const report::Picture& picture : pictures) {
    const auto& ranking = std::get<report::Ranking>(picture.shown);
    std::size_t right = 0;
    for (const auto& entry : ranking.entries) {
      if (!entry.is_right) continue;
      ++right;
      CHECK(entry.name == picture.truth);
    }
    CHECK(right == 1);
  }
}
