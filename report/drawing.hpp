#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace fovea::report {

/// SVG as it is drawn, in pixels; y goes down. What `look` names are classes of `style()`.
class Drawing {
 public:
  enum class Anchor { start, middle, end };

  void text(double x, double y, std::string_view look, std::string_view words, Anchor anchor = Anchor::start,
            double turned = 0);
  void line(double x1, double y1, double x2, double y2, std::string_view look);
  void rect(double x, double y, double width, double height, std::string_view look);
  void circle(double x, double y, double radius, std::string_view look);
  /// `data` is the `d` of a path.
  void path(std::string_view data, std::string_view look);

  /// A whole file of this size, with a title for who cannot see it.
  std::string file(double width, double height, std::string_view title) const;

 private:
  std::string body_;
};

/// The classes: `t` title, `n` words, `s` small words, `v` numbers in cells, `deep` beside one of
/// these in a dark cell, `on` words on a map; `rule`, `bar`, `right`, `asked`, `dots`, `truth`, `band` and
/// `soft` areas; `l0` … lines, `d1` and `d2` dashes, `b0` … areas, `w0` … shades; for a light and for a dark
/// reader.
std::string style();

/// Round numbers within [low, high], some `about` of them, in equal steps of 1, 2 or 5 times a power of ten.
std::vector<double> ticks(double low, double high, std::size_t about);

/// A tick's number for people; what is 0 but for rounding is 0.
std::string tick_text(double value);

/// Maps [low, high] to pixels.
struct Scale {
  double low = 0, high = 1, from = 0, to = 1;
  double operator()(double value) const { return from + (value - low) / (high - low) * (to - from); }
};
/// One that covers these values, those that are finite, and a little more. One value stands in the middle, 0
/// alone at the foot of [0, 1].
Scale scale_over(const std::vector<double>& values, double from, double to);

/// About how wide words are, in pixels, in letters of `size` pixels.
double width_of(std::string_view words, double size);

/// As much of the words as is at most so wide, with `…` for the rest.
std::string fitted(std::string_view words, double width, double size);

}  // namespace fovea::report
