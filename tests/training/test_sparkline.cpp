#include <cmath>

#include <catch2/catch.hpp>

#include "training/progress.hpp"

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

TEST_CASE("the line of progress: the bar gives way before the sparkline", "[training]") {
  constexpr std::size_t usual = 48;  // `]  12%  120/1000  loss 2.31  412 steps/s, 0:12 left`
  CHECK((bar_layout(usual, 120).bar == 24 && bar_layout(usual, 120).has_curve));
  CHECK((bar_layout(usual, 80).bar == 8 && bar_layout(usual, 80).has_curve));
  CHECK_FALSE(bar_layout(usual, 74).has_curve);
  CHECK(bar_layout(usual, 74).bar == 24);
  CHECK(bar_layout(usual, 60).bar == 8);
  for (std::size_t room = 40; room < 140; ++room) {
    const BarLayout layout = bar_layout(usual, room);
    const std::size_t curve = layout.has_curve ? 2 + Sparkline::letters : 0;
    if (room >= usual + 10) CHECK(usual + static_cast<std::size_t>(layout.bar) + curve + 2 <= room);
  }
}
