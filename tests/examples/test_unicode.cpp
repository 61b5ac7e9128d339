#include <catch2/catch.hpp>

#include "core/check.hpp"
#include "examples/unicode.hpp"

using namespace fovea;
using namespace fovea::unicode;

TEST_CASE("unicode: what is not UTF-8 is found", "[examples]") {
  CHECK(valid_utf8("Viedeň") == 7);
  CHECK(valid_utf8("") == 0);
  CHECK(valid_utf8("ab\xff") == 2);
  CHECK(valid_utf8("ab\xc5") == 2);         // cut off
  CHECK(valid_utf8("\xc0\x80") == 0);       // overlong
  CHECK(valid_utf8("a\xed\xa0\x80") == 1);  // a surrogate
  CHECK(valid_utf8(std::string("a\0ň", 4)) == 4);
  CHECK_THROWS_AS(nfc("ab\xff"), DataError);
  CHECK_THROWS_AS(upper("ab\xff"), DataError);
}

TEST_CASE("unicode: hashes are FNV-1a", "[examples]") {
  // Published values of the 64-bit hash.
  CHECK(fnv1a("") == 0xcbf29ce484222325);
  CHECK(fnv1a("a") == 0xaf63dc4c8601ec8c);
  CHECK(fnv1a("foobar") == 0x85944171f73967e8);
  CHECK(fnv1a("bar", fnv1a("foo")) == fnv1a("foobar"));
  CHECK(fnv1a("\xc3\xa9") != fnv1a("\xc3\xa8"));  // bytes above 127
}

TEST_CASE("unicode: marks are joined with their letters", "[examples]") {
  CHECK(nfc("e\xcc\x81vora") == "évora");
  CHECK(nfc("évora") == "évora");
  CHECK(nfc("\xe1\x84\x92\xe1\x85\xa1\xe1\x86\xab") == "한");   // three jamo
  CHECK(nfc("x\xcc\x81") == "x\xcc\x81");                       // there is no such letter
  CHECK(nfc("a\xcc\x81\xcc\xa3") == nfc("a\xcc\xa3\xcc\x81"));  // marks above and below, in any order
  CHECK(nfc("\xef\xac\x81") == "\xef\xac\x81");                 // a ligature stays
  CHECK(nfc(std::string("e\xcc\x81\0b", 5)) == std::string("é\0b", 4));
}

TEST_CASE("unicode: upper case", "[examples]") {
  CHECK(upper("Abend's-2z{") == "ABEND'S-2Z{");
  CHECK(upper("e\xcc\x81té") == "ÉTÉ");
  CHECK(upper("привет") == "ПРИВЕТ");
  CHECK(upper("سلام 한글") == "سلام 한글");
}

TEST_CASE("unicode: lower case", "[examples]") {
  CHECK(lower("ABEND's-2Z[") == "abend's-2z[");
  CHECK(lower("E\xcc\x81TÉ") == "été");
  CHECK(lower("ПРИВЕТ") == "привет");
  CHECK(lower("سلام 한글") == "سلام 한글");
  CHECK_THROWS_AS(lower("ab\xff"), DataError);
}

TEST_CASE("unicode: spaces, letters and marks", "[examples]") {
  for (const char32_t c : U" \t\n\r\v\f\u0085\u00a0\u2003\u2028\u202f\u3000") CHECK((is_space(c) || c == 0));
  for (const char32_t c : std::u32string(U"a_\u200b\u200d\u00ad0")) CHECK_FALSE(is_space(c));
  for (const char32_t c : std::u32string(U"aZ0éßя한ا２½Ⅳʼ")) CHECK(is_letter_or_number(c));
  for (const char32_t c : std::u32string(U" _-'\u0301€")) CHECK_FALSE(is_letter_or_number(c));
  for (const char32_t c : std::u32string(U"\u0301\u064e\u093f\u20dd")) CHECK(is_mark(c));
  CHECK_FALSE(is_mark(U'a'));
  CHECK(is_blank(""));
  CHECK(is_blank(" \t\u3000"));
  CHECK_FALSE(is_blank(" x "));
  std::string_view text = "aň";
  CHECK(take_point(text) == U'a');
  CHECK(take_point(text) == U'ň');
  CHECK(text.empty());
  CHECK_THROWS_AS(take_point(text), DataError);
}
