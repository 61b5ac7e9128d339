#pragma once

#include <cstddef>
#include <string>
#include <utility>
#include <variant>
#include <vector>

// What a model does with one item of its data, as a page shows it. Texts may be anything that data hold;
// whoever writes them to a file escapes them.

namespace fovea::report {

/// How many weights of heat maps a page has room for: 8 MB as it writes them.
inline constexpr std::size_t weights_of_page = 3'000'000;

/// What each row looks at among the columns, for every head of every attention that looks from and at these.
/// What belongs to the model is named by its path: `decoder.layers.0.cross_attention, head 1`.
struct HeatMap {
  struct Head {
    std::string name;
    std::vector<double> weights;  // [rows, columns]; a row sums to 1, or is 0 throughout
  };
  std::string row_axis, column_axis;       // `written`, `read`
  std::vector<std::string> rows, columns;  // tokens
  std::vector<Head> heads;                 // the one that is shown first comes first
  std::size_t left_out = 0;                // heads that are not here, for want of room (report/room.hpp)
};

/// The kinds of attention of one item: from what is written to what is read, among what is read, among what
/// is written. The one that is shown first comes first.
using HeatMaps = std::vector<HeatMap>;

/// A series, its forecast, and how much each moment of the history was looked at. `times` are seconds since
/// 1970 on the table's own clock, history first.
struct Forecast {
  std::string value;                         // what is forecast, with its unit where that is known
  std::vector<double> times;                 // [history + horizon]
  std::vector<double> truth;                 // likewise; NaN where it is not known
  std::vector<double> forecast, low, high;   // [horizon]; `low` and `high` are empty without quantiles
  std::vector<std::vector<double>> weights;  // [horizon][history], or empty

  std::size_t history() const { return times.size() - forecast.size(); }
};

/// A text, and how much each of its tokens counted.
struct WeightedText {
  std::vector<std::string> tokens;
  std::vector<double> weights;                         // of each token; they sum to 1
  std::vector<double> evidence;                        // what each adds to the guess's logit; may be empty
  std::vector<std::pair<std::string, double>> labels;  // and their probabilities, the likeliest first
  bool joined = false;                                 // the tokens are letters of one text
};

/// A place in degrees, north and east positive.
struct Place {
  double latitude = 0, longitude = 0;
  bool operator==(const Place&) const = default;
};

/// What was found, best first; where it has places, they are drawn on a map.
struct Ranking {
  struct Entry {
    std::string name, detail;
    double weight = 0;
    std::vector<Place> at = {};  // one or none
    bool is_right = false;
  };
  std::vector<Entry> entries;
  std::vector<Place> asked = {};     // one or none
  std::vector<Place> backdrop = {};  // faint dots that tell where one is
};

struct Picture {
  std::string group;   // `worst`, `typical`, `asked for`
  std::string title;   // the item: a word, a text, a query, a time
  std::string answer;  // the model's; empty where the picture says it
  std::string truth;   // what would be right; empty where nobody knows
  std::string note;    // in a few words, how wrong it is
  std::variant<HeatMaps, Forecast, WeightedText, Ranking> shown;
};

/// Which items of its data a task shows: those that are named, else some of the part to test with. Where
/// none of the worst is wanted the others are the same for every model, and no more items than these are
/// answered: to ask is cheap then.
struct Wanted {
  std::vector<std::string> items;
  std::size_t worst = 4, typical = 2;
  std::size_t weights = weights_of_page;  // of all heat maps; of larger ones some heads are left out
};

}  // namespace fovea::report
