#pragma once

#include <string>
#include <vector>

namespace CLI {
class App;
}

// What the command line offers, as it describes itself: for completion and the manual, which so are never
// behind it.

namespace fovea {

struct PlaceOption {
  std::string name;    // without dashes; of an argument without a flag what help calls it
  std::string letter;  // for short, where it has one
  std::string value;   // what follows it, `TEXT`; empty for one that is given or not
  std::string about;
  std::vector<std::string> choices;  // all values there are, where they are few
  bool positional = false;
};

/// The program itself, a subcommand, or one of its tasks.
struct Place {
  std::string path;   // words that lead there, `train cities`; empty for the program
  std::string about;  // a line, and what stands below its help
  std::string footer;
  std::vector<std::string> commands;  // words that lead on
  std::vector<PlaceOption> options;
};

/// Every place below `app`, itself first, each before what lies below it.
std::vector<Place> places(const CLI::App& app);

}  // namespace fovea
