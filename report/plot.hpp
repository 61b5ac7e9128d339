#pragma once

#include <span>
#include <string>
#include <vector>

namespace fovea::report {

/// Measured points, each with the range that it stands for. What is not finite is left out.
struct Points {
  std::string name;
  std::vector<double> x, y;
  std::vector<double> low, high;  // around y
};

/// Points over a number, joined by lines; or, where there are categories, dots in a row for each of them: `x`
/// is the number of the category then.
struct Plot {
  std::string title, x_title, y_title;
  bool log_x = false, log_y = false;    // numbers that are not above 0 are left out there
  std::vector<std::string> categories;  // of dots, whose axis of values lies at the foot
  std::vector<Points> points;
};

/// The plots one below the other: well-formed SVG that follows the reader's light or dark scheme.
std::string svg(std::span<const Plot> plots, const std::string& title);

}  // namespace fovea::report
