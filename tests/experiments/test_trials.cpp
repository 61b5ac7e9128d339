#include <algorithm>
#include <cmath>

#include <catch2/catch.hpp>

#include "core/check.hpp"
#include "experiments/trials.hpp"
#include "experiments/turns.hpp"

// Trainings that fill tables, and what is measured of the machine.

using namespace fovea;
using namespace fovea::experiments;
using Catch::Contains;

TEST_CASE("a training's numbers have names", "[experiments]") {
  const Trained trained{false, 1.5, 300, 3 << 20, {{"loss", 0.25}, {"ter", 12}}};
  CHECK(trained["ter"] == 12);
  CHECK(trained["seconds"] == 1.5);
  CHECK(trained["parameters"] == 300);
  CHECK(trained["peak_mb"] == 3);
  CHECK_THROWS_WITH(trained["wer"], Contains("\"wer\"") && Contains("loss, ter"));
  const Trained none{true, 0, 0, 0, {}};
  CHECK(std::isnan(none["ter"]));
  CHECK(std::isnan(none["seconds"]));
}

TEST_CASE("of a setting that is there twice the last counts", "[experiments]") {
  const Given settings = with({{"width", "64"}, {"steps", "9"}}, {{"heads", "2"}, {"width", "8"}});
  CHECK(settings == Given{{"width", "8"}, {"steps", "9"}, {"heads", "2"}});
  CHECK(with({}, {{"a", "1"}, {"a", "2"}}) == Given{{"a", "2"}});
  CHECK(with({{"a", "1"}}, {}) == Given{{"a", "1"}});
}

TEST_CASE("trials train every seed, and may share a row", "[experiments]") {
  Lab lab;
  lab.seeds = {7, 3};
  std::size_t calls = 0;
  lab.train = [&](std::span<const Training> trainings) {
    ++calls;
    std::vector<Trained> all;
    for (const Training& training : trainings) {
      CHECK(training.task == "sort");
      const double width = std::stod(training.settings.at(0).second);
      Trained one{false, 0, static_cast<std::uint64_t>(width), 0, {}};
      one.metrics["ter"] = 100 * width + static_cast<double>(training.seed);
      one.diverged = width == 2 && training.seed == 3;
      all.push_back(one);
    }
    return all;
  };
  const std::vector<Trial> trials{
      {"row", "sort", {{"width", "1"}}, {{"ter", "narrow"}, {"parameters", "size"}}},
      {"row", "sort", {{"width", "2"}}, {{"ter", "wide"}}},
      {"other", "sort", {{"width", "4"}}, {{"ter", "wide"}}}};
  Figures figures;
  run_trials(lab, "t", trials, figures);
  CHECK(calls == 1);  // all at once, so that they can run side by side
  CHECK(figures.all().size() == 8);
  CHECK(figures.rows("t") == std::vector<std::string>{"row", "other"});
  CHECK(figures.of("t", "row", "narrow") == std::vector<double>{103, 107});
  CHECK(figures.of("t", "row", "size") == std::vector<double>{1, 1});
  CHECK(figures.at("t", "row", "wide", 7) == 207);
  CHECK(figures.diverged("t", "row", "wide") == 1);
  CHECK(figures.of("t", "other", "wide") == std::vector<double>{403, 407});
}

TEST_CASE("ratios are of one round", "[experiments]") {
  Figures figures;
  for (const std::uint64_t round : {1, 2, 3}) {
    figures.add("time", "8", "slow", round, 6.0 * static_cast<double>(round * round));
    figures.add("time", "8", "fast", round, 2.0 * static_cast<double>(round));
  }
  add_ratios(figures, "time", "8", "slow", "fast", "ratio", "slow / fast");
  CHECK(figures.of("ratio", "8", "slow / fast") == std::vector<double>{3, 6, 9});
  add_ratios(figures, "time", "8", "slow", "other", "none", "slow / other");
  CHECK(figures.rows("none").empty());
}

#if defined(__linux__)
TEST_CASE("the peak of memory is that of the work alone", "[experiments]") {
  const auto take = [](std::size_t mb) {
    return [mb] {
      std::vector<char> all(mb << 20);
      std::fill(all.begin(), all.end(), 'x');
      if (*std::max_element(all.begin(), all.end()) != 'x') throw Error("not filled");
    };
  };
  const std::vector<char> before(100 << 20, 'y');
  const double taken = peak_mb_of(take(64));
  CHECK(taken > 60);
  CHECK(taken < 90);
  CHECK(peak_mb_of(take(1)) < 20);
  CHECK(std::isnan(peak_mb_of([] { throw Error("no work"); })));
}
#endif
