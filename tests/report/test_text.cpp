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

TEST_CASE("report: nothing of the data is read as XML, HTML or script", "[report]") {
  CHECK(escaped("<a href=\"x\">'&") == "&lt;a href=&quot;x&quot;&gt;&#39;&amp;");
  CHECK(in_script(R"({"a":"</script><!--"})") == R"({"a":"\u003c/script>\u003c!--"})");
}
