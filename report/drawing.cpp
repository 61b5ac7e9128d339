#include "report/drawing.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>
#include <utf8proc.h>

#include "report/colours.hpp"
#include "report/text.hpp"
#include "training/text.hpp"

namespace fovea::report {
namespace {

std::string colours(const Colours& of) {
  std::string text = fmt::format(
      ".t,.n,.v{{fill:{0}}}.s{{fill:{1}}}.rule{{stroke:{2};fill:none}}.bg,.deep{{fill:{3}}}.bar{{fill:{4}}}"
      ".right{{fill:{5}}}.asked{{stroke:{6}}}.dots{{stroke:{1}}}.truth{{stroke:{0}}}.on{{stroke:{3}}}",
      of.text, of.faint, of.rule, of.card, of.lines[0], of.lines[2], of.against);
  for (std::size_t i = 0; i < hues; ++i)
    text += fmt::format(".l{0}{{stroke:{1}}}.b{0}{{fill:{1}}}", i, of.lines[i]);
  for (std::size_t i = 0; i < shades; ++i) text += fmt::format(".w{}{{fill:{}}}", i, of.weights[i]);
  return text;
}

// The character that begins at `at`, which is a byte of its own where the text is no UTF-8.
std::string_view letter_at(std::string_view words, std::size_t at) {
  utf8proc_int32_t point = 0;
  const utf8proc_ssize_t length =
      utf8proc_iterate(reinterpret_cast<const utf8proc_uint8_t*>(words.data() + at),
                       static_cast<utf8proc_ssize_t>(words.size() - at), &point);
  return words.substr(at, static_cast<std::size_t>(std::max<utf8proc_ssize_t>(1, length)));
}

// In parts of the font's size: as letters are on average, more for wide ones, none for what is put on
// another, the whole for Chinese and Japanese.
double width_of_letter(std::string_view letter) {
  utf8proc_int32_t point = 0;
  utf8proc_iterate(reinterpret_cast<const utf8proc_uint8_t*>(letter.data()),
                   static_cast<utf8proc_ssize_t>(letter.size()), &point);
  if (point < 0x80 && std::string_view("mwMW@%").find(letter) != std::string_view::npos) return 0.95;
  const int cells = point < 0 ? 1 : utf8proc_charwidth(point);
  return cells <= 0 ? 0 : cells == 1 ? 0.58 : 1.0;
}

const char* name_of(Drawing::Anchor anchor) {
  return anchor == Drawing::Anchor::start ? "start" : anchor == Drawing::Anchor::middle ? "middle" : "end";
}

}  // namespace

std::string style() {
  std::string text =
      ".t{font:600 15px system-ui,sans-serif}.n{font:13px system-ui,sans-serif}.s{font:12px "
      "system-ui,sans-serif}"
      ".v{font:10.5px system-ui,sans-serif}text{unicode-bidi:isolate}.rule{stroke-width:1}"
      ".band{opacity:.22}.soft{opacity:.6}.dots{stroke-linecap:round;stroke-width:2;opacity:.4;fill:none}"
      ".asked{stroke-width:2;fill:none}.on{paint-order:stroke;stroke-width:3px}"
      ".truth{fill:none;stroke-width:1.4}.d1{stroke-dasharray:7 4}.d2{stroke-dasharray:2 3}";
  for (std::size_t i = 0; i < hues; ++i)
    text += fmt::format(".l{}{{fill:none;stroke-width:1.6;stroke-linejoin:round}}", i);
  return text + colours(light_colours()) +
         fmt::format("@media (prefers-color-scheme: dark){{{}}}", colours(dark_colours()));
}

void Drawing::text(double x, double y, std::string_view look, std::string_view words, Anchor anchor,
                   double turned) {
  const std::string turn =
      turned == 0 ? "" : fmt::format(" transform=\"rotate({} {:.1f} {:.1f})\"", turned, x, y);
  body_ += fmt::format("<text class=\"{}\" x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"{}\"{}>{}</text>\n", look,
                       x, y, name_of(anchor), turn, escaped(words));
}

void Drawing::line(double x1, double y1, double x2, double y2, std::string_view look) {
  body_ += fmt::format("<line class=\"{}\" x1=\"{:.1f}\" y1=\"{:.1f}\" x2=\"{:.1f}\" y2=\"{:.1f}\"/>\n", look,
                       x1, y1, x2, y2);
}

void Drawing::rect(double x, double y, double width, double height, std::string_view look) {
  body_ += fmt::format("<rect class=\"{}\" x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.1f}\"/>\n",
                       look, x, y, width, height);
}

void Drawing::circle(double x, double y, double radius, std::string_view look) {
  body_ +=
      fmt::format("<circle class=\"{}\" cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"{:.1f}\"/>\n", look, x, y, radius);
}

void Drawing::path(std::string_view data, std::string_view look) {
  body_ += fmt::format("<path class=\"{}\" d=\"{}\"/>\n", look, data);
}

std::string Drawing::file(double width, double height, std::string_view title) const {
  return fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {0:.0f} {1:.0f}\" width=\"{0:.0f}\" "
      "height=\"{1:.0f}\" "
      "role=\"img\">\n<title>{2}</title>\n<style>{3}</style>\n"
      "<rect class=\"bg\" width=\"{0:.0f}\" height=\"{1:.0f}\" rx=\"6\"/>\n{4}</svg>\n",
      width, height, escaped(title), style(), body_);
}

std::vector<double> ticks(double low, double high, std::size_t about) {
  if (!(high > low)) return {low};
  const double rough = (high - low) / static_cast<double>(about),
               power = std::pow(10, std::floor(std::log10(rough)));
  double step = 10 * power;
  for (const double times : {1.0, 2.0, 5.0}) {
    if (rough > times * power) continue;
    step = times * power;
    break;
  }
  std::vector<double> all;
  const double most = std::floor(high / step + 1e-9);
  for (double k = std::ceil(low / step - 1e-9); k <= most; ++k) all.push_back(k * step);
  return all;
}

std::string tick_text(double value) { return for_people(std::abs(value) < 1e-12 ? 0 : value); }

Scale scale_over(const std::vector<double>& values, double from, double to) {
  double low = HUGE_VAL, high = -HUGE_VAL;
  for (const double value : values) {
    if (!std::isfinite(value)) continue;
    low = std::min(low, value);
    high = std::max(high, value);
  }
  if (low > high) return {0, 1, from, to};
  // A number that never changes stands in the middle, and 0 at the foot (likewise in page/curves.js).
  if (low == high && low == 0) return {0, 1, from, to};
  const double margin = high > low ? 0.04 * (high - low) : std::abs(low) / 10;
  return {low - margin, high + margin, from, to};
}

double width_of(std::string_view words, double size) {
  double width = 0;
  for (std::size_t i = 0; i < words.size(); i += letter_at(words, i).size())
    width += width_of_letter(letter_at(words, i));
  return size * width;
}

std::string fitted(std::string_view words, double width, double size) {
  if (width_of(words, size) <= width) return std::string(words);
  double room = width - width_of("…", size);
  std::size_t end = 0;
  while (end < words.size()) {
    const std::string_view letter = letter_at(words, end);
    room -= size * width_of_letter(letter);
    if (room < 0) break;
    end += letter.size();
  }
  return std::string(words.substr(0, end)) + "…";
}

}  // namespace fovea::report
