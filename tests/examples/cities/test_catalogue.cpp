#include <catch2/catch.hpp>

#include "core/check.hpp"
#include "examples/cities/bundled.hpp"
#include "training/folder.hpp"

using namespace fovea;
using namespace fovea::cities;
using Catch::Contains;
using Catch::StartsWith;

TEST_CASE("cities: a catalogue is read", "[examples]") {
  for (const bool windows : {false, true}) {
    std::string text(four_cities);
    if (windows) {
      for (std::size_t at = 0; (at = text.find('\n', at)) != std::string::npos; at += 2)
        text.replace(at, 1, "\r\n");
      text = "\xef\xbb\xbf" + text + "\r\n";
    }
    CAPTURE(windows);
    const Catalogue cities = parse_catalogue(text, "four");
    REQUIRE(cities.size() == 4);
    CHECK(cities[0].id == "1");
    CHECK(cities[0].name == "Wien");
    CHECK(cities[0].alternates == std::vector<Text>{U"vienna", U"vieden", U"wien", U"bec"});
    REQUIRE(cities[0].at);
    CHECK(cities[0].at->latitude == 48.2);
    CHECK(cities[0].at->longitude == 16.37);
    CHECK(cities[0].country == "AT");
    CHECK(cities[0].population == 1691468);
    CHECK(cities[0].height == 171);
    CHECK(cities[0].timezone == "Europe/Vienna");
    CHECK_FALSE(cities[1].height);
    CHECK_FALSE(cities[2].at);
    CHECK_FALSE(cities[2].population);
    CHECK(cities[2].alternates.empty());
    CHECK(cities[3].timezone.empty());
  }
}

TEST_CASE("cities: columns stand in any order, only the name is needed", "[examples]") {
  const Catalogue cities = parse_catalogue("what\tname\nx\tA\ny\tB", "names");  // without a final newline
  REQUIRE(cities.size() == 2);
  CHECK(cities[1].name == "B");
  CHECK(cities[1].key() == "B");
  CHECK_FALSE(cities[1].at);
}

// Cases mlpack#449, machinelearning#544, miller#161.
TEST_CASE("cities: a malformed catalogue is refused with its place", "[examples]") {
  const std::string head = "name\tlatitude\tlongitude\tpopulation\theight\tid\talternates\n";
  const std::string good = "A\t1\t2\t3\t4\ta\t\n";
  const std::string long_name(10'000'000, 'x');
  const std::vector<std::pair<std::string, std::string>> cases{
      {"", "f:1:1: the file is empty"},
      {"\xef\xbb\xbf\r\n", "f:1:1: the file is empty"},
      {"id\tcountry\n1\tAT\n", "f:1:1: there is no column \"name\" among id, country"},
      {"name\tid\tname\n", "f:1:9: the column \"name\" is named twice"},
      {"name\tlatitude\nA\t1\n", "f:1:1: there is a column \"latitude\" but no \"longitude\""},
      {head, "f:1:1: the catalogue has 0 cities"},
      {head + good, "f:2:1: the catalogue has 1 city"},
      {head + good + "B\t1\t2\n", "f:3:6: the row has 3 fields; the header names 7"},
      {head + good + "B\t1\t2\t3\t4\tb\t\t\n", "f:3:14: the row has 8 fields"},
      {head + good + "\n" + good, "f:3:1: the row has 1 fields"},
      {head + "\t1\t2\t3\t4\ta\t\n", "f:2:1: the name is empty"},
      {head + "Köln\tx\t2\t3\t4\ta\t\n", "f:2:6: the latitude \"x\" is not a number"},
      {head + "A\t91\t2\t3\t4\ta\t\n", "f:2:3: the latitude \"91\" lies outside -90 … 90"},
      {head + "A\t1\t-180.5\t3\t4\ta\t\n", "f:2:5: the longitude \"-180.5\" lies outside"},
      {head + "A\tnan\t2\t3\t4\ta\t\n", "f:2:3: the latitude \"nan\" is not a number"},
      {head + "A\t1\t2 \t3\t4\ta\t\n", "f:2:5: the longitude \"2 \" is not a number"},
      {head + "A\t1\t\t3\t4\ta\t\n", "f:2:5: the longitude is empty, but the latitude is given"},
      {head + "A\t\t2\t3\t4\ta\t\n", "f:2:3: the latitude is empty, but the longitude is given"},
      {head + "A\t1\t2\t1e400\t4\ta\t\n", "f:2:7: the population \"1e400\" is too large"},
      {head + "A\t1\t2\t-1\t4\ta\t\n", "f:2:7: the population \"-1\" is out of range"},
      {head + "A\t1\t2\t3\t4m\ta\t\n", "f:2:9: the height \"4m\" is not a number"},
      {head + good + good, "f:3:11: the id a was given before, at f:2:1"},
      {head + "A\xff\t1\t2\t3\t4\ta\t\n", "f:2:2: the bytes here are not UTF-8"},
      {head + long_name + "\t1\t2\t3\t4\ta\t\n", "f:2:1: the name is 10000000 bytes long"},
      {head + "A\t1\t2\t3\t4\ta\tb|" + long_name + "\n", "f:2:15: the name is 10000000 bytes long"},
      {long_name, "f:1:1: there is no column \"name\""},
  };
  for (const auto& [text, words] : cases) {
    CAPTURE(text.substr(0, 100));
    REQUIRE_THROWS_AS(parse_catalogue(text, "f"), DataError);
    CHECK_THROWS_WITH(parse_catalogue(text, "f"), StartsWith(words));
  }
}

TEST_CASE("cities: a catalogue that cannot be read says what to do", "[examples]") {
  const TemporaryFolder folder;
  CHECK_THROWS_AS(read_catalogue(folder / "none.tsv"), DataError);
  CHECK_THROWS_WITH(read_catalogue(folder / "none.tsv"), Contains("none.tsv") && Contains("--data FILE"));
  CHECK_THROWS_AS(read_catalogue(folder.path), DataError);
}

TEST_CASE("cities: the bundled catalogue", "[examples]") {
  const Catalogue& cities = bundled().cities;
  CHECK(cities.size() == 26416);
  CHECK(cities[0].name == "Shanghai");
  for (const City& city : cities) {
    CHECK_FALSE(
        (city.id.empty() || city.text.empty() || !city.at || city.country.empty() || !city.population));
  }
}
