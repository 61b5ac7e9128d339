#include <cmath>
#include <limits>

#include <catch2/catch.hpp>

#include "training/statistics.hpp"

using namespace fovea;

TEST_CASE("mean, median and sample deviation", "[training]") {
  CHECK(mean(std::vector<double>{1, 2, 6}) == 3);
  CHECK(std::isnan(mean({})));
  CHECK(median({9, 1, 2}) == 2);
  CHECK(median({9, 1, 4, 2}) == 3);
  CHECK(median({7}) == 7);
  CHECK(std::isnan(median({})));
  CHECK(deviation(std::vector<double>{1, 2, 6}) == Approx(std::sqrt(7.0)));
  CHECK(deviation(std::vector<double>{5}) == 0);
  CHECK(deviation({}) == 0);
}

TEST_CASE("a mean has as many places as two digits of its deviation need", "[training]") {
  const auto told = [](double middle, double deviation) {
    return mean_and_deviation(std::vector{middle - deviation, middle, middle + deviation});
  };
  CHECK(told(0.62345, 0.031) == "0.623 ± 0.031");
  CHECK(told(0.62345, 0.00031) == "0.62345 ± 0.00031");
  CHECK(told(62.345, 1.26) == "62.3 ± 1.3");
  CHECK(told(623.45, 31.4) == "623 ± 31");
  CHECK(told(62345, 314) == "62345 ± 314");
  CHECK(told(-4, 0.5) == "-4.00 ± 0.50");
  CHECK(told(8, 0) == "8 ± 0");
  CHECK(mean_and_deviation(std::vector{0.125}) == "0.125");
  CHECK(mean_and_deviation({}) == "–");
}
