#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "report/colours.hpp"
#include "report/legend.hpp"
#include "report/plot.hpp"

namespace fovea::report {
namespace {

using Anchor = Drawing::Anchor;

constexpr double width = 760, margin = 24, gap = 26, head = 30, foot = 44, lines_high = 260, row_high = 26;

struct Tick {
  double at = 0;  // in pixels
  std::string words;
};

// Values to pixels, evenly or by their logarithms.
class Axis {
 public:
  Axis(std::vector<double> values, bool is_log, double from, double to) : is_log_(is_log) {
    std::erase_if(values, [&](double value) { return !shows(value); });
    for (double& value : values) value = inner(value);
    scale_ = scale_over(values, from, to);
  }
  bool shows(double value) const { return std::isfinite(value) && (!is_log_ || value > 0); }
  double operator()(double value) const { return scale_(inner(value)); }

  std::vector<Tick> marks(std::size_t about) const {
    std::vector<Tick> all;
    const auto add = [&](double value) { all.push_back({(*this)(value), tick_text(value)}); };
    if (!is_log_) {
      for (const double value : ticks(scale_.low, scale_.high, about)) add(value);
      return all;
    }
    // 1, 2 and 5 times powers of ten; only the powers where these would be too many.
    const bool is_wide = scale_.high - scale_.low > 2.5;
    for (double power = std::floor(scale_.low); power <= scale_.high; ++power)
      for (const double times : {1.0, 2.0, 5.0})
        if (const double value = times * std::pow(10, power);
            inner(value) >= scale_.low && inner(value) <= scale_.high && (times == 1 || !is_wide))
          add(value);
    if (all.size() < 2) {  // less than a power of ten: evenly, as far as it goes
      all.clear();
      for (const double value : ticks(std::pow(10, scale_.low), std::pow(10, scale_.high), about)) add(value);
    }
    return all;
  }
  // At these values themselves, where they are few.
  std::vector<Tick> marks_at(std::vector<double> values, std::size_t about) const {
    std::erase_if(values, [&](double value) { return !shows(value); });
    std::sort(values.begin(), values.end());
    values.erase(std::unique(values.begin(), values.end()), values.end());
    if (values.size() > about) return marks(about);
    std::vector<Tick> all;
    for (const double value : values) all.push_back({(*this)(value), tick_text(value)});
    return all;
  }
  double from() const { return scale_.from; }
  double to() const { return scale_.to; }

