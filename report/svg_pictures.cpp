#include <algorithm>
#include <cmath>
#include <ctime>

#include <fmt/format.h>

#include "report/colours.hpp"
#include "report/svg_parts.hpp"
#include "report/text.hpp"

namespace fovea::report {
namespace {

using Anchor = Drawing::Anchor;

constexpr double widest_cell = 34;
constexpr std::size_t deep = 11;  // from this shade on, letters are light

std::string shortened(const std::string& text, std::size_t most) {
  std::size_t letters = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool begins = (text[i] & 0xC0) != 0x80;
    if (begins && letters++ == most) return text.substr(0, i) + "…";
  }
  return text;
}

// The end of a path, where paths differ.
std::string end_of(const std::string& text, std::size_t most) {
  if (text.size() <= most) return text;
  std::size_t from = text.size() - most;
  while (from < text.size() && (text[from] & 0xC0) == 0x80) ++from;
  return "…" + text.substr(from);
}

double longest(const std::vector<std::string>& tokens) {
  double most = 0;
  for (const std::string& one : tokens) most = std::max(most, width_of(shortened(token(one), 14), 13));
  return most;
}

// Room for the labels of rows, and its axis.
double names_of(const HeatMap& map) { return longest(map.rows) + 30; }

// The shades of one head, its cells as large as `cell` says.
void draw_cells(Drawing& to, const HeatMap& map, const HeatMap::Head& head, double x, double y, double cell) {
  const std::size_t columns = map.columns.size(), rows = map.rows.size();
  for (std::size_t i = 0; i < rows; ++i) {
    for (std::size_t j = 0; j < columns; ++j) {
      const std::size_t at = shade(head.weights[i * columns + j]);
      const double left = x + cell * static_cast<double>(j), top = y + cell * static_cast<double>(i);
      if (at > 0) to.rect(left, top, cell, cell, fmt::format("w{}", at));
    }
  }
  to.rect(x, y, cell * static_cast<double>(columns), cell * static_cast<double>(rows), "rule");
}

// The other heads, small, each under its name. Returns how high they are.
double draw_other_heads(Drawing& to, const HeatMap& map, double x, double y, double width) {
  constexpr double label = 22, gap = 14, least = 140;
  const auto across = static_cast<std::size_t>(std::max(1.0, (width + gap) / (least + gap)));
  const double wide = (width - gap * static_cast<double>(across - 1)) / static_cast<double>(across);
  const double cell = std::min(wide / static_cast<double>(map.columns.size()), widest_cell / 2);
  const double high = label + cell * static_cast<double>(map.rows.size()) + gap;
  const std::size_t others = map.heads.size() - 1;
  for (std::size_t k = 0; k < others; ++k) {
    const HeatMap::Head& head = map.heads[k + 1];
    const double left = x + static_cast<double>(k % across) * (wide + gap),
                 top = y + static_cast<double>(k / across) * high;
    to.text(left, top + 14, "s", end_of(head.name, static_cast<std::size_t>(wide / 6)));
    draw_cells(to, map, head, left, top + label, cell);
  }
  return static_cast<double>((others + across - 1) / across) * high;
}

double draw_shown(Drawing& to, const HeatMap& map, double x, double y, double width) {
  if (map.heads.empty() || map.columns.empty()) return 0;
  const std::size_t columns = map.columns.size(), rows = map.rows.size();
  const double names = names_of(map);
  const bool upright = longest(map.columns) > 24;
  const double head = 24 + (upright ? longest(map.columns) : 16);
  const double cell = std::clamp((width - names) / static_cast<double>(columns), 6.0, widest_cell);
  const double left = x + names, top = y + head;
  const auto across = [&](std::size_t j) { return left + cell * static_cast<double>(j); };
  const auto down = [&](std::size_t i) { return top + cell * static_cast<double>(i); };
  to.text((left + across(columns)) / 2, y + 10, "s", map.column_axis + " →", Anchor::middle);
  to.text(x + 10, (top + down(rows)) / 2, "s", "← " + map.row_axis, Anchor::middle, -90);
  for (std::size_t j = 0; j < columns; ++j) {
    const std::string name = shortened(token(map.columns[j]), 14);
    if (upright)
      to.text(across(j) + cell / 2 + 4, top - 6, "n", name, Anchor::start, -90);
    else
      to.text(across(j) + cell / 2, top - 7, "n", name, Anchor::middle);
  }
  const HeatMap::Head& first = map.heads.front();
  draw_cells(to, map, first, left, top, cell);
  for (std::size_t i = 0; i < rows; ++i) {
    to.text(left - 8, down(i) + cell / 2 + 4.5, "n", shortened(token(map.rows[i]), 14), Anchor::end);
    for (std::size_t j = 0; j < columns; ++j) {
      const double weight = first.weights[i * columns + j];
      if (cell < 26 || !(weight >= 0.01)) continue;
      const std::string value = weight >= 0.995 ? "1" : fmt::format("{:.2f}", weight).substr(1);
      to.text(across(j) + cell / 2, down(i) + cell / 2 + 4, shade(weight) >= deep ? "vd" : "v", value,
              Anchor::middle);
    }
  }
  if (map.heads.size() == 1) return down(rows) - y;
  to.text(left, down(rows) + 18, "s", first.name);
  return down(rows) + 30 + draw_other_heads(to, map, x, down(rows) + 30, width) - y;
}

// A moment as an axis says it: with its time where one is not at midnight.
std::string moment_text(double seconds, bool with_time) {
  const auto time = static_cast<std::time_t>(seconds);
  std::tm parts{};
  gmtime_r(&time, &parts);
  char text[32];
  return {text, std::strftime(text, sizeof text, with_time ? "%m-%d %H:%M" : "%Y-%m-%d", &parts)};
}

double draw_shown(Drawing& to, const Forecast& series, double x, double y, double width) {
  constexpr double height = 230, foot = 34, side = 52, day = 86400;
  std::vector<double> values = series.truth;
  for (const auto* more : {&series.forecast, &series.low, &series.high})
    values.insert(values.end(), more->begin(), more->end());
  const Scale across = scale_over(series.times, x + side, x + width),
              up = scale_over(values, y + height - foot, y + 8);
  draw_axes(to, across, up, {});
  const bool with_time = std::any_of(series.times.begin(), series.times.end(),
                                     [](double at) { return std::fmod(at, day) != 0; });
  constexpr std::size_t moments = 6;
  for (std::size_t k = 0; k < moments; ++k) {
    const double at = series.times[k * (series.times.size() - 1) / (moments - 1)];
    to.text(across(at), up.from + 16, "s", moment_text(at, with_time),
            k + 1 == moments ? Anchor::end : Anchor::middle);
  }
  const std::size_t history = series.history();
  if (!series.weights.empty()) {  // in the lowest quarter
    const auto& weights = series.weights.front();
    const double most = std::max(*std::max_element(weights.begin(), weights.end()), 1e-9);
    const double bar =
        std::max(1.0, 0.7 * (across.to - across.from) / static_cast<double>(series.times.size()));
    for (std::size_t i = 0; i < weights.size(); ++i) {
      const double high = (up.from - up.to) / 4 * weights[i] / most;
      to.rect(across(series.times[i]) - bar / 2, up.from - high, bar, high, "b0 soft");
    }
    to.text(across.from + 4, up.from - (up.from - up.to) / 4 - 4, "s",
            fmt::format("weights, at most {:.2f}", most));
  }
  const std::vector<double> ahead(series.times.begin() + static_cast<std::ptrdiff_t>(history),
                                  series.times.end());
  if (!series.low.empty()) {
    std::string area = path_through(ahead, series.high, across, up);
    for (std::size_t i = ahead.size(); i-- > 0;)
      area += fmt::format("L{:.1f} {:.1f}", across(ahead[i]), up(series.low[i]));
    to.path(area + "Z", "b1 band");
    if (ahead.size() == 1)  // an area of no width
      to.line(across(ahead[0]), up(series.low[0]), across(ahead[0]), up(series.high[0]), "l1 soft");
  }
  to.path(path_through(series.times, series.truth, across, up), "truth");
  to.path(path_through(ahead, series.forecast, across, up), "l1");
  for (std::size_t i = 0; i < ahead.size(); ++i) to.circle(across(ahead[i]), up(series.forecast[i]), 3, "b1");
  return height;
}

double draw_bars(Drawing& to, const std::vector<Ranking::Entry>& entries, double x, double y, double width) {
  constexpr double line = 24;
  double names = 0, most = 1e-9;
  for (const Ranking::Entry& entry : entries) {
    names = std::max(names, width_of(shortened(entry.name, 28), 13) + 12);
    most = std::max(most, entry.weight);
  }
  const double room = width - names - 60;
  for (std::size_t i = 0; i < entries.size(); ++i) {
    const double at = y + line * static_cast<double>(i),
                 length = std::max(1.0, room * entries[i].weight / most);
    to.text(x, at + 12, "n", shortened(entries[i].name, 28));
    to.rect(x + names, at, length, 14, entries[i].is_right ? "right" : "bar");
    to.text(x + names + length + 8, at + 12, "s", fmt::format("{:.3f}", entries[i].weight));
  }
  return line * static_cast<double>(entries.size());
}

double draw_shown(Drawing& to, const WeightedText& text, double x, double y, double width) {
  constexpr double line = 34, size = 18;
  const double most =
      text.weights.empty() ? 1 : std::max(*std::max_element(text.weights.begin(), text.weights.end()), 1e-9);
  double at = x, down = y;
  for (std::size_t i = 0; i < text.tokens.size(); ++i) {
    const std::string shown = shortened(token(text.tokens[i]), 24);
    const double wide = std::max(22.0, width_of(shown, size) + 8);
    if (at + wide > x + width) {
      at = x;
      down += line;
    }
    const std::size_t at_shade = shade(text.weights[i] / most);
    to.rect(at, down, wide, 26, fmt::format("w{}", at_shade));
    to.text(at + wide / 2, down + 18, at_shade >= deep ? "n vd" : "n", shown, Anchor::middle);
    at += wide + (text.joined ? 1 : 6);
  }
  down += line + 8;
  std::vector<Ranking::Entry> labels;
  for (const auto& [label, probability] : text.labels) labels.push_back({label, "", probability});
  return down + draw_bars(to, labels, x, down, width) - y;
}

double draw_shown(Drawing& to, const Ranking& ranking, double x, double y, double width) {
  return draw_bars(to, ranking.entries, x, y, width);
}

// What the model said, what is right, and how wrong it is.
std::string said_of(const Picture& picture) {
  std::string said;
  const auto add = [&](const char* label, const std::string& text) {
    if (!text.empty()) said += (said.empty() ? "" : "  ·  ") + (*label ? label + (" " + text) : text);
  };
  add("model", picture.answer);
  add("right", picture.truth);
  add("", picture.note);
  return said;
}

}  // namespace

double width_needed(const Picture& picture, double most) {
  const auto* map = std::get_if<HeatMap>(&picture.shown);
  if (!map) return most;
  constexpr double least = 280;
  const double title = width_of(said_of(picture), 12) + 60;
  return std::clamp(std::max(title, names_of(*map) + widest_cell * static_cast<double>(map->columns.size())),
                    least, most);
}

double draw(Drawing& to, const Picture& picture, double x, double y, double width) {
  double at = y + 14;
  to.text(x, at, "t", shortened(picture.title, 70));
  to.text(x + width, at, "s", picture.group, Anchor::end);
  const std::string said = said_of(picture);
  if (!said.empty()) to.text(x, at += 20, "s", shortened(said, 120));
  at += 16;
  return at +
         std::visit([&](const auto& shown) { return draw_shown(to, shown, x, at, width); }, picture.shown) -
         y;
}

}  // namespace fovea::report
