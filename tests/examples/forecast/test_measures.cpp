#include <catch2/catch.hpp>

#include "examples/forecast/measures.hpp"

using namespace fovea;
using namespace fovea::forecast;

namespace {

// Two targets; the second is the first times ten. Rows to learn from: 1 3 2 4, then 6 5 9.
struct Example {
  Series series{
      "t", {"x", "y"}, 2, Moment{}, {3600, 0}, 7, {1, 10, 3, 30, 2, 20, 4, 40, 6, 60, 5, 50, 9, 90}};
  Normaliser normaliser;
  Example() {
    normaliser.mean = {0, 0};
    normaliser.deviation = {1, 10};
  }
  Yardstick by(std::size_t season) const { return {series, normaliser, 4, season}; }
};

double at(const Baseline& baseline, std::size_t origin, std::size_t step) {
  return baseline.forecast(0, origin, step, 0);
}

}  // namespace

TEST_CASE("forecast: errors are those of the formulas", "[examples]") {
  const Example example;
  const std::vector<std::size_t> origins{4, 5};
  // Forecasts 5: off by 1 and 0 from 6 and 5, then by 0 and 4 from 5 and 9.
  const Measures found = measure(example.by(2), origins, 2, [](auto...) { return 5.0; });
  CHECK(found.mse == Approx((1 + 0 + 0 + 16) / 4.0));
  CHECK(found.mae == Approx(5 / 4.0));
  // Two rows apart, 1 3 2 4 differ by 1 and 1.
  CHECK(found.mase == Approx(5 / 4.0));
  CHECK(found.mae_of[0] == Approx(1.25));
  CHECK(found.mae_of[1] == Approx(12.5));
  // One apart, by 2, 1 and 2; so it is where the season is longer than what there is.
  CHECK(measure(example.by(1), origins, 2, [](auto...) { return 5.0; }).mase == Approx(1.25 / (5 / 3.0)));
  CHECK(measure(example.by(9), origins, 2, [](auto...) { return 5.0; }).mase == Approx(1.25 / (5 / 3.0)));
}

TEST_CASE("forecast: what the table lacks is no truth, and what repeats itself no measure", "[examples]") {
  Example example;
  const std::vector<std::size_t> origins{4, 5};
  example.series.made_up = {2 * 6, 2 * 6 + 1};  // the 9, which a forecast of 5 missed by 4
  CHECK(measure(example.by(2), origins, 2, [](auto...) { return 5.0; }).mae == Approx(1 / 3.0));
  example.series.values.assign(14, 1);
  CHECK(std::isnan(measure(example.by(2), origins, 2, [](auto...) { return 5.0; }).mase));
}

TEST_CASE("forecast: baselines know what came before, and no more", "[examples]") {
  const Example example;
  const std::vector<Baseline> all = baselines(example.by(2), 3);
  CHECK(at(all[0], 4, 0) == 4);
  CHECK(at(all[0], 4, 2) == 4);
  CHECK(at(all[1], 4, 0) == 2);
  CHECK(at(all[1], 4, 1) == 4);
  CHECK(at(all[1], 4, 2) == 2);                          // the season before is not known yet
  CHECK(at(baselines(example.by(5), 3)[1], 4, 0) == 4);  // the series is no season old
  CHECK(at(all[2], 4, 0) == Approx(4.5));                // from 3 over two rows to 4
  CHECK(at(all[2], 4, 1) == Approx(5));
}
