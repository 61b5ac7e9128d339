#include <algorithm>

#include <fmt/format.h>

#include "report/colours.hpp"
#include "report/svg_parts.hpp"
#include "report/text.hpp"

// What is told in bars: weighted texts with their labels, and rankings.

namespace fovea::report {
namespace {

using Anchor = Drawing::Anchor;

constexpr double longest_name = 210;

double draw_bars(Drawing& to, const std::vector<Ranking::Entry>& entries, double x, double y, double width) {
  constexpr double line = 24;
  double names = 0, most = 1e-9;
  for (const Ranking::Entry& entry : entries) {
    names = std::max(names, width_of(fitted(entry.name, longest_name, 13), 13) + 12);
    most = std::max(most, entry.weight);
  }
  const double room = width - names - 60;
  for (std::size_t i = 0; i < entries.size(); ++i) {
    const double at = y + line * static_cast<double>(i),
                 length = std::max(1.0, room * entries[i].weight / most);
    to.text(x, at + 12, "n", fitted(entries[i].name, longest_name, 13));
    to.rect(x + names, at, length, 14, entries[i].is_right ? "right" : "bar");
    to.text(x + names + length + 8, at + 12, "s", fmt::format("{:.3f}", entries[i].weight));
  }
  return line * static_cast<double>(entries.size());
}

}  // namespace

double draw_shown(Drawing& to, const WeightedText& text, double x, double y, double width) {
  constexpr double line = 34, size = 18;
  const double most =
      text.weights.empty() ? 1 : std::max(*std::max_element(text.weights.begin(), text.weights.end()), 1e-9);
  double at = x, down = y;
  for (std::size_t i = 0; i < text.tokens.size(); ++i) {
    const std::string shown = fitted(token(text.tokens[i]), 260, size);
    const double wide = std::max(22.0, width_of(shown, size) + 8);
    if (at + wide > x + width) {
      at = x;
      down += line;
    }
    const std::size_t at_shade = shade(text.weights[i] / most);
    to.rect(at, down, wide, 26, fmt::format("w{}", at_shade));
    to.text(at + wide / 2, down + 18, at_shade >= deep ? "n deep" : "n", shown, Anchor::middle);
    at += wide + (text.joined ? 1 : 6);
  }
  down += line + 8;
  std::vector<Ranking::Entry> labels;
  for (const auto& [label, probability] : text.labels) labels.push_back({label, "", probability});
  return down + draw_bars(to, labels, x, down, width) - y;
}

double draw_shown(Drawing& to, const Ranking& ranking, double x, double y, double width) {
  constexpr double gap = 24;
  const bool has_places = std::any_of(ranking.entries.begin(), ranking.entries.end(),
                                      [](const Ranking::Entry& entry) { return !entry.at.empty(); });
  if (!has_places && ranking.asked.empty()) return draw_bars(to, ranking.entries, x, y, width);
  const double left = 0.46 * (width - gap);
  const double high = draw_bars(to, ranking.entries, x, y, left);
  return std::max(high, draw_map(to, ranking, x + left + gap, y, width - left - gap));
}

}  // namespace fovea::report
