#include "report/legend.hpp"

#include <fmt/format.h>

#include "report/colours.hpp"

namespace fovea::report {
namespace {

constexpr double row = 17, sample = 16, letters = 12;
constexpr double beside = 26;  // of a name: the sample of its line, and what keeps them apart

}  // namespace

std::string look_of(std::size_t curve) {
  const std::size_t dash = curve / hues % 3;
  return dash == 0 ? fmt::format("l{}", curve % hues) : fmt::format("l{} d{}", curve % hues, dash);
}

Legend::Legend(const std::vector<Line>& lines, double width) {
  if (lines.size() < 2) return;
  double at = 0;
  std::size_t in_row = 0;
  for (const auto& [name, look] : lines) {
    const std::string words = fitted(name, width - beside, letters);
    const double needed = beside + width_of(words, letters);
    if (at > 0 && at + needed > width) {
      at = 0;
      ++in_row;
    }
    names_.push_back({at, in_row, {words, look}});
    at += needed + 8;
  }
}

double Legend::height() const { return names_.empty() ? 0 : row * static_cast<double>(names_.back().row); }

void Legend::draw(Drawing& to, double x, double y) const {
  for (const Name& name : names_) {
    const double left = x + name.x, below = y + row * static_cast<double>(name.row);
    to.line(left, below - 4, left + sample, below - 4, look_of(name.line.look));
    to.text(left + sample + 4, below, "s", name.line.name);
  }
}

}  // namespace fovea::report
