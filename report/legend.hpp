#pragma once

#include <string>
#include <vector>

#include "report/drawing.hpp"

namespace fovea::report {

/// The look of the n-th line: eight colours, then the same with dashes, then with dots.
std::string look_of(std::size_t curve);

/// What several lines are called, in rows of at most this width. Of a single one it is empty: a title says
/// it.
class Legend {
 public:
  struct Line {
    std::string name;
    std::size_t look;
  };
  Legend(const std::vector<Line>& lines, double width);

  /// Of the rows below the first.
  double height() const;
  /// The first row's letters stand on y.
  void draw(Drawing& to, double x, double y) const;

 private:
  struct Name {
    double x = 0;
    std::size_t row = 0;
    Line line;
  };
  std::vector<Name> names_;
};

}  // namespace fovea::report
