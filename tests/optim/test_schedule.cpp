#include <cmath>

#include <catch2/catch.hpp>

#include "core/check.hpp"
#include "optim/schedule.hpp"

using namespace fovea;

TEST_CASE("a constant rate", "[optim]") {
  const Schedule schedule{Schedule::Kind::constant, 0.5, 0, 10, 0};
  CHECK(schedule.rate(0) == 0.5);
  CHECK(schedule.rate(1000) == 0.5);
}

TEST_CASE("warm-up rises linearly to the rate and moves from the first step on", "[optim]") {
  const Schedule schedule{Schedule::Kind::constant, 1, 4, 0, 0};
  CHECK(schedule.rate(0) == Approx(0.25));
  CHECK(schedule.rate(2) == Approx(0.75));
  CHECK(schedule.rate(3) == Approx(1));
  CHECK(schedule.rate(4) == 1);
}

TEST_CASE("cosine falls from the rate to the floor, after the warm-up", "[optim]") {
  const Schedule schedule{Schedule::Kind::cosine, 1, 10, 110, 0.2};
  CHECK(schedule.rate(10) == Approx(1));
  CHECK(schedule.rate(60) == Approx(0.6));
  CHECK(schedule.rate(35) == Approx(0.2 + 0.8 * 0.5 * (1 + std::sqrt(0.5))));
  CHECK(schedule.rate(110) == 0.2);
  CHECK(schedule.rate(5000) == 0.2);
}

TEST_CASE("a warm-up longer than the run ends where the run ends", "[optim]") {
  const Schedule schedule{Schedule::Kind::cosine, 1, 100, 50, 0};
  CHECK(schedule.rate(49) == Approx(0.5));
  CHECK(schedule.rate(100) == 0);
}

TEST_CASE("schedules by name", "[optim]") {
  CHECK(schedule_kind("cosine") == Schedule::Kind::cosine);
  CHECK(schedule_kind("constant") == Schedule::Kind::constant);
  CHECK_THROWS_AS(schedule_kind("cosin"), ConfigError);
}
