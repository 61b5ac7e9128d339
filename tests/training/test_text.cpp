#include <cmath>

#include <catch2/catch.hpp>

#include "training/text.hpp"

using namespace fovea;

TEST_CASE("numbers for people", "[training]") {
  CHECK(for_people(0.123456) == "0.1235");
  CHECK(for_people(2642) == "2642");
  CHECK(for_people(26416) == "26,416");
  CHECK(for_people(-1234567.8) == "-1,234,568");
  CHECK(for_people(1e20) == "1.000e+20");
  CHECK(for_people(std::nan("")) == "–");
}
