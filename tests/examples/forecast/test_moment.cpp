#include <catch2/catch.hpp>

#include "examples/forecast/moment.hpp"

using namespace fovea;
using namespace fovea::forecast;
using forecast::to_string;

namespace {

Moment at(const std::string& text) { return parse_moment(text).value(); }

std::vector<Moment> all(const std::vector<std::string>& texts) {
  std::vector<Moment> moments;
  for (const std::string& text : texts) moments.push_back(at(text));
  return moments;
}

}  // namespace

TEST_CASE("forecast: times are read as people write them", "[examples]") {
  CHECK(at("1970-01-02").time_since_epoch().count() == 86400);
  CHECK(at("1969-12-31 23:59:59").time_since_epoch().count() == -1);
  CHECK(at("2016-07-01 13:05") == at("2016/07/01T13:05:00Z"));
  CHECK(at("2016-07-01 13:05:30.000") == at("2016-07-01 13:05:30"));
  CHECK(at("2016-07") == at("2016-07-01"));
  CHECK(to_string(at("2016-02-29 01:02:03"), true) == "2016-02-29 01:02:03");
  CHECK(to_string(at("2016-02-29"), false) == "2016-02-29");
  for (const char* text : {"", "2016", "2016-13", "2015-02-29", "16-07-01", "2016-07-01 24:00",
                           "2016-07-01 1:00", "2016-07-01 13:60", "2016-07-01x", "2016-07-01 13:05:30.5",
                           "2016-07-01 13:05:30+02:00", "-016-07-01", "today"}) {
    CAPTURE(text);
    CHECK_FALSE(parse_moment(text));
  }
}

TEST_CASE("forecast: the step between rows is found out", "[examples]") {
  CHECK(likeliest_step(all({"2016-07-01 00:00", "2016-07-01 01:00", "2016-07-01 02:00"})) == Step{3600, 0});
  CHECK(likeliest_step(all({"2016-07-01", "2016-07-02", "2016-07-05", "2016-07-06"})) == Step{86400, 0});
  CHECK(likeliest_step(all({"2016-01-01", "2016-02-01", "2016-04-01", "2016-05-01"})) == Step{0, 1});
  CHECK(likeliest_step(all({"2016-01-01", "2017-01-01"})) == Step{0, 12});
  const Step ends = likeliest_step(all({"2016-01-31", "2016-02-29", "2016-03-31"}));
  CHECK(ends.months == 1);
  CHECK(to_string(ends.after(at("2016-02-29"), 1), false) == "2016-03-31");
  CHECK(to_string(ends.after(at("2016-12-31"), 2), false) == "2017-02-28");
  const Step months{0, 1};
  CHECK(to_string(months.after(at("2016-01-30 06:00"), 1), true) == "2016-02-29 06:00:00");
  CHECK(steps_between(at("2016-01-15"), at("2017-03-15"), months) == 14);
  CHECK_FALSE(steps_between(at("2016-01-15"), at("2016-02-16"), months));
  CHECK(steps_between(at("2016-01-01"), at("2016-01-03"), Step{86400, 0}) == 2);
  CHECK_FALSE(steps_between(at("2016-01-01"), at("2016-01-02 12:00"), Step{86400, 0}));
}

TEST_CASE("forecast: a step has a season and a name", "[examples]") {
  const std::vector<std::tuple<Step, std::size_t, std::string>> cases{
      {{1, 0}, 86400, "1 s"},  {{900, 0}, 96, "15 min"},  {{3600, 0}, 24, "1 h"},
      {{86400, 0}, 7, "1 d"},  {{604800, 0}, 52, "7 d"},  {{0, 1}, 12, "1 month"},
      {{0, 3}, 4, "3 months"}, {{0, 12}, 1, "12 months"}, {{31536000, 0}, 1, "365 d"}};
  for (const auto& [step, season, text] : cases) {
    CAPTURE(text);
    CHECK(step.season() == season);
    CHECK(step.text() == text);
  }
}

TEST_CASE("forecast: the calendar goes in circles", "[examples]") {
  const Step hour{3600, 0}, day{86400, 0}, week{604800, 0}, month{0, 1};
  CHECK(calendar_size(hour) == 6);
  CHECK(calendar_size(day) == 4);
  CHECK(calendar_size(Step{129600, 0}) == 6);  // a day and a half
  CHECK(calendar_size(week) == 2);
  CHECK(calendar_size(month) == 2);
  const std::vector<Real> noon = calendar(at("2024-01-01 12:00"), hour);  // a Monday
  CHECK(noon[0] == Approx(0).margin(1e-6));
  CHECK(noon[1] == Approx(-1));
  CHECK(noon[2] == Approx(std::sin(2 * M_PI * 0.5 / 7)));
  CHECK(noon[5] == Approx(1).margin(1e-3));
  const std::vector<Real> sunday = calendar(at("2024-01-07"), day), next = calendar(at("2024-01-14"), day);
  CHECK(sunday[0] == Approx(std::sin(2 * M_PI * 6 / 7)));
  CHECK(sunday[0] == Approx(next[0]));
  CHECK(calendar(at("2023-07-02"), month)[1] == Approx(-1).margin(1e-3));
}
