#include <cmath>

#include <catch2/catch.hpp>

#include "training/sparkline.hpp"

using namespace fovea;

TEST_CASE("a sparkline goes from its lowest to its highest value", "[training]") {
  Sparkline line;
  CHECK(line.text().empty());
  line.add(1);
  CHECK(line.text().empty());
  for (int i = 2; i <= 8; ++i) line.add(i);
  CHECK(line.text() == "▁▂▃▄▅▆▇█");
  line.add(NAN);
  line.add(INFINITY);
  CHECK(line.text() == "▁▂▃▄▅▆▇█");
}

TEST_CASE("a sparkline of many values has no more letters, each the mean of as many", "[training]") {
  Sparkline line;
  for (int i = 0; i < 1000; ++i) line.add(i < 512 ? 1 : 0);
  // 1000 values in letters of 64: eight of ones, eight of zeros.
  CHECK(line.text() == "████████▁▁▁▁▁▁▁▁");
}

TEST_CASE("a flat sparkline stays at the bottom", "[training]") {
  Sparkline line;
  for (int i = 0; i < 3; ++i) line.add(5);
  CHECK(line.text() == "▁▁▁");
}
