#include <map>
#include <set>

#include <catch2/catch.hpp>

#include "core/check.hpp"
#include "examples/classify/labelled.hpp"
#include "examples/unicode.hpp"
#include "training/folder.hpp"

using namespace fovea;
using namespace fovea::classify;
using Catch::Contains;
using Catch::StartsWith;
using sequences::Pair;

TEST_CASE("classify: labelled texts are read", "[examples]") {
  const std::string text = "\xef\xbb\xbfSpam\tBuy E\xcc\x81te\xcc\x81\r\n\nHam\tthe News";
  CHECK(parse_labelled(text, "f", Case::lower) ==
        std::vector<Pair>{{"buy été", "Spam", 1}, {"the news", "Ham", 3}});
  CHECK(parse_labelled(text, "f", Case::keep)[0] == Pair{"Buy Été", "Spam", 1});
  CHECK(case_of("keep") == Case::keep);
  CHECK(case_of("lower") == Case::lower);
  CHECK_THROWS_AS(case_of("upper"), ConfigError);
}

TEST_CASE("classify: malformed lines are refused with their place", "[examples]") {
  const std::vector<std::pair<std::string, std::string>> cases{
      {"", "f: there is no pair; write lines of a label, a tab and its text"},
      {"a\tb\nab", "f:2:3: the line ends without a tab; write the label, a tab, the text"},
      {"ňa\tb\tc\n", "f:1:5: this is the second tab of the line; write one, between label and text"},
      {"\tb\n", "f:1:1: the label, before the tab, is empty"},
      {"a\t \u3000\n", "f:1:3: the text, after the tab, is empty"},
      {"a\tb\nň\t\xff\n", "f:2:3: the bytes here are not UTF-8"},
  };
  for (const auto& [text, message] : cases) {
    CAPTURE(message);
    CHECK_THROWS_WITH(parse_labelled(text, "f", Case::lower), StartsWith(message));
    CHECK_THROWS_AS(parse_labelled(text, "f", Case::lower), DataError);
  }
  const TemporaryFolder folder;
  CHECK_THROWS_AS(read_labelled(folder / "none", Case::lower), DataError);
  write(folder / "some", "a\tB\n");
  CHECK(read_labelled(folder / "some", Case::lower) == std::vector<Pair>{{"b", "a", 1}});
}

TEST_CASE("classify: the bundled places", "[examples]") {
  const std::vector<Pair> places = bundled_places(100, Case::lower);
  CHECK(places.size() == 22500);
  std::map<std::string, std::size_t> counts;
  std::size_t blank = 0, changed = 0;
  for (const Pair& place : places) {
    ++counts[place.target];
    blank += unicode::is_blank(place.source);
    changed += unicode::lower(place.source) != place.source;
  }
  CHECK(counts.size() == 47);
  CHECK(counts["US"] == 3269);
  CHECK(blank + changed == 0);
  CHECK(places.front() == Pair{"shanghai", "CN", 2});
  CHECK(bundled_places(100, Case::keep).front().source == "Shanghai");
  CHECK(bundled_places(1000, Case::lower).size() == 3269 + 2479 + 1954 + 1216 + 1114 + 1096);
}
