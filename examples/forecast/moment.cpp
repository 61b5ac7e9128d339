#include "examples/forecast/moment.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <map>
#include <numbers>

#include <fmt/format.h>

namespace fovea::inline FOVEA_REAL::forecast {
namespace {

using namespace std::chrono;
constexpr std::int64_t a_day = 86400;

// Takes `digits` of them off the front.
bool take_number(std::string_view& text, std::size_t digits, int& value) {
  if (text.size() < digits) return false;
  const auto [end, error] = std::from_chars(text.data(), text.data() + digits, value);
  if (error != std::errc() || end != text.data() + digits || text.front() == '-') return false;
  text.remove_prefix(digits);
  return true;
}

bool take(std::string_view& text, std::string_view one_of) {
  if (text.empty() || one_of.find(text.front()) == one_of.npos) return false;
  text.remove_prefix(1);
  return true;
}

bool take_time(std::string_view& text, seconds& time) {
  int hour = 0, minute = 0, second = 0;
  if (!take_number(text, 2, hour) || !take(text, ":") || !take_number(text, 2, minute)) return false;
  if (take(text, ":")) {
    if (!take_number(text, 2, second)) return false;
    if (take(text, "."))
      while (take(text, "0")) {
      }
  }
  take(text, "Z");
  time = hours(hour) + minutes(minute) + seconds(second);
  return hour < 24 && minute < 60 && second < 60;
}

year_month_day date_of(Moment moment) { return floor<days>(moment); }
std::int64_t time_of_day(Moment moment) { return (moment - floor<days>(moment)).count(); }
std::int64_t month_number(const year_month_day& date) {
  return 12 * static_cast<std::int64_t>(static_cast<int>(date.year())) + static_cast<unsigned>(date.month());
}
bool ends_month(const year_month_day& date) { return date == date.year() / date.month() / last; }

}  // namespace

std::optional<Moment> parse_moment(std::string_view text) {
  int y = 0, m = 0, d = 1;
  if (!take_number(text, 4, y) || !take(text, "-/") || !take_number(text, 2, m)) return {};
  seconds time{0};
  if (take(text, "-/")) {
    if (!take_number(text, 2, d)) return {};
    if (take(text, " T") && !take_time(text, time)) return {};
  }
  const year_month_day date{year(y), month(static_cast<unsigned>(m)), day(static_cast<unsigned>(d))};
  if (!text.empty() || !date.ok()) return {};
  return sys_days(date) + time;
}

std::string to_string(Moment moment, bool with_time) {
  const year_month_day date = date_of(moment);
  const std::int64_t time = time_of_day(moment);
  const std::string text =
      fmt::format("{:04}-{:02}-{:02}", static_cast<int>(date.year()), static_cast<unsigned>(date.month()),
                  static_cast<unsigned>(date.day()));
  if (!with_time) return text;
  return text + fmt::format(" {:02}:{:02}:{:02}", time / 3600, time / 60 % 60, time % 60);
}

Moment Step::after(Moment from, std::int64_t count) const {
  if (months == 0) return from + std::chrono::seconds(seconds * count);
  const year_month_day date = date_of(from);
  const year_month then = date.year() / date.month() + std::chrono::months(months * count);
  const year_month_day_last end = then / last;
  const day on = month_end ? end.day() : std::min(date.day(), end.day());
  return sys_days(then / on) + std::chrono::seconds(time_of_day(from));
}

std::string Step::text() const {
  const auto counted = [](std::int64_t n, const char* unit) { return fmt::format("{} {}", n, unit); };
  if (months) return counted(months, months == 1 ? "month" : "months");
  if (seconds % a_day == 0) return counted(seconds / a_day, "d");
  if (seconds % 3600 == 0) return counted(seconds / 3600, "h");
  return seconds % 60 == 0 ? counted(seconds / 60, "min") : counted(seconds, "s");
}

std::size_t Step::season() const {
  const auto in = [](std::int64_t whole, std::int64_t part) {
    return part < whole ? static_cast<std::size_t>(
                              std::llround(static_cast<double>(whole) / static_cast<double>(part)))
                        : 1;
  };
  if (months) return in(12, months);
  if (seconds < a_day) return in(a_day, seconds);
  return seconds < 7 * a_day ? in(7 * a_day, seconds) : in(365 * a_day, seconds);
}

Step likeliest_step(std::span<const Moment> moments) {
  std::map<std::int64_t, std::size_t> seconds_apart, months_apart, days;
  std::size_t month_ends = 0;
  for (std::size_t i = 0; i < moments.size(); ++i) {
    const year_month_day date = date_of(moments[i]);
    ++days[static_cast<unsigned>(date.day())];
    month_ends += ends_month(date);
    if (i == 0) continue;
    ++seconds_apart[(moments[i] - moments[i - 1]).count()];
    ++months_apart[month_number(date) - month_number(date_of(moments[i - 1]))];
  }
  const auto commonest = [](const std::map<std::int64_t, std::size_t>& counts) {
    return *std::max_element(counts.begin(), counts.end(),
                             [](const auto& a, const auto& b) { return a.second < b.second; });
  };
  // One wrong date does not make weeks of months: it is found when the rows are laid out.
  const auto nearly_all = [&](std::size_t count) { return 10 * count >= 9 * moments.size(); };
  const std::int64_t months = commonest(months_apart).first;
  const bool last_day = nearly_all(month_ends);
  if (months > 0 && (last_day || nearly_all(commonest(days).second))) return {0, months, last_day};
  return {std::max<std::int64_t>(commonest(seconds_apart).first, 1), 0, false};
}

std::optional<std::int64_t> steps_between(Moment earlier, Moment later, const Step& step) {
  const std::int64_t whole =
      step.months ? (month_number(date_of(later)) - month_number(date_of(earlier))) / step.months
                  : (later - earlier).count() / step.seconds;
  if (step.after(earlier, whole) != later) return {};
  return whole;
}

std::size_t calendar_size(const Step& step) { return calendar(Moment{}, step).size(); }

std::vector<Real> calendar(Moment moment, const Step& step) {
  std::vector<Real> values;
  const auto turn = [&](double part) {  // of a circle
    values.push_back(static_cast<Real>(std::sin(2 * std::numbers::pi * part)));
    values.push_back(static_cast<Real>(std::cos(2 * std::numbers::pi * part)));
  };
  const sys_days today = floor<days>(moment);
  const double in_day = static_cast<double>(time_of_day(moment)) / static_cast<double>(a_day);
  if (step.has_hours()) turn(in_day);
  if (step.months == 0 && step.seconds < 7 * a_day) turn((weekday(today).iso_encoding() - 1 + in_day) / 7);
  const double day_of_year =
      static_cast<double>((today - sys_days(date_of(moment).year() / January / 1)).count());
  turn((day_of_year + in_day) / 365.25);
  return values;
}

}  // namespace fovea::inline FOVEA_REAL::forecast
