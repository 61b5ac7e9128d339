#include "report/colours.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

namespace fovea::report {
namespace {

constexpr Colours light{
    "#f6f7f9",
    "#ffffff",
    "#1c2430",
    "#5b6675",
    "#dfe4ea",
    "#0b62a8",
    "#c2410c",
    {"#0072b2", "#d55e00", "#009e73", "#a6559d", "#b8860b", "#3a9bd9", "#5b6675", "#7a1f1f"},
    {"#ffffff", "#e9f4fb", "#d5eaf7", "#c1e0f4", "#add6f1", "#9acbee", "#87c1eb",
     "#75b6e8", "#63abe4", "#51a0df", "#3f95da", "#2f8ad4", "#207fce", "#1073c6",
     "#0568bf", "#055db4", "#0452aa", "#04479f", "#063c95", "#08318b", "#0b267e"}};
constexpr Colours dark{
    "#0f141b",
    "#171d26",
    "#e3e8ee",
    "#98a4b3",
    "#2b3440",
    "#63b3ed",
    "#fb923c",
    {"#4ba6e0", "#f28c4e", "#3cc99b", "#d892d0", "#e2b93b", "#9bd3f5", "#98a4b3", "#e58a8a"},
    {"#171d26", "#1a2636", "#1a3047", "#183a58", "#144469", "#0b4f7a", "#045989",
     "#046496", "#066fa1", "#087aac", "#0785b6", "#0a90c0", "#099cca", "#10a8d3",
     "#14b4dc", "#1cc1e5", "#32ceed", "#53daf1", "#71e5f5", "#8deff8", "#a8f8fd"}};

std::string declarations(const Colours& colours, const char* scheme) {
  std::string text = fmt::format(
      "color-scheme:{};--ground:{};--card:{};--text:{};--faint:{};--rule:{};--accent:{};--against:{};",
      scheme, colours.ground, colours.card, colours.text, colours.faint, colours.rule, colours.accent,
      colours.against);
  for (std::size_t i = 0; i < hues; ++i) text += fmt::format("--line{}:{};", i, colours.lines[i]);
  for (std::size_t i = 0; i < shades; ++i) text += fmt::format("--w{}:{};", i, colours.weights[i]);
  return text;
}

}  // namespace

const Colours& light_colours() { return light; }
const Colours& dark_colours() { return dark; }

std::size_t shade(double weight) {
  if (!(weight > 0)) return 0;
  return static_cast<std::size_t>(std::lround(std::min(weight, 1.0) * (shades - 1)));
}

double darkest(double largest) {
  constexpr double least = 0.2;
  return largest > 0 && largest < least ? largest : 1;
}

std::string colour_variables() {
  return fmt::format(":root{{{}}}\n@media (prefers-color-scheme: dark){{:root{{{}}}}}\n",
                     declarations(light, "light"), declarations(dark, "dark"));
}

}  // namespace fovea::report
