#include <set>

#include <catch2/catch.hpp>

#include "examples/cities/text.hpp"

using namespace fovea;
using namespace fovea::cities;

TEST_CASE("cities: names are folded", "[examples]") {
  const std::vector<std::pair<std::string, std::string>> cases{
      {"Wien", "wien"},
      {"São Paulo", "sao paulo"},
      {"Thượng Hải", "thuong hai"},
      {"Đà Nẵng", "đa nang"},  // a letter of its own, not a d with a mark
      {"Gießen", "giessen"},
      {"STRAẞE", "strasse"},
      {"İzmir", "izmir"},
      {"Łódź", "łodz"},
      {"Xi'an", "xian"},
      {"Xi’an", "xian"},
      {"Kyʻiv", "kyiv"},
      {"Niʿmat ʾAb", "nimat ab"},
      {"Ｔｏｋｙｏ　１２", "tokyo 12"},  // full width, with an ideographic space
      {"ﬁnn", "finn"},
      {"Saint-Denis (Réunion)", "saint denis reunion"},
      {"  a -- b  ", "a b"},
      {"E\xcc\x81vora", "evora"},  // decomposed
      {"東京", "東京"},
      {"10 de Abril", "10 de abril"},
      {"", ""},
      {"--- '", ""},
      {"´`’", ""},
  };
  for (const auto& [name, folded] : cases) {
    CAPTURE(name);
    CHECK(utf8(normalise(name)) == folded);
    CHECK(normalise(utf8(normalise(name))) == normalise(name));
  }
}

TEST_CASE("cities: a long name with many marks is folded whole", "[examples]") {
  std::string name;
  for (int i = 0; i < 1000; ++i) name += "ﷺ";  // decomposes to 18 code points
  CHECK(normalise(name).size() > 10000);
}

TEST_CASE("cities: hashes are FNV-1a", "[examples]") {
  // Published values of the 64-bit hash: offset basis, "a", "foobar".
  CHECK(bucket("") == (0xcbf29ce4u ^ 0x84222325u));
  CHECK(bucket("a") == (0xaf63dc4cu ^ 0x8601ec8cu));
  CHECK(bucket("foobar") == (0x85944171u ^ 0xf73967e8u));
}

TEST_CASE("cities: n-grams of a name", "[examples]") {
  const auto rows_of = [](const Text& name, std::size_t rows) {
    std::vector<std::int64_t> ids;
    add_ngram_rows(name, rows, ids);
    return std::multiset<std::int64_t>(ids.begin(), ids.end());
  };
  const auto expected = [](std::vector<std::string> ngrams) {
    std::multiset<std::int64_t> rows;
    for (const std::string& ngram : ngrams) rows.insert(bucket(ngram) & 65535);
    return rows;
  };
  CHECK(rows_of(U"ab", 65536) == expected({"^a", "^ab", "^ab$", "a", "ab", "ab$", "b", "b$"}));
  CHECK(rows_of(U"łoć", 65536) ==
        expected({"^ł", "^ło", "^łoć", "ł", "ło", "łoć", "łoć$", "o", "oć", "oć$", "ć", "ć$"}));
  CHECK(rows_of(U"", 65536) == expected({"^$"}));
  for (const std::int64_t row : rows_of(U"san francisco", 7)) CHECK((row >= 0 && row < 7));
}

TEST_CASE("cities: trigrams are a set", "[examples]") {
  CHECK(trigrams(U"ab").size() == 2);    // ^ab ab$
  CHECK(trigrams(U"aaaa").size() == 3);  // ^aa aaa aa$
  CHECK(trigrams(U"").empty());
  CHECK(trigrams(U"ab") != trigrams(U"ba"));
}
