#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "report/colours.hpp"
#include "report/legend.hpp"
#include "report/svg_parts.hpp"
#include "report/text.hpp"

namespace fovea::report {
namespace {

using Anchor = Drawing::Anchor;

constexpr std::size_t columns = 400;  // a drawing is about so many pixels wide

constexpr double head = 26, plot = 154, foot = 40, side = 52, title_size = 16;

Legend legend_of(const Chart& chart, double width) {
  std::vector<Legend::Line> lines;
  for (const Curve& curve : chart.curves) lines.push_back({curve.name, curve.look});
  return Legend(lines, width - side - 40);
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

void draw_lonely(Drawing& to, const std::vector<double>& x, const std::vector<double>& y, const Scale& across,
                 const Scale& up, std::string_view look) {
  for (std::size_t i = 0; i < x.size(); ++i) {
    const bool follows = i > 0 && std::isfinite(y[i - 1]),
               goes_on = i + 1 < x.size() && std::isfinite(y[i + 1]);
    if (std::isfinite(y[i]) && !follows && !goes_on) to.circle(across(x[i]), up(y[i]), 2.5, look);
  }
}

double height_of(const Chart& chart, double width) {
  return head + plot + foot + legend_of(chart, width).height();
}

void draw(Drawing& to, const Chart& chart, double x, double y, double width) {
  to.text(x, y + 14, "t",
          fitted(chart.unit.empty() ? chart.title : chart.title + ", " + chart.unit, width, title_size));
  std::vector<Curve> curves;
  std::vector<double> all_x, all_y;
  for (const Curve& curve : chart.curves) {
    curves.push_back(thinned(curve, columns));
    all_x.insert(all_x.end(), curve.x.begin(), curve.x.end());
    all_y.insert(all_y.end(), curve.y.begin(), curve.y.end());
  }
  const Scale across = scale_over(all_x, x + side, x + width);
  const Scale up = scale_over(all_y, y + head + plot, y + head);
  const bool is_one =
      !all_x.empty() && std::all_of(all_x.begin(), all_x.end(), [&](double at) { return at == all_x[0]; });
  const std::vector<double> steps =
      is_one ? std::vector<double>{all_x[0]} : ticks(across.low, across.high, width > 500 ? 9 : 5);
  draw_axes(to, across, up, steps);
  for (const double step : steps) to.text(across(step), up.from + 15, "s", tick_text(step), Anchor::middle);
  to.text(x + width, up.from + 30, "s", "step", Anchor::end);
  for (std::size_t i = 0; i < curves.size(); ++i) {
    const std::string data = path_through(curves[i].x, curves[i].y, across, up);
    if (!data.empty()) to.path(data, look_of(curves[i].look));
    draw_lonely(to, curves[i].x, curves[i].y, across, up, fmt::format("b{}", curves[i].look % hues));
  }
  legend_of(chart, width).draw(to, x + side, up.from + 30);
}

}  // namespace fovea::report
