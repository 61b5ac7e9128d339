#pragma once

#include <chrono>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/real.hpp"

namespace fovea::inline FOVEA_REAL::forecast {

/// A time as a table writes it: of some clock, whose zone nobody needs to know.
using Moment = std::chrono::sys_seconds;

/// Reads `2016-07-01`, `2016-07`, `2016-07-01 13:05`, `2016-07-01T13:05:30Z`; `/` may stand for `-`.
/// Nothing for any other text, for parts of a second that are not 0, and for a day that no calendar has.
std::optional<Moment> parse_moment(std::string_view text);
/// `2016-07-01`, with ` 13:05:30` behind it where `with_time` says so.
std::string to_string(Moment moment, bool with_time);

/// From one row of a regular series to the next: either seconds or whole months.
struct Step {
  std::int64_t seconds = 0, months = 0;

  /// `count` steps later. A month that lacks the day of `from` ends sooner; `month_end`: the last day of
  /// each.
  Moment after(Moment from, std::int64_t count) const;
  bool month_end = false;
  bool has_hours() const { return months == 0 && seconds % 86400 != 0; }
  bool operator==(const Step&) const = default;
  /// `1 h`, `7 d`, `3 months`
  std::string text() const;
  /// Rows until what comes back has come back, for a first guess: a day of hours, a week of days, a year of
  /// weeks or months. 1 where there is none.
  std::size_t season() const;
};

/// The step that most of these moments are apart; they have two at least. Months where nearly
/// all stand on the same day of their month, or on the last one.
Step likeliest_step(std::span<const Moment> moments);

/// How many steps `later` comes after `earlier`; nothing where they are not a whole number of steps apart.
std::optional<std::int64_t> steps_between(Moment earlier, Moment later, const Step& step);

/// What a calendar says of a moment, as pairs of sine and cosine: its place in the day (for steps that are
/// not whole days), in the week (of less than a week), and in the year. All between -1 and 1.
std::vector<Real> calendar(Moment moment, const Step& step);
/// How many numbers that is.
std::size_t calendar_size(const Step& step);

}  // namespace fovea::inline FOVEA_REAL::forecast
