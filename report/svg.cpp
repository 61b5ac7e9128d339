#include <algorithm>

#include <fmt/format.h>

#include "report/room.hpp"
#include "report/svg_parts.hpp"

namespace fovea::report {
namespace {

constexpr double widest = 860, margin = 24, gap = 20;
constexpr std::size_t most_weights = 300'000;  // twenty megabytes, where no two neighbours are alike

}  // namespace

std::string svg(const Page& page) {
  Drawing drawing;
  std::string title;
  for (const RunRecord& run : page.runs) title += (title.empty() ? "" : ", ") + run.name;
  std::vector<Picture> pictures = page.pictures;
  leave_out_heads(pictures, most_weights);
  std::vector<Chart> charts;
  for (const Chart& chart : page.charts)
    if (!chart.folded) charts.push_back(chart);
  // Pictures alone need not be as wide as curves, and maps of many columns are wider.
  double width = charts.empty() && !pictures.empty() ? 0 : widest;
  for (const Picture& picture : pictures)
    width = std::max(width, width_needed(picture, widest - 2 * margin) + 2 * margin);
  double y = margin;
  const bool single = charts.size() == 1;
  const double chart_width = single ? width - 2 * margin : (width - 2 * margin - gap) / 2;
  for (std::size_t i = 0; i < charts.size(); i += 2) {
    double high = 0;
    for (std::size_t k = i; k < std::min(i + 2, charts.size()); ++k) {
      draw(drawing, charts[k], margin + (k > i ? chart_width + gap : 0), y, chart_width);
      high = std::max(high, height_of(charts[k], chart_width));
    }
    y += high + gap;
  }
  if (const std::size_t folded = page.charts.size() - charts.size(); folded > 0) {
    drawing.text(
        margin, y + 4, "s",
        fmt::format("not shown: {} of the charts of each attention, which a page (.html) has", folded));
    y += gap;
  }
  for (const Picture& picture : pictures) y += draw(drawing, picture, margin, y, width - 2 * margin) + gap;
  return drawing.file(width, y - gap + margin, title);
}

}  // namespace fovea::report
