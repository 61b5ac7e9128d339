#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "report/colours.hpp"
#include "report/svg_parts.hpp"
#include "report/text.hpp"
#include "training/text.hpp"

namespace fovea::report {
namespace {

using Anchor = Drawing::Anchor;

constexpr std::size_t columns = 400;  // a drawing is about so many pixels wide

std::string tick_text(double value) { return for_people(std::abs(value) < 1e-12 ? 0 : value); }

// The names of the curves below a chart, as many as there is room for.
void draw_names(Drawing& to, const Chart& chart, double x, double y, double width) {
  double at = x;
  for (std::size_t i = 0; i < chart.curves.size(); ++i) {
    const double needed = 26 + width_of(chart.curves[i].name, 12);
    if (at + needed > x + width) {
      to.text(at, y, "s", fmt::format("and {} more", chart.curves.size() - i));
      return;
    }
    to.line(at, y - 4, at + 14, y - 4, fmt::format("l{}", i % hues));
    to.text(at + 18, y, "s", chart.curves[i].name);
    at += needed + 8;
  }
}

}  // namespace

std::string path_through(const std::vector<double>& x, const std::vector<double>& y, const Scale& across,
                         const Scale& up) {
  std::string data;
  bool begins = true;
  for (std::size_t i = 0; i < x.size(); ++i) {
    if (!std::isfinite(y[i])) {
      begins = true;
      continue;
    }
    data += fmt::format("{}{:.1f} {:.1f}", begins ? "M" : "L", across(x[i]), up(y[i]));
    begins = false;
  }
  return data;
}

void draw_axes(Drawing& to, const Scale& across, const Scale& up, const std::vector<double>& at) {
  for (const double value : ticks(up.low, up.high, 5)) {
    to.line(across.from, up(value), across.to, up(value), "rule");
    to.text(across.from - 6, up(value) + 4, "s", tick_text(value), Anchor::end);
  }
  for (const double value : at) to.line(across(value), up.from, across(value), up.to, "rule");
}

void draw(Drawing& to, const Chart& chart, double x, double y, double width, double height) {
  constexpr double head = 26, foot = 40, side = 52;
  to.text(x, y + 14, "t", chart.unit.empty() ? chart.title : chart.title + ", " + chart.unit);
  std::vector<Curve> curves;
  std::vector<double> all_x, all_y;
  for (const Curve& curve : chart.curves) {
    curves.push_back(thinned(curve, columns));
    all_x.insert(all_x.end(), curve.x.begin(), curve.x.end());
    all_y.insert(all_y.end(), curve.y.begin(), curve.y.end());
  }
  const Scale across = scale_over(all_x, x + side, x + width);
  const Scale up = scale_over(all_y, y + height - foot, y + head);
  const std::vector<double> steps = ticks(across.low, across.high, width > 500 ? 9 : 5);
  draw_axes(to, across, up, steps);
  for (const double step : steps) to.text(across(step), up.from + 15, "s", tick_text(step), Anchor::middle);
  to.text(x + width, up.from + 30, "s", "step", Anchor::end);
  for (std::size_t i = 0; i < curves.size(); ++i) {
    const std::string data = path_through(curves[i].x, curves[i].y, across, up);
    if (!data.empty()) to.path(data, fmt::format("l{}", i % hues));
  }
  if (chart.curves.size() > 1) draw_names(to, chart, x + side, up.from + 30, width - side - 40);
}

}  // namespace fovea::report
