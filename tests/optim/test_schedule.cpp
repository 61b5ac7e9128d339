#include <cmath>
#include <limits>

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

TEST_CASE("steps fall by a factor, after the warm-up rise", "[optim]") {
  Schedule schedule{Schedule::Kind::step, 1, 2, 100};
  schedule.every = 10;
  schedule.factor = 0.5;
  CHECK(schedule.rate(0) == 0.5);
  CHECK(schedule.rate(9) == 1);
  CHECK(schedule.rate(10) == 0.5);
  CHECK(schedule.rate(29) == 0.25);
}

TEST_CASE("inverse square root rises and falls", "[optim]") {
  const Schedule schedule{Schedule::Kind::inverse_sqrt, 1, 4, 100};
  CHECK(schedule.rate(1) == 0.5);
  CHECK(schedule.rate(3) == 1);
  CHECK(schedule.rate(15) == Approx(0.5));
}

TEST_CASE("one cycle rises to the rate and falls to almost nothing", "[optim]") {
  const Schedule schedule{Schedule::Kind::one_cycle, 1, 0, 100};
  CHECK(schedule.rate(0) == Approx(0.04));
  CHECK(schedule.rate(29) == Approx(1));
  CHECK(schedule.rate(99) == Approx(4e-6));
  CHECK(schedule.rate(1000) == Approx(4e-6));
  CHECK(schedule.rate(64) == Approx(0.5).epsilon(1e-4));
}

TEST_CASE("one cycle whose rise is a single step starts at the rate", "[optim]") {
  Schedule schedule{Schedule::Kind::one_cycle, 1, 0, 10};
  schedule.rise = 0.1;
  CHECK(schedule.rate(0) == 1);
  CHECK(schedule.rate(1) < 1);
  CHECK(schedule.rate(9) == Approx(4e-6));
}

TEST_CASE("the whole list of rates is what the steps see", "[optim]") {
  const Schedule schedule{Schedule::Kind::cosine, 1, 2, 5};
  const std::vector<double> rates = schedule.rates();
  REQUIRE(rates.size() == 5);
  for (std::uint64_t step = 0; step < 5; ++step) CHECK(rates[step] == schedule.rate(step));
}

TEST_CASE("a plateau lowers the rate after patience, and counts anew", "[optim]") {
  const Plateau plateau{.factor = 0.5, .patience = 1, .threshold = 0.1};
  Plateau::Seen seen;
  CHECK(plateau.observe(10, seen) == 1);
  CHECK(plateau.observe(9.5, seen) == 1);   // not better by a tenth: bad
  CHECK(plateau.observe(10, seen) == 0.5);  // one bad too many
  CHECK(plateau.observe(8, seen) == 0.5);   // better
  CHECK(plateau.observe(8, seen) == 0.5);
  CHECK(plateau.observe(8, seen) == 0.25);
  Plateau::Seen rising;
  const Plateau upward{.factor = 0.5, .patience = 0, .threshold = 0, .higher_is_better = true};
  CHECK(upward.observe(1, rising) == 1);
  CHECK(upward.observe(2, rising) == 1);
  CHECK(upward.observe(2, rising) == 0.5);
}

TEST_CASE("a metric that is not finite is never the best", "[optim]") {
  const double bad =
      GENERATE(std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity());
  const Plateau plateau{.factor = 0.5, .patience = 0, .threshold = 0};
  Plateau::Seen seen;
  CHECK(plateau.observe(bad, seen) == 0.5);
  CHECK(plateau.observe(3, seen) == 0.5);
  CHECK(plateau.observe(2, seen) == 0.5);
  CHECK(seen.best == 2);
}

TEST_CASE("schedules by name", "[optim]") {
  CHECK(schedule_kind("cosine") == Schedule::Kind::cosine);
  CHECK(schedule_kind("constant") == Schedule::Kind::constant);
  CHECK(schedule_kind("one_cycle") == Schedule::Kind::one_cycle);
  CHECK(schedule_names().size() == 5);
  CHECK_THROWS_WITH(schedule_kind("cosin"), Catch::Contains("cosin") && Catch::Contains("inverse_sqrt"));
}
