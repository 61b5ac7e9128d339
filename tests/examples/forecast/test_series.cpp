#include <catch2/catch.hpp>

#include "core/check.hpp"
#include "examples/forecast/series.hpp"

using namespace fovea;
using namespace fovea::forecast;
using Catch::Contains;
using Catch::StartsWith;

namespace {

const SeriesFormat plain{.time = "t", .targets = {"x"}, .inputs = {}};

SeriesFormat with(Missing missing) {
  SeriesFormat format = plain;
  format.missing = missing;
  return format;
}

Series read(const std::string& text, const SeriesFormat& format = plain) {
  return parse_series(text, "f", format);
}

const std::string days = "t,x\n2016-01-01,1\n2016-01-02,2.5\n2016-01-03,-3e1\n";

}  // namespace

// Cases mlpack#449, machinelearning#544, miller#161.
TEST_CASE("forecast: a table is a series, whatever wrote it", "[examples]") {
  const std::vector<double> values{1, 2.5, -30};
  const Series series = read(days);
  CHECK(series.values == values);
  CHECK(series.rows == 3);
  CHECK(series.step == Step{86400, 0});
  CHECK(series.made_up.empty());
  CHECK_FALSE(series.has_times());
  CHECK(read("\xEF\xBB\xBFt,x\r\n2016-01-01,1\r\n2016-01-02,2.5\r\n2016-01-03,-3e1\r\n\r\n").values ==
        values);
  CHECK(read("\"t\",\"x\"\n\"2016-01-01\",\"1\"\n2016-01-02, 2.5\n2016-01-03,\"-30\"").values == values);
  SeriesFormat comma = plain;
  comma.decimal_comma = true;
  CHECK(read("t;x\n2016-01-01;1,0\n2016-01-02;2,5\n2016-01-03;-30\n", comma).values == values);
  CHECK(read("x\tother\tt\n1\ta\t2016-01-01\n2.5\tb\t2016-01-02\n-30\t\t2016-01-03\n").values == values);
}

TEST_CASE("forecast: targets come first, then inputs", "[examples]") {
  const std::string text = "a,t,b,c\n1,2016-01-01,2,3\n4,2016-01-02,5,6\n7,2016-01-03,8,9\n";
  const Series series = read(text, {.time = "t", .targets = {"c"}, .inputs = {"a"}});
  CHECK(series.names == std::vector<std::string>{"c", "a"});
  CHECK(series.targets == 1);
  CHECK(series.values == std::vector<double>{3, 1, 6, 4, 9, 7});
  const Series all = read(text, {.time = "t", .targets = {"*"}, .inputs = {"b"}});
  CHECK(all.names == std::vector<std::string>{"a", "c", "b"});
  CHECK(all.targets == 2);
  CHECK_THROWS_AS(read(text, {.time = "t", .targets = {"a", "a"}}), ConfigError);
  CHECK_THROWS_AS(read(text, {.time = "t", .targets = {"a"}, .inputs = {"t"}}), ConfigError);
  CHECK_THROWS_WITH(read("t\n2016-01-01\n", {.time = "t", .targets = {"*"}}), Contains("no column is left"));
  CHECK_THROWS_WITH(read(text, {.time = "t", .targets = {"*"}, .inputs = {"a", "b", "c"}}),
                    Contains("no column is left"));
  CHECK_THROWS_WITH(read(text, {.targets = {"a"}}), Contains("--time") && Contains("a, t, b, c"));
  CHECK_THROWS_WITH(read(text, {.time = "t"}), Contains("--target") && Contains("a, t, b, c"));
  CHECK_THROWS_WITH(read(text, {.time = "t", .targets = {"d"}}),
                    StartsWith("f:1:1: there is no column \"d\" for --target; the columns are a, t, b, c"));
}

TEST_CASE("forecast: what is missing is refused, or filled as was asked", "[examples]") {
  const std::string empty = "t,x\n2016-01-01,1\n2016-01-02,\n2016-01-03,NA\n2016-01-04,7\n";
  CHECK_THROWS_WITH(read(empty),
                    StartsWith("f:3:12: there is no value; --missing forward") && Contains("interpolate"));
  const Series line = read(empty, with(Missing::interpolate));
  CHECK(line.values == std::vector<double>{1, 3, 5, 7});
  CHECK(line.made_up.size() == 2);
  CHECK(read(empty, with(Missing::forward)).values == std::vector<double>{1, 1, 1, 7});

  const std::string gap = "t,x\n2016-01-01,1\n2016-01-02,2\n2016-01-03,3\n2016-01-06,9\n2016-01-07,10\n";
  CHECK_THROWS_WITH(read(gap),
                    StartsWith("f:5:1: 2 rows are missing before 2016-01-06, at steps of 1 d; --missing"));
  const Series filled = read(gap, with(Missing::interpolate));
  CHECK(filled.values == std::vector<double>{1, 2, 3, 5, 7, 9, 10});
  CHECK(filled.made_up.size() == 2);
  CHECK(filled.is_made_up(3, 0));
  CHECK(!filled.is_made_up(5, 0));
  CHECK(filled.moment(5) == *parse_moment("2016-01-06"));
  // At the end there is no next value.
  const std::string end = "t,x\n2016-01-01,1\n2016-01-02,2\n2016-01-03,\n";
  CHECK(read(end, with(Missing::interpolate)).values == std::vector<double>{1, 2, 2});
  const std::string begin = "t,x\n2016-01-01,\n2016-01-02,2\n2016-01-03,3\n";
  CHECK_THROWS_WITH(read(begin, with(Missing::forward)), Contains("begins without a value"));
}

