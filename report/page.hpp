#pragma once

#include <string>
#include <vector>

#include "report/curves.hpp"
#include "report/picture.hpp"

namespace fovea::report {

/// All that a report shows.
struct Page {
  std::vector<RunRecord> runs;
  std::vector<Chart> charts;
  std::vector<Picture> pictures;
};

/// One file that a browser shows without a network: script, styles and data are inside.
std::string html(const Page& page);

/// The same curves, but for those that are folded, and pictures without interaction: well-formed SVG that
/// follows the reader's light or dark scheme. It has every head of a heat map that there is room for, the
/// first one with its numbers.
std::string svg(const Page& page);

}  // namespace fovea::report
