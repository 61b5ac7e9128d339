#include <fstream>

#include <catch2/catch.hpp>

#include "core/check.hpp"
#include "examples/lines.hpp"
#include "examples/sequences/pairs.hpp"
#include "training/folder.hpp"

using namespace fovea;
using namespace fovea::sequences;
using Catch::Contains;
using Catch::StartsWith;

TEST_CASE("sequences: pairs are read", "[examples]") {
  const std::vector<Pair> expected{{"a b", "b a", 1}, {"# one", "x", 2}, {"été", "한글 سلام", 5}};
  const std::string text = "a b\tb a\n# one\tx\n\n\ne\xcc\x81te\xcc\x81\t한글 سلام";
  CHECK(parse_pairs(text, "f") == expected);
  CHECK(parse_pairs(text + "\n", "f") == expected);
  CHECK(parse_pairs(text + "\n\n", "f") == expected);
  std::string windows = "\xef\xbb\xbf";
  for (const char c : text) windows += c == '\n' ? "\r\n" : std::string(1, c);
  CHECK(parse_pairs(windows, "f") == expected);
  CHECK(parse_pairs(windows + "\r\n", "f") == expected);
}

TEST_CASE("sequences: malformed pairs are refused with their place", "[examples]") {
  const std::string long_line(10'000'000, 'x');
  const std::vector<std::pair<std::string, std::string>> cases{
      {"", "f: there is no pair; write lines"},
      {"\xef\xbb\xbf\r\n\n", "f: there is no pair; write lines"},
      {"a\tb\nab", "f:2:3: the line ends without a tab; write"},
      {"   \n", "f:1:4: the line ends without a tab"},
      {"ňa\tb\tc\n", "f:1:5: this is the second tab"},
      {"a\tb\n\n\tb\n", "f:3:1: the source, before the tab, is empty"},
      {" \u3000\tb\n", "f:1:1: the source, before the tab, is empty"},
      {"ab\t\n", "f:1:4: the target, after the tab, is empty"},
      {"ab\t \r\n", "f:1:4: the target, after the tab, is empty"},
      {"a\tb\nň\t\xff\n", "f:2:3: the bytes here are not UTF-8"},
      {"a\t\xc5", "f:1:3: the bytes here are not UTF-8"},
      {"a\tb\n" + long_line + "\tc\n", "f:2:1: the line is 10000002 bytes long; at most 1000000"},
  };
  for (const auto& [text, message] : cases) {
    CAPTURE(message);
    CHECK_THROWS_WITH(parse_pairs(text, "f"), StartsWith(message));
    CHECK_THROWS_AS(parse_pairs(text, "f"), DataError);
  }
}

TEST_CASE("sequences: the longest line that is read", "[examples]") {
  const std::string half(longest_line / 2 - 1, 'x');
  CHECK(parse_pairs(half + "\ty" + half, "f").size() == 1);
  CHECK_THROWS_AS(parse_pairs(half + "\tyy" + half, "f"), DataError);
}

TEST_CASE("sequences: a file of pairs", "[examples]") {
  const TemporaryFolder folder;
  std::ofstream(folder / "pairs.tsv", std::ios::binary) << "a\tb\r\nc";
  CHECK_THROWS_WITH(read_pairs(folder / "pairs.tsv"), Contains("pairs.tsv:2:2: the line ends"));
  std::ofstream(folder / "pairs.tsv", std::ios::binary | std::ios::app) << "\td";
  CHECK(read_pairs(folder / "pairs.tsv") == std::vector<Pair>{{"a", "b", 1}, {"c", "d", 2}});
  CHECK_THROWS_AS(read_pairs(folder / "none.tsv"), DataError);
  CHECK_THROWS_WITH(read_pairs(folder / "none.tsv"), Contains("none.tsv"));
}
