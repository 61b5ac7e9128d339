#pragma once

#include "report/drawing.hpp"
#include "report/page.hpp"

namespace fovea::report {

/// How high a chart of this width is: the names of its curves may need several rows.
double height_of(const Chart& chart, double width);

/// Draws a chart into a rectangle of this width and its `height_of`.
void draw(Drawing& to, const Chart& chart, double x, double y, double width);

/// Draws a picture with its title from (x, y) on, `width` wide. Returns how high it is.
double draw(Drawing& to, const Picture& picture, double x, double y, double width);

/// How wide a picture is drawn at its best, of `most`; more only where its cells would else be too small.
double width_needed(const Picture& picture, double most);
double width_needed(const HeatMaps& maps, double most);

/// What a picture shows, below its title.
double draw_shown(Drawing& to, const HeatMaps& maps, double x, double y, double width);
double draw_shown(Drawing& to, const Forecast& series, double x, double y, double width);
double draw_shown(Drawing& to, const WeightedText& text, double x, double y, double width);
double draw_shown(Drawing& to, const Ranking& ranking, double x, double y, double width);

/// Where the entries are that have a place, on a plain map; nothing, and no height, where none has one.
double draw_map(Drawing& to, const Ranking& ranking, double x, double y, double width);

/// A line through points in pixels that breaks where they are not finite.
std::string path_through(const std::vector<double>& x, const std::vector<double>& y, const Scale& across,
                         const Scale& up);

/// Dots where both neighbours are not finite, and no line shows the point.
void draw_lonely(Drawing& to, const std::vector<double>& x, const std::vector<double>& y, const Scale& across,
                 const Scale& up, std::string_view look);

/// Rules and numbers of both axes.
void draw_axes(Drawing& to, const Scale& across, const Scale& up, const std::vector<double>& columns);

}  // namespace fovea::report
