#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "examples/forecast/moment.hpp"

namespace fovea::inline FOVEA_REAL::forecast {

/// What is done where a table has no value, or lacks whole rows.
enum class Missing {
  refuse,
  forward,     // the last value before it: nobody looks ahead
  interpolate  // on the line to the next value, which lies in the future of the gap
};
Missing missing_named(std::string_view name);

struct SeriesFormat {
  std::string time = {};  // name of the column
  std::vector<std::string> targets =
      {};  // names of what is forecast; `*`: all columns that are not named here
  std::vector<std::string> inputs = {};  // of what is only looked at
  bool decimal_comma = false;
  Missing missing = Missing::refuse;
};

/// Columns of numbers, in rows one step apart.
struct Series {
  std::string time;                // name of the column
  std::vector<std::string> names;  // of the columns: targets, then inputs
  std::size_t targets = 0;         // how many of them are that
  Moment start{};
  Step step;
  std::size_t rows = 0;
  std::vector<double> values;                    // [rows, columns]
  std::unordered_set<std::size_t> made_up = {};  // the places of values that the table lacked

  std::size_t columns() const { return names.size(); }
  double at(std::size_t row, std::size_t column) const { return values[row * columns() + column]; }
  bool is_made_up(std::size_t row, std::size_t column) const {
    return made_up.contains(row * columns() + column);
  }
  Moment moment(std::size_t row) const { return step.after(start, static_cast<std::int64_t>(row)); }
  /// Whether times are worth writing, beside dates.
  bool has_times() const;
};

/// Reads a table with a header (commas, semicolons or tabs; quotes; a byte order mark; CRLF). Its rows stand
/// in order of time, in equal steps, which are found out. Empty fields, `NA`, `NaN`, `null` and `-` lack a
/// value, and a jump of several steps lacks rows: that is an error unless `missing` says what to do.
/// DataError `file:line:column: …` for what cannot be read, with what to do about it.
Series parse_series(std::string_view text, const std::string& file, const SeriesFormat& format);
Series read_series(const std::filesystem::path& file, const SeriesFormat& format);

}  // namespace fovea::inline FOVEA_REAL::forecast
