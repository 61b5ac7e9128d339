#include <catch2/catch.hpp>

#include "optim/schedule.hpp"
#include "parity/fixture.hpp"

using namespace fovea;

namespace {

Schedule schedule_of(const Case& c) {
  const Schedule usual;
  const auto count = [&](const char* setting, std::uint64_t otherwise) {
    return c.settings.count(setting) ? std::uint64_t{c.count(setting)} : otherwise;
  };
  Schedule schedule;
  schedule.kind = schedule_kind(c.subject());
  schedule.base = c.number("base");
  schedule.warmup = count("warmup", usual.warmup);
  schedule.total = count("total", usual.total);
  schedule.floor = c.number("floor", usual.floor);
  schedule.every = count("every", usual.every);
  schedule.factor = c.number("factor", usual.factor);
  schedule.rise = c.number("rise", usual.rise);
  return schedule;
}

void check_plateau(const Case& c, const std::vector<double>& expected) {
  const Plateau plateau{.factor = c.number("factor"),
                        .patience = c.count("patience"),
                        .threshold = c.number("threshold"),
                        .higher_is_better = c.number("higher_is_better") != 0};
  Plateau::Seen seen;
  std::size_t i = 0;
  REQUIRE(c.list("metrics").size() == expected.size());
  for (double metric : c.list("metrics"))
    CHECK(plateau.observe(metric, seen) == Approx(expected[i++]).epsilon(1e-10));
}

}  // namespace

TEST_CASE("schedules agree with PyTorch, step by step", "[parity]") {
  const std::vector<Case> cases = read_fixture("schedules");
  std::set<std::string> covered = subjects(cases);
  CHECK(covered.erase("plateau") == 1);
  CHECK(covered == std::set<std::string>(schedule_names().begin(), schedule_names().end()));
  for (const Case& c : cases) {
    INFO(c.name);
    const std::vector<double>& expected = c.outputs.at("rates").data;
    REQUIRE(expected.size() >= 5);
    if (c.subject() == "plateau") {
      check_plateau(c, expected);
      continue;
    }
    const Schedule schedule = schedule_of(c);
    for (std::size_t step = 0; step < expected.size(); ++step) {
      INFO("step " << step);
      CHECK(schedule.rate(step) == Approx(expected[step]).epsilon(1e-10).margin(1e-15));
    }
  }
}
