#pragma once

#include <array>
#include <string>

namespace fovea::report {

inline constexpr std::size_t shades = 21, hues = 8;
inline constexpr std::size_t deep =
    11;  // from this shade on letters are light (likewise in page/pictures.js)

/// The colours of a page, light or dark. `weights` goes from 0 to 1 in equal steps of lightness (OKLab);
/// `lines` can be told apart by the colour-blind (after Okabe and Ito, 2008).
struct Colours {
  const char *ground, *card, *text, *faint, *rule, *accent, *against;
  std::array<const char*, hues> lines;
  std::array<const char*, shades> weights;
};
const Colours& light_colours();
const Colours& dark_colours();

/// The shade of a weight between 0 and 1.
std::size_t shade(double weight);

/// The weight that has the darkest shade where `largest` is the largest: 1, or this one where it is so small
/// that nothing could be seen.
double darkest(double largest);

/// CSS that declares them as `--ground`, `--line0`, `--w20`, …, for both schemes.
std::string colour_variables();

}  // namespace fovea::report
