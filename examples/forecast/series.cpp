#include "examples/forecast/series.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>

#include "examples/delimited.hpp"
#include "training/file.hpp"
#include "training/text.hpp"

namespace fovea::inline FOVEA_REAL::forecast {
namespace {

constexpr double none = std::numeric_limits<double>::quiet_NaN();
constexpr const char* remedy =
    "--missing forward repeats the value before it, interpolate draws a line to the next";
// Of rows; beyond this it is a hole, or a wrong date.
constexpr std::int64_t longest_gap = 1000;

std::string quoted(std::string_view text) { return "\"" + std::string(text.substr(0, 40)) + "\""; }

// One table on its way to a series.
class Reader {
 public:
  Reader(std::string_view text, const std::string& file, const SeriesFormat& format)
      : table_(text, file, {0, true}), format_(format), file_(file) {}

  Series read() {
    find_columns();
    while (table_.next()) add_row();
    if (moments_.size() < 3)
      table_.fail(table_.line(), "the table has ", moments_.size(), " rows; a series needs 3 at least");
    series_.step = likeliest_step(moments_);
    series_.start = moments_.front();
    lay_out();
    fill();
    return std::move(series_);
  }

 private:
  std::size_t column(const std::string& name, const char* flag) {
    const auto found = table_.find(name);
    if (!found)
      table_.fail(table_.line(), "there is no column ", quoted(name), " for ", flag, "; the columns are ",
                  list(table_.columns()));
    return *found;
  }

  void find_columns() {
    check<ConfigError>(!format_.time.empty(), "--time", "expected the name of the column of times, one of ",
                       list(table_.columns()), " of ", file_);
    check<ConfigError>(!format_.targets.empty(), "--target", "expected the columns to forecast, of ",
                       list(table_.columns()), " of ", file_);
    time_ = column(format_.time, "--time");
    series_.time = format_.time;
    const auto is_named = [&](const std::vector<std::string>& names, const std::string& name) {
      return std::find(names.begin(), names.end(), name) != names.end();
    };
    const auto take = [&](const std::string& name, const char* flag) {
      check<ConfigError>(!is_named(series_.names, name) && name != format_.time, flag, quoted(name),
                         " is named twice among --time, --target and --inputs");
      columns_.push_back(column(name, flag));
      series_.names.push_back(name);
    };
    for (const std::string& name : format_.targets) {
      if (name != "*") {
        take(name, "--target");
        continue;
      }
      for (const std::string& other : table_.columns())
        if (other != format_.time && !is_named(format_.inputs, other) && !is_named(series_.names, other))
          take(other, "--target");
    }
    series_.targets = series_.names.size();
    check<ConfigError>(series_.targets > 0, "--target", "no column is left to forecast, of ",
                       list(table_.columns()), " of ", file_);
    for (const std::string& name : format_.inputs) take(name, "--inputs");
  }

  double number(std::string_view field, const std::string& name) {
    std::string text(field);
    while (!text.empty() && text.back() == ' ') text.pop_back();
    text.erase(0, text.find_first_not_of(' '));
    for (const char* lacking : {"", "NA", "NaN", "nan", "null", "-"})
      if (text == lacking) return missing(field);
    const bool points = format_.decimal_comma && text.find('.') != text.npos;
    if (points)
      table_.fail(field, quoted(field),
                  " has a point, and --decimal-comma reads 2,5; write thousands without");
    if (format_.decimal_comma) std::replace(text.begin(), text.end(), ',', '.');
    if (text.front() == '+') text.erase(0, 1);
    double value = 0;
    const char* end = text.data() + text.size();
    const auto [stop, error] = std::from_chars(text.data(), end, value);
    if (error == std::errc::result_out_of_range)
      table_.fail(field, quoted(field), " is too large or too small");
    const bool comma = !format_.decimal_comma && field.find(',') != field.npos;
    if (error != std::errc() || stop != end || !std::isfinite(value))
      table_.fail(field, quoted(field), " in the column ", quoted(name), " is not a number",
                  comma ? "; --decimal-comma reads 2,5" : "");
    return value;
  }

  double missing(std::string_view field) {
    if (format_.missing == Missing::refuse) table_.fail(field, "there is no value; ", remedy);
    return none;
  }

  void add_row() {
    const std::string_view when = table_.field(time_);
    const auto moment = parse_moment(when);
    if (!moment)
      table_.fail(when, quoted(when),
                  " is not a time; expected YYYY-MM-DD, with hh:mm or hh:mm:ss behind it where "
                  "there is one");
    if (!moments_.empty() && *moment <= moments_.back())
      table_.fail(
          when, "the time ", when,
          *moment == moments_.back() ? " is there twice" : " comes before the row above",
          "; sort the rows, and keep one for each time (clocks that were set back give an hour twice)");
    moments_.push_back(*moment);
    places_.push_back(when);
    for (std::size_t c = 0; c < columns_.size(); ++c)
      read_.push_back(number(table_.field(columns_[c]), series_.names[c]));
  }

