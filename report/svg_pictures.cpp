#include <algorithm>

#include "report/svg_parts.hpp"

// The title of a picture and what is said below it.

namespace fovea::report {
namespace {

using Anchor = Drawing::Anchor;

constexpr double title_size = 16, small = 12,
                 apart = 16;  // the title is bold, so wider than its 15 pixels say

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
  const auto* maps = std::get_if<HeatMaps>(&picture.shown);
  if (!maps) return most;
  constexpr double least = 280;
  const double title = width_of(picture.title, title_size) + apart + width_of(picture.group, small),
               said = width_of(said_of(picture), small);
  return std::max({width_needed(*maps, most), least, std::min(most, std::max(title, said))});
}

double draw(Drawing& to, const Picture& picture, double x, double y, double width) {
  double at = y + 14;
  const std::string group = fitted(picture.group, width / 3, small);
  to.text(x, at, "t", fitted(picture.title, width - width_of(group, small) - apart, title_size));
  to.text(x + width, at, "s", group, Anchor::end);
  const std::string said = said_of(picture);
  if (!said.empty()) to.text(x, at += 20, "s", fitted(said, width, small));
  at += 16;
  return at +
         std::visit([&](const auto& shown) { return draw_shown(to, shown, x, at, width); }, picture.shown) -
         y;
}

}  // namespace fovea::report
