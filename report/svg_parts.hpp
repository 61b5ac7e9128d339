#pragma once

#include "report/drawing.hpp"
#include "report/page.hpp"

namespace fovea::report {

/// Draws a chart into this rectangle.
void draw(Drawing& to, const Chart& chart, double x, double y, double width, double height);

/// Draws a picture with its title from (x, y) on, `width` wide. Returns how high it is.
double draw(Drawing& to, const Picture& picture, double x, double y, double width);

/// How wide a picture is drawn at its best, of `most`.
double width_needed(const Picture& picture, double most);

/// A line through points in pixels that breaks where they are not finite.
std::string path_through(const std::vector<double>& x, const std::vector<double>& y, const Scale& across,
                         const Scale& up);

/// Rules and numbers of both axes.
void draw_axes(Drawing& to, const Scale& across, const Scale& up, const std::vector<double>& columns);

}  // namespace fovea::report
