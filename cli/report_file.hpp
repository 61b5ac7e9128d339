#pragma once

#include <functional>
#include <string>
#include <vector>

#include "report/picture.hpp"
#include "training/run.hpp"

namespace fovea {

/// Writes report.html of a run that came to its end. What goes wrong with it is told in the log and on
/// stderr, and costs the run nothing.
void write_report(Run& run, const std::function<std::vector<report::Picture>()>& pictures);

/// What plot shows.
struct PlotRequest {
  std::vector<std::string> runs;
  std::string file;  // .html or .svg; empty: report.html in the only run
  std::string show = "all";
  report::Wanted wanted;
  std::string data;
};

/// Reads runs, asks their best models, and writes the file. Returns its name.
std::string plot(const PlotRequest& request);

}  // namespace fovea