  // Puts each row where its time says, and leaves out values for those that are not there.
  void lay_out() {
    const std::size_t columns = columns_.size();
    std::size_t absent = 0;  // rows
    for (std::size_t i = 0; i < moments_.size(); ++i) {
      const auto steps = i == 0 ? 1 : steps_between(moments_[i - 1], moments_[i], series_.step);
      if (!steps)
        table_.fail(places_[i], "the time ", places_[i], " is not a whole number of steps of ",
                    series_.step.text(), " after the row above; a series needs equal steps");
      if (*steps > 1) {
        if (format_.missing == Missing::refuse)
          table_.fail(places_[i], *steps - 1, *steps == 2 ? " row is" : " rows are", " missing before ",
                      places_[i], ", at steps of ", series_.step.text(), "; ", remedy);
        if (*steps > longest_gap)
          table_.fail(places_[i], *steps - 1, " rows are missing before ", places_[i], ", at steps of ",
                      series_.step.text(), "; more than ", longest_gap, " are not filled");
        absent += static_cast<std::size_t>(*steps - 1);
        // Before memory is taken for them: a short file can lack very many.
        if (absent > moments_.size()) refuse_made_up(absent * columns, (absent + moments_.size()) * columns);
        series_.values.insert(series_.values.end(), static_cast<std::size_t>(*steps - 1) * columns, none);
      }
      series_.values.insert(series_.values.end(), read_.begin() + static_cast<std::ptrdiff_t>(i * columns),
                            read_.begin() + static_cast<std::ptrdiff_t>((i + 1) * columns));
    }
    series_.rows = series_.values.size() / columns;
  }

  [[noreturn]] void refuse_made_up(std::size_t lacking, std::size_t values) const {
    throw DataError(join(file_, ": ", lacking, " of ", values,
                         " values are missing; a series that is mostly made up is not read"));
  }

  void fill() {
    const std::size_t lacking = static_cast<std::size_t>(std::count_if(
        series_.values.begin(), series_.values.end(), [](double value) { return std::isnan(value); }));
    if (2 * lacking > series_.values.size()) refuse_made_up(lacking, series_.values.size());
    for (std::size_t c = 0; c < columns_.size(); ++c) {
      const auto at = [&](std::size_t row) -> double& { return series_.values[row * columns_.size() + c]; };
      for (std::size_t row = 0; row < series_.rows; ++row) {
        if (!std::isnan(at(row))) continue;
        std::size_t next = row;
        while (next < series_.rows && std::isnan(at(next))) ++next;
        if (row == 0)
          throw DataError(join(file_, ": the column ", quoted(series_.names[c]),
                               " begins without a value, so there is nothing to fill it from; begin later"));
        const bool line = format_.missing == Missing::interpolate && next < series_.rows;
        const double before = at(row - 1), after = line ? at(next) : before;
        const double length = static_cast<double>(next - row + 1);
        for (std::size_t i = row; i < next; ++i) {
          at(i) = before + (after - before) * static_cast<double>(i - row + 1) / length;
          series_.made_up.insert(i * columns_.size() + c);
        }
        row = next;
      }
    }
  }

  Delimited table_;
  const SeriesFormat& format_;
  std::string file_;
  std::size_t time_ = 0;
  std::vector<std::size_t> columns_;
  std::vector<Moment> moments_;
  std::vector<std::string_view> places_;  // of the times
  std::vector<double> read_;              // [rows of the table, columns]
  Series series_;
};

}  // namespace

Missing missing_named(std::string_view name) {
  if (name == "refuse") return Missing::refuse;
  if (name == "forward") return Missing::forward;
  if (name == "interpolate") return Missing::interpolate;
  throw ConfigError(join("--missing: expected refuse, forward or interpolate, got ", quoted(name)));
}

bool Series::has_times() const {
  const Moment midnight = std::chrono::floor<std::chrono::days>(start);
  return step.has_hours() || start != midnight;
}

Series parse_series(std::string_view text, const std::string& file, const SeriesFormat& format) {
  return Reader(text, file, format).read();
}

Series read_series(const std::filesystem::path& file, const SeriesFormat& format) {
  const std::string text = [&] {
    try {
      return read_file(file);
    } catch (const Error& error) {
      throw DataError(error.what());
    }
  }();
  return parse_series(text, file.string(), format);
}

}  // namespace fovea::inline FOVEA_REAL::forecast
