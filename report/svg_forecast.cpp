#include <algorithm>
#include <cmath>
#include <ctime>

#include <fmt/format.h>

#include "report/svg_parts.hpp"
#include "training/text.hpp"

namespace fovea::report {
namespace {

using Anchor = Drawing::Anchor;

constexpr std::size_t most_dots = 60;  // of a forecast's rows; above these many a line is enough

// A moment as an axis says it: with its time where one is not at midnight.
std::string moment_text(double seconds, bool with_time) {
  const auto time = static_cast<std::time_t>(seconds);
  std::tm parts{};
  gmtime_r(&time, &parts);
  char text[32];
  return {text, std::strftime(text, sizeof text, with_time ? "%Y-%m-%d %H:%M" : "%Y-%m-%d", &parts)};
}

}  // namespace

double draw_shown(Drawing& to, const Forecast& series, double x, double y, double width) {
  constexpr double height = 252, foot = 56, side = 52, day = 86400;
  std::vector<double> values = series.truth;
  for (const auto* more : {&series.forecast, &series.low, &series.high})
    values.insert(values.end(), more->begin(), more->end());
  Scale across = scale_over(series.times, x + side, x + width);
  if (series.times.size() > 1) {  // the bar of the first moment is whole
    const double step =
        (series.times.back() - series.times.front()) / static_cast<double>(series.times.size() - 1);
    across.low = std::min(across.low, series.times.front() - step / 2);
  }
  const Scale up = scale_over(values, y + height - foot, y + 8);
  draw_axes(to, across, up, {});
  const bool with_time = std::any_of(series.times.begin(), series.times.end(),
                                     [](double at) { return std::fmod(at, day) != 0; });
  const std::size_t moments = with_time ? 5 : 6;
  for (std::size_t k = 0; k < moments; ++k) {
    const double at = series.times[k * (series.times.size() - 1) / (moments - 1)];
    to.text(across(at), up.from + 16, "s", moment_text(at, with_time),
            k + 1 == moments ? Anchor::end : Anchor::middle);
  }
  const std::size_t history = series.history();
  std::string weights_name;
  if (!series.weights.empty()) {  // in the lowest quarter
    const auto& weights = series.weights.front();
    const double most = std::max(*std::max_element(weights.begin(), weights.end()), 1e-9);
    const double bar =
        std::max(1.0, 0.7 * (across.to - across.from) / static_cast<double>(series.times.size()));
    for (std::size_t i = 0; i < weights.size(); ++i) {
      const double high = (up.from - up.to) / 4 * weights[i] / most;
      to.rect(across(series.times[i]) - bar / 2, up.from - high, bar, high, "b0 soft");
    }
    weights_name = fmt::format("weights, at most {}", brief(most, 2));
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
  draw_lonely(to, series.times, series.truth, across, up, "n");
  to.path(path_through(ahead, series.forecast, across, up), "l1");
  if (ahead.size() < most_dots)
    for (std::size_t i = 0; i < ahead.size(); ++i)
      to.circle(across(ahead[i]), up(series.forecast[i]), 3, "b1");
  double at = across.from;
  const double below = up.from + 40;
  const auto name = [&](const std::string& words, const char* look, bool is_area) {
    if (is_area)
      to.rect(at, below - 9, 16, 10, look);
    else
      to.line(at, below - 4, at + 16, below - 4, look);
    to.text(at + 21, below, "s", words);
    at += 21 + width_of(words, 12) + 18;
  };
  name("what came", "truth", false);
  name("forecast", "l1", false);
  if (!series.low.empty()) name("10 to 90 % quantile", "b1 band", true);
  if (!weights_name.empty()) name(weights_name, "b0 soft", true);
  return height;
}

}  // namespace fovea::report
