#include "training/sparkline.hpp"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <cstdlib>
#include <string_view>

namespace fovea {

void Sparkline::add(double value) {
  if (!std::isfinite(value)) return;
  if (means_.empty() || means_.back().count == values_each_) {
    if (means_.size() == letters) {
      for (std::size_t i = 0; i < letters / 2; ++i)
        means_[i] = {means_[2 * i].sum + means_[2 * i + 1].sum, 2 * values_each_};
      means_.resize(letters / 2);
      values_each_ *= 2;
    }
    means_.emplace_back();
  }
  means_.back().sum += value;
  ++means_.back().count;
}

std::string Sparkline::text() const {
  static constexpr std::string_view levels[] = {"▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
  constexpr double highest_level = 7;
  if (means_.size() < 2) return {};
  std::vector<double> heights;
  for (const Mean& mean : means_) heights.push_back(mean.sum / static_cast<double>(mean.count));
  const auto [low, high] = std::minmax_element(heights.begin(), heights.end());
  const double range = *high - *low;
  std::string text;
  for (const double height : heights) {
    const double level = range > 0 ? std::round((height - *low) / range * highest_level) : 0;
    text += levels[static_cast<std::size_t>(level)];
  }
  return text;
}

bool shows_unicode() {
  for (const char* name : {"LC_ALL", "LC_CTYPE", "LANG"}) {
    const char* value = std::getenv(name);
    if (!value || !*value) continue;  // the first that is set decides, as for setlocale
    std::string text(value);
    std::transform(text.begin(), text.end(), text.begin(), [](unsigned char c) { return std::toupper(c); });
    return text.find("UTF-8") != text.npos || text.find("UTF8") != text.npos;
  }
  return false;
}

}  // namespace fovea