TEST_CASE("forecast: what is no series says where and what to do", "[examples]") {
  const std::string head = "t,x\n2016-01-01,1\n2016-01-02,2\n2016-01-03,3\n";
  const std::vector<std::pair<std::string, std::string>> cases{
      {"t,x\n2016-01-01,1\n", "f:2:1: the table has 1 rows"},
      {head + "2016-01-04,1e400\n", "f:5:12: \"1e400\" is too large"},
      {head + "2016-01-04,inf\n", "f:5:12: \"inf\" in the column \"x\" is not a number"},
      {head + "2016-01-04,4x\n", "f:5:12: \"4x\" in the column \"x\" is not a number"},
      {head + "2016-01-04,\"4,5\"\n", "f:5:13: \"4,5\" in the column \"x\" is not a number; --decimal-comma"},
      {head + "Jan 4,4\n", "f:5:1: \"Jan 4\" is not a time"},
      {head + "2016-01-03,4\n", "f:5:1: the time 2016-01-03 is there twice"},
      {head + "2016-01-02,4\n", "f:5:1: the time 2016-01-02 comes before"},
      {head + "2016-01-04 12:00,4\n",
       "f:5:1: the time 2016-01-04 12:00 is not a whole number of steps of 1 d"},
      {head + "2016-01-04\n", "f:5:11: the row has 1 fields"},
      {head + "2016-01-04," + std::string(10'000'000, '1') + "\n", "f:5:12: \"1111"},
  };
  for (const auto& [text, words] : cases) {
    CAPTURE(text.substr(0, 100));
    REQUIRE_THROWS_AS(read(text), DataError);
    CHECK_THROWS_WITH(read(text), StartsWith(words));
  }
  CHECK_THROWS_WITH(read(head + "2026-01-04,4\n", with(Missing::forward)),
                    Contains("more than 1000 are not filled"));
  const std::string holes = "t,x\n2016-01-01,1\n2016-01-02,\n2016-01-03,\n2016-01-04,\n2016-01-05,2\n";
  CHECK_THROWS_WITH(read(holes, with(Missing::forward)), Contains("3 of 5 values are missing"));
  // Where most are missing, no memory is taken for the rest.
  CHECK_THROWS_WITH(read(head + "2018-09-29,4\n2021-06-25,5\n", with(Missing::forward)),
                    Contains("999 of 1004 values are missing"));
  CHECK_THROWS_AS(read_series("none.csv", plain), DataError);
  CHECK_THROWS_AS(missing_named("drop"), ConfigError);
}

TEST_CASE("forecast: a point among decimal commas is refused, and one wrong date is the one that is named",
          "[examples]") {
  SeriesFormat comma = plain;
  comma.decimal_comma = true;
  CHECK_THROWS_WITH(read("t;x\n2016-01-01;1.147\n", comma), StartsWith("f:2:12: \"1.147\" has a point"));
  std::string ends = "t,x\n";
  for (const char* day : {"01-31", "02-29", "03-31", "04-30", "05-31", "06-30", "07-30", "08-31", "09-30",
                          "10-31", "11-30", "12-31"})
    ends += "2016-" + std::string(day) + ",1\n";
  CHECK_THROWS_WITH(read(ends),
                    StartsWith("f:8:1: the time 2016-07-30 is not a whole number of steps of 1 month"));
}

TEST_CASE("forecast: the bundled series", "[examples]") {
  const std::string folder = FOVEA_SOURCE_DIR "/examples/forecast/data/";
  const Series weather =
      read_series(folder + "seattle-weather.csv", {.time = "date", .targets = {"temp_max"}});
  CHECK(weather.rows == 1461);
  CHECK(weather.step == Step{86400, 0});
  const SeriesFormat format{.time = "Date", .targets = {"CO2"}, .missing = Missing::interpolate};
  const Series co2 = read_series(folder + "co2-concentration.csv", format);
  CHECK(co2.step == Step{0, 1});
  CHECK(co2.made_up.size() == 5);
  CHECK(co2.rows == 746);
}
