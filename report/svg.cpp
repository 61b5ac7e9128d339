#include <algorithm>

#include "report/svg_parts.hpp"

namespace fovea::report {
namespace {

constexpr double widest = 860, margin = 24, gap = 20, chart_height = 220;

}  // namespace

std::string svg(const Page& page) {
  Drawing drawing;
  std::string title;
  for (const RunRecord& run : page.runs) title += (title.empty() ? "" : ", ") + run.name;
  // Pictures alone need not be as wide as curves.
  double width = widest;
  if (page.charts.empty() && !page.pictures.empty()) {
    width = 0;
    for (const Picture& picture : page.pictures)
      width = std::max(width, width_needed(picture, widest - 2 * margin) + 2 * margin);
  }
  double y = margin;
  const bool single = page.charts.size() == 1;
  const double chart_width = single ? width - 2 * margin : (width - 2 * margin - gap) / 2;
  for (std::size_t i = 0; i < page.charts.size(); ++i) {
    const bool is_right = !single && i % 2 == 1;
    draw(drawing, page.charts[i], margin + (is_right ? chart_width + gap : 0), y, chart_width, chart_height);
    if (is_right || i + 1 == page.charts.size()) y += chart_height + gap;
  }
  for (const Picture& picture : page.pictures) {
    y += draw(drawing, picture, margin, y, width - 2 * margin) + gap;
  }
  return drawing.file(width, y - gap + margin, title);
}

}  // namespace fovea::report
