#include <catch2/catch.hpp>

#include "report/text.hpp"

using namespace fovea::report;

TEST_CASE("report: text of any origin becomes visible and valid", "[report]") {
  CHECK(visible("Zürich 東京") == "Zürich 東京");
  CHECK(visible(std::string("a\0b\tc\x7F", 6)) == "a␀b␉c␡");
  CHECK(visible("\xFF\xC3") == "\xEF\xBF\xBD\xEF\xBF\xBD");                  // no UTF-8
  CHECK(visible("\xED\xA0\x80") == "\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD");  // a surrogate
  CHECK(visible("\xC2\x85\xEF\xBF\xBE") == "\xEF\xBF\xBD\xEF\xBF\xBD");  // C1, and U+FFFE, which XML forbids
  CHECK(visible("a\u202Eb") == "a⟨U+202E⟩b");  // what follows would be read from the right
  CHECK(visible("שלום") == "שלום");
}

TEST_CASE("report: tokens of spaces are seen", "[report]") {
  CHECK(token(" ") == "␣");
  CHECK(token("   ") == "␣␣␣");
  CHECK(token("a b") == "a b");
  CHECK(token("") == "∅");
}

TEST_CASE("report: tokens without a shape of their own have a sign", "[report]") {
  CHECK(token("\u200B") == "⟨U+200B⟩");
  CHECK(token("\u200D") == "⟨U+200D⟩");
  CHECK(token("\uFEFF") == "⟨U+FEFF⟩");
  CHECK(token("a\u00ADb") == "a⟨U+00AD⟩b");
  CHECK(token("\u00A0") == "⟨U+00A0⟩");
  CHECK(token("\u3000") == "⟨U+3000⟩");
  CHECK(token("\uFE0F") == "⟨U+FE0F⟩");
  CHECK(token("\u2028") == "⟨U+2028⟩");
  CHECK(token("\u3164") == "⟨U+3164⟩");  // the Hangul filler, by category a letter
  CHECK(token("\u202E") == "⟨U+202E⟩");  // as `visible` writes it, once
  CHECK(token("\u0301") == "◌\u0301");   // an acute alone
  CHECK(token(" \u0301") == " ◌\u0301");
  CHECK(token("e\u0301") == "e\u0301");
  CHECK(token("\u0600") == "\u0600");                          // Arabic number sign
  CHECK(token("\u2764\uFE0F") == "\u2764\uFE0F");              // a heart in colour
  CHECK(token("\u0645\u200C\u0645") == "\u0645\u200C\u0645");  // a word of Persian
  CHECK(token("\u0645\u200C") == "\u0645⟨U+200C⟩");
  CHECK(token("東京 ж") == "東京 ж");
}

TEST_CASE("report: nothing of the data is read as XML, HTML or script", "[report]") {
  CHECK(escaped("<a href=\"x\">'&") == "&lt;a href=&quot;x&quot;&gt;&#39;&amp;");
  CHECK(in_script(R"({"a":"</script><!--"})") == R"({"a":"\u003c/script>\u003c!--"})");
}
