#include <numeric>

#include <catch2/catch.hpp>

#include "core/check.hpp"
#include "examples/forecast/small_series.hpp"

using namespace fovea;
using namespace fovea::forecast;
using Catch::Contains;

TEST_CASE("forecast: a series is divided by time", "[examples]") {
  const Borders shares = borders(100, {}, 5, 2);
  CHECK(shares.train == 70);
  CHECK(shares.validation == 80);
  CHECK(shares.test == 100);
  const Borders ends = borders(1461, {0, 182, 365}, 28, 1);
  CHECK(ends.train == 914);
  CHECK(ends.test == 1461);
  // The published protocol of ETTh1: 17,420 rows, of which the last 3,020 are not used; 2,785 test windows.
  const Borders hours = borders(17420, {8640, 2880, 2880}, 336, 96);
  CHECK(hours.test == 14400);
  const Origins test = origins(hours, Split::test, 336, 96);
  CHECK(test.first == 11520);
  CHECK(test.count == 2785);
  const Origins train = origins(hours, Split::train, 336, 96);
  CHECK(train.first == 336);
  CHECK(train.first + train.count - 1 + 96 == 8640);
}

TEST_CASE("forecast: parts that are too small are refused", "[examples]") {
  CHECK_THROWS_WITH(borders(10, {0, 5, 5}, 2, 1), Contains("10 rows") && Contains("--test-rows"));
  CHECK_THROWS_WITH(borders(10, {9, 1, 1}, 2, 1), Contains("9 to train with"));
  CHECK_THROWS_WITH(borders(100, {}, 68, 3), Contains("70 rows to train with") && Contains("71 at least"));
  CHECK_THROWS_WITH(borders(100, {0, 2, 20}, 5, 3),
                    Contains("the validation part of 2 rows holds no horizon of 3"));
}

TEST_CASE("forecast: values are normalised by the rows to learn from alone", "[examples]") {
  Series series{"t", {"x"}, 1, Moment{}, {86400, 0}, 5, {1, 3, 5, 100, -100}};
  const Normaliser normaliser(series, 3);
  CHECK(normaliser.mean == std::vector<double>{3});
  CHECK(normaliser.deviation[0] == Approx(std::sqrt(8.0 / 3)));
  CHECK(normaliser.restored(normaliser.normalised(7.5, 0), 0) == Approx(7.5));
  series.values = {2, 2, 2, 3, 4};
  CHECK_THROWS_AS(Normaliser(series, 3), DataError);
  CHECK_THROWS_WITH(Normaliser({"t", {"x"}, 1, Moment{}, {86400, 0}, 2, {1e200, -1e200}}, 2),
                    Contains("too large"));
  CHECK_THROWS_WITH(Normaliser(series, 3), Contains("\"x\" is 2 in all of the 3 rows"));
}

TEST_CASE("forecast: a window is what was known", "[examples]") {
  const Series series{"t", {"x", "y"}, 1, Moment{}, {86400, 0}, 4, {0, 5, 2, 6, 4, 7, 6, 8}};
  Normaliser normaliser(series, 4);
  normaliser.mean = {0, 0};
  normaliser.deviation = {1, 1};
  const std::vector<std::size_t> origins{2, 3};
  const Window window = windows(series, normaliser, origins, 2, 1, true);
  CHECK(window.history.shape() == Shape{2, 2, 2});
  const std::vector<Real> rows{0, 5, 2, 6, 2, 6, 4, 7};
  CHECK(std::equal(rows.begin(), rows.end(), window.history.data()));
  CHECK(window.past.shape() == Shape{2, 2, 4});
  CHECK(window.future.shape() == Shape{2, 1, 4});
  const std::vector<Real> third = calendar(series.moment(2), series.step);
  CHECK(std::equal(third.begin(), third.end(), window.future.data()));
  CHECK(
      std::equal(third.begin(), third.end(), window.past.data() + 3 * 4));  // the last row before the second
  const Tensor came = truth(series, normaliser, origins, 1);
  CHECK(came.shape() == Shape{2, 1, 1});
  CHECK(came.data()[0] == 4);
  CHECK(came.data()[1] == 6);
  CHECK(windows(series, normaliser, origins, 2, 1, false).past.shape() == Shape{2, 2, 0});
}

TEST_CASE("forecast: no row of the future reaches a feature", "[examples]") {
  for (const std::string& model : models) {
    CAPTURE(model);
    Series series = small_series();
    ForecastTask before(small_config(model), series, 1);
    // Test rows, as late as the very first one that is forecast, say nothing to what was learned from.
    Rng rng;
    const std::vector<std::size_t> first{0};
    const auto known = before.batch(Split::test, first, rng);
    for (std::size_t i = 2 * 160; i < series.values.size(); ++i)
      series.values[i] += 1000 + static_cast<double>(i);
    const ForecastTask after(small_config(model), series, 1);
    const auto moved = after.batch(Split::test, first, rng);
    CHECK((known.window.history == moved.window.history));
    CHECK((known.window.past == moved.window.past));
    CHECK((known.window.future == moved.window.future));
    CHECK((known.truth != moved.truth));
    Pass pass, again;
    CHECK((forward(before.model, known.window, Anchor::window, pass).value() ==
           forward(after.model, moved.window, Anchor::window, again).value()));
    // Nor do validation rows: all that is learned from has the same bits.
    for (std::size_t i = 2 * 120; i < series.values.size(); ++i) series.values[i] += 500;
    const ForecastTask later(small_config(model), series, 1);
    std::vector<std::size_t> all(before.size(Split::train));
    std::iota(all.begin(), all.end(), std::size_t{0});
    const auto learned = before.batch(Split::train, all, rng), same = later.batch(Split::train, all, rng);
    CHECK((learned.window.history == same.window.history));
    CHECK((learned.truth == same.truth));
    const std::vector<std::size_t> last{before.size(Split::train) - 1};
    CHECK((before.batch(Split::train, last, rng).truth == after.batch(Split::train, last, rng).truth));
  }
}
