#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "report/colours.hpp"
#include "report/short_names.hpp"
#include "report/svg_parts.hpp"
#include "report/text.hpp"
#include "training/text.hpp"

// Heat maps: the first head of the first map with names and numbers, all others small.

namespace fovea::report {
namespace {

using Anchor = Drawing::Anchor;

constexpr double widest_cell = 34, narrowest_cell = 6, label_size = 13, longest_label = 110;
constexpr double least_label = 12;  // pixels from one name to the next

std::string label_of(const std::string& text) { return fitted(token(text), longest_label, label_size); }

// The end of a name, where paths differ, as far as it is at most so wide.
std::string end_of(const std::string& name, double width) {
  if (width_of(name, 12) <= width) return name;
  std::size_t from = 0;
  do
    for (++from; from < name.size() && (name[from] & 0xC0) == 0x80;) ++from;
  while (from < name.size() && width_of("…" + name.substr(from), 12) > width);
  return "…" + name.substr(from);
}

double longest(const std::vector<std::string>& tokens) {
  double most = 0;
  for (const std::string& one : tokens) most = std::max(most, width_of(label_of(one), label_size));
  return most;
}

// Room for the labels of rows, and its axis.
double names_of(const HeatMap& map) { return longest(map.rows) + 30; }

double count(std::size_t number) { return static_cast<double>(number); }

double darkest_of(const HeatMap::Head& head) {
  double most = 0;
  for (const double weight : head.weights) most = std::max(most, weight);
  return darkest(most);
}

// The shades of one head, its cells as large as `cell` says. Neighbours of one shade are one rectangle.
void draw_cells(Drawing& to, const HeatMap& map, const HeatMap::Head& head, double x, double y, double cell) {
  const std::size_t columns = map.columns.size(), rows = map.rows.size();
  const double top = darkest_of(head);
  const auto rounded = [](double pixels) { return std::round(10 * pixels) / 10; };
  for (std::size_t i = 0; i < rows; ++i) {
    for (std::size_t j = 0, end = 0; j < columns; j = end) {
      const std::size_t at = shade(head.weights[i * columns + j] / top);
      for (end = j + 1; end < columns && shade(head.weights[i * columns + end] / top) == at;) ++end;
      if (at == 0) continue;
      const double left = rounded(x + cell * count(j)), above = rounded(y + cell * count(i));
      to.rect(left, above, rounded(x + cell * count(end)) - left, rounded(y + cell * count(i + 1)) - above,
              fmt::format("w{}", at));
    }
  }
  to.rect(x, y, cell * count(columns), cell * count(rows), "rule");
}

// Heads from this one on, small, each under its name. Returns how high they are.
double draw_small(Drawing& to, const HeatMap& map, std::size_t from, double x, double y, double width) {
  if (from >= map.heads.size()) return 0;
  constexpr double label = 22, gap = 14, least = 140;
  const double wanted = std::min(width, std::max(least, count(map.columns.size())));
  const auto across = static_cast<std::size_t>(std::max(1.0, (width + gap) / (wanted + gap)));
  const double wide = (width - gap * count(across - 1)) / count(across);
  const double cell = std::min(wide / count(map.columns.size()), widest_cell / 2);
  const double high = label + cell * count(map.rows.size()) + gap;
  const std::vector<std::string> names = short_names(map);
  const std::size_t heads = map.heads.size() - from;
  for (std::size_t k = 0; k < heads; ++k) {
    const HeatMap::Head& head = map.heads[from + k];
    const double left = x + count(k % across) * (wide + gap), top = y + count(k / across) * high;
    const double most = darkest_of(head);
    const std::string upto = most < 1 ? fmt::format("  ≤ {}", brief(most, 2)) : "";
    to.text(left, top + 14, "s", end_of(names[from + k], wide - width_of(upto, 12)) + upto);
    draw_cells(to, map, head, left, top + label, cell);
  }
  return count((heads + across - 1) / across) * high;
}

// The first head of a map, with names and numbers. Returns how high it is.
double draw_large(Drawing& to, const HeatMap& map, double x, double y, double width) {
  const std::size_t columns = map.columns.size(), rows = map.rows.size();
  const double names = names_of(map), long_name = longest(map.columns);
  const double cell = std::clamp((width - names) / count(columns), narrowest_cell, widest_cell);
  // Names stand upright where one is wider than its cell (likewise in page/pictures.js).
  const bool upright = long_name > cell - 4;
  const double left = x + names, top = y + 24 + (upright ? long_name : 16);
  const auto apart = static_cast<std::size_t>(std::ceil(least_label / cell));  // from name to name
  const auto across = [&](std::size_t j) { return left + cell * count(j); };
  const auto down = [&](std::size_t i) { return top + cell * count(i); };
  to.text((left + across(columns)) / 2, y + 10, "s", map.column_axis + " →", Anchor::middle);
  to.text(x + 10, (top + down(rows)) / 2, "s", "← " + map.row_axis, Anchor::middle, -90);
  for (std::size_t j = 0; j < columns; j += apart) {
    const std::string name = label_of(map.columns[j]);
    if (upright)
      to.text(across(j) + cell / 2 + 4, top - 6, "n", name, Anchor::start, -90);
    else
      to.text(across(j) + cell / 2, top - 7, "n", name, Anchor::middle);
  }
  const HeatMap::Head& first = map.heads.front();
  const double most = darkest_of(first);
  draw_cells(to, map, first, left, top, cell);
  for (std::size_t i = 0; i < rows; i += apart)
    to.text(left - 8, down(i) + cell / 2 + 4.5, "n", label_of(map.rows[i]), Anchor::end);
  for (std::size_t i = 0; i < rows && cell >= 26; ++i) {
    for (std::size_t j = 0; j < columns; ++j) {
      const double weight = first.weights[i * columns + j];
      if (!(weight >= 0.01)) continue;
      const std::string value = weight >= 0.995 ? "1" : fmt::format("{:.2f}", weight).substr(1);
      to.text(across(j) + cell / 2, down(i) + cell / 2 + 4, shade(weight / most) >= deep ? "v deep" : "v",
              value, Anchor::middle);
    }
  }
  double at = down(rows);
  std::string note = map.heads.size() > 1 ? short_names(map).front() : "";
  if (most < 1)
    note += fmt::format("{}the darkest shade is {}, the largest weight", note.empty() ? "" : "; ",
                        brief(most, 2));
  if (!note.empty()) to.text(x, at += 18, "s", fitted(note, width, 12));
  return at + (note.empty() ? 0 : 4) - y;
}

}  // namespace

double width_needed(const HeatMaps& maps, double most) {
  double best = 0, least = 0;
  for (const HeatMap& map : maps) {
    if (&map == &maps.front()) {
      best = names_of(map) + widest_cell * count(map.columns.size());
      least = names_of(map) + narrowest_cell * count(map.columns.size());
    }
    least = std::max(least, count(map.columns.size()));  // a pixel each, where they are small
  }
  return std::max(least, std::min(best, most));
}

double draw_shown(Drawing& to, const HeatMaps& maps, double x, double y, double width) {
  double at = y;
  for (const HeatMap& map : maps) {
    const bool is_first = &map == &maps.front();
    if (!is_first)
      to.text(x, at + 24, "n", fitted(map.row_axis + " × " + map.column_axis, width, label_size));
    if (!is_first) at += 30;
    if (!map.heads.empty() && !map.columns.empty()) {
      if (is_first) at += draw_large(to, map, x, at, width) + (map.heads.size() > 1 ? 8 : 0);
      at += draw_small(to, map, is_first ? 1 : 0, x, at, width);
    }
    if (map.left_out > 0)
      to.text(
          x, at += 16, "s",
          fitted(fmt::format("{} of {} heads are left out", map.left_out, map.left_out + map.heads.size()),
                 width, 12));
  }
  return at - y;
}

}  // namespace fovea::report
