#include <cmath>
#include <string>
#include <vector>

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

TEST_CASE("rows are aligned by their characters", "[training]") {
  const std::vector<std::vector<std::string>> rows{
      {"d", "dot", "a score"}, {"1024", "6.0 ± 1.0", "–"}, {"8", "7", "diverged"}};
  CHECK(aligned(rows) ==
        "d           dot   a score\n"
        "1024  6.0 ± 1.0         –\n"
        "8             7  diverged\n");
  CHECK(aligned({}).empty());
  // A row may be shorter than the first.
  CHECK(aligned(std::vector<std::vector<std::string>>{{"a", "b"}, {"long"}}) == "a     b\nlong\n");
}