 private:
  double inner(double value) const { return is_log_ ? std::log10(value) : value; }
  bool is_log_;
  Scale scale_;
};

std::vector<double> joined(const Plot& plot, std::vector<double> Points::*a,
                           std::vector<double> Points::*b = {}, std::vector<double> Points::*c = {}) {
  std::vector<double> all;
  for (const Points& points : plot.points)
    for (const auto member : {a, b, c})
      if (member) all.insert(all.end(), (points.*member).begin(), (points.*member).end());
  return all;
}

double left_of(const Plot& plot) {
  double widest = 46;
  for (const std::string& name : plot.categories) widest = std::max(widest, width_of(name, 12) + 12);
  return std::min(widest, 300.0);
}

Legend legend_of(const Plot& plot) {
  std::vector<Legend::Line> lines;
  for (const Points& points : plot.points) lines.push_back({points.name, lines.size()});
  return Legend(lines, width - left_of(plot));
}

double inner_height(const Plot& plot) {
  return plot.categories.empty() ? lines_high : row_high * static_cast<double>(plot.categories.size());
}

double height_of(const Plot& plot) {
  return head + inner_height(plot) + foot + legend_of(plot).height() + 17;
}

void draw_lines(Drawing& to, const Plot& plot, double x, double top) {
  const Axis across(joined(plot, &Points::x), plot.log_x, x, margin + width);
  const Axis up(joined(plot, &Points::y, &Points::low, &Points::high), plot.log_y, top + lines_high, top);
  for (const Tick& tick : up.marks(6)) {
    to.line(across.from(), tick.at, across.to(), tick.at, "rule");
    to.text(across.from() - 6, tick.at + 4, "s", tick.words, Anchor::end);
  }
  for (const Tick& tick : across.marks_at(joined(plot, &Points::x), 10)) {
    to.line(tick.at, up.from(), tick.at, up.to(), "rule");
    to.text(tick.at, up.from() + 15, "s", tick.words, Anchor::middle);
  }
  for (std::size_t k = 0; k < plot.points.size(); ++k) {
    const Points& points = plot.points[k];
    std::string data;
    for (std::size_t i = 0; i < points.x.size(); ++i) {
      if (!across.shows(points.x[i]) || !up.shows(points.y[i])) continue;
      const double at = across(points.x[i]), high = up(points.y[i]);
      data += fmt::format("{}{:.1f} {:.1f}", data.empty() ? "M" : "L", at, high);
      if (up.shows(points.low[i]) && up.shows(points.high[i]))
        to.line(at, up(points.low[i]), at, up(points.high[i]), look_of(k));
      to.circle(at, high, 3, fmt::format("b{}", k % hues));
    }
    if (!data.empty()) to.path(data, look_of(k));
  }
}

void draw_dots(Drawing& to, const Plot& plot, double x, double top) {
  const Axis across(joined(plot, &Points::y, &Points::low, &Points::high), plot.log_y, x, margin + width);
  const double bottom = top + inner_height(plot);
  for (const Tick& tick : across.marks(7)) {
    to.line(tick.at, top, tick.at, bottom, "rule");
    to.text(tick.at, bottom + 15, "s", tick.words, Anchor::middle);
  }
  for (std::size_t row = 0; row < plot.categories.size(); ++row) {
    const double middle = top + row_high * (static_cast<double>(row) + 0.5);
    to.text(x - 8, middle + 4, "s", fitted(plot.categories[row], x - margin, 12), Anchor::end);
  }
  const double count = static_cast<double>(plot.points.size());
  for (std::size_t k = 0; k < plot.points.size(); ++k) {
    const Points& points = plot.points[k];
    for (std::size_t i = 0; i < points.x.size(); ++i) {
      if (!across.shows(points.y[i])) continue;
      // Columns of a row stand a little apart.
      const double shift = (static_cast<double>(k) - (count - 1) / 2) * std::min(6.0, 18 / count);
      const double y = top + row_high * (points.x[i] + 0.5) + shift;
      if (across.shows(points.low[i]) && across.shows(points.high[i]))
        to.line(across(points.low[i]), y, across(points.high[i]), y, look_of(k));
      to.circle(across(points.y[i]), y, 3.5, fmt::format("b{}", k % hues));
    }
  }
}

void draw(Drawing& to, const Plot& plot, double y) {
  const double x = margin + left_of(plot), top = y + head, bottom = top + inner_height(plot);
  const auto marked = [](const std::string& words, bool is_log) {
    return !is_log ? words : words.empty() ? "logarithmic" : words + ", logarithmic";
  };
  const std::string measure = marked(plot.y_title, plot.log_y), unit = measure.empty() ? "" : " · " + measure;
  to.text(margin, y + 14, "t", fitted(plot.title + unit, width, 15));
  if (plot.categories.empty())
    draw_lines(to, plot, x, top);
  else
    draw_dots(to, plot, x, top);
  to.text(margin + width, bottom + 30, "s", marked(plot.x_title, plot.log_x), Anchor::end);
  legend_of(plot).draw(to, x, bottom + 47);
}

}  // namespace

std::string svg(std::span<const Plot> plots, const std::string& title) {
  Drawing drawing;
  double y = margin;
  for (const Plot& plot : plots) {
    draw(drawing, plot, y);
    y += height_of(plot) + gap;
  }
  return drawing.file(width + 2 * margin, y - gap + margin, title);
}

}  // namespace fovea::report
