#include <fstream>
#include <set>

#include <catch2/catch.hpp>

#include "core/check.hpp"
#include "examples/g2p/lexicon.hpp"
#include "examples/sequences/dataset.hpp"
#include "training/folder.hpp"

using namespace fovea;
using namespace fovea::sequences;
using Catch::Contains;
using Catch::StartsWith;

namespace {

// Comments, variants, a pronunciation that differs in its stress alone, and two ways to write a line.
const std::string both_ways =
    ";;; # CMUdict\n"
    "ABEND  AE1 B EH0 N D\n"
    "ABEND(1)  AH0 B EH1 N D\n"
    "ABEND(2)  AE0 B EH1 N D\n"
    "\n"
    "Abend's\tAE1 B\u00a0EH0  N D Z\n"
    "aalborg AO1 L # place, danish\n"
    "ABEND\tAH0 B EH1 N D\n"
    "(3)  TH R IY1\n"
    "A(B)  AH0\n";

std::vector<std::string> lines_of(const std::vector<Pair>& pairs) {
  std::vector<std::string> lines;
  for (const Pair& pair : pairs) lines.push_back(join(pair.line, " ", pair.source, ": ", pair.target));
  return lines;
}

}  // namespace

// Case g2p-seq2seq#110.
TEST_CASE("g2p: a lexicon is read", "[examples]") {
  CHECK(lines_of(parse_lexicon(both_ways, "f", true)) ==
        std::vector<std::string>{"2 ABEND: AE1 B EH0 N D", "3 ABEND: AH0 B EH1 N D", "4 ABEND: AE0 B EH1 N D",
                                 "6 ABEND'S: AE1 B EH0 N D Z", "7 AALBORG: AO1 L", "9 (3): TH R IY1",
                                 "10 A(B): AH0"});
  CHECK(lines_of(parse_lexicon(both_ways, "f", false)) ==
        std::vector<std::string>{"2 ABEND: AE B EH N D", "3 ABEND: AH B EH N D", "6 ABEND'S: AE B EH N D Z",
                                 "7 AALBORG: AO L", "9 (3): TH R IY", "10 A(B): AH"});
}

TEST_CASE("g2p: words are in upper case, of any script", "[examples]") {
  const auto word_of = [](const std::string& word) {
    return parse_lexicon(word + "\ta", "f", false).at(0).source;
  };
  CHECK(word_of("Abend") == "ABEND");
  CHECK(word_of("été") == "ÉTÉ");
  CHECK(word_of("e\xcc\x81te\xcc\x81") == "ÉTÉ");
  CHECK(word_of("한글") == "한글");
  CHECK(word_of("سَلام") == "سَلام");
  CHECK(word_of(" new  york ") == "NEW YORK");
  CHECK(word_of("a(12)") == "A");
  CHECK(word_of("a()") == "A()");
  CHECK(word_of("a1)") == "A1)");
  CHECK(lexicon_word(" Été ") == "ÉTÉ");
  CHECK(lexicon_word(" ").empty());
}

TEST_CASE("g2p: only ARPABET's vowels have a stress to take off", "[examples]") {
  const auto phones_of = [](const std::string& phones) {
    return parse_lexicon("w\t" + phones, "f", false).at(0).target;
  };
  CHECK(phones_of("AA0 AE1 AH2 AO0 AW1 AY2 EH0 ER1 EY2 IH0 IY1 OW2 OY0 UH1 UW2") ==
        "AA AE AH AO AW AY EH ER EY IH IY OW OY UH UW");
  CHECK(phones_of("ma1 T2 AH3 AH AH00 aa1 ʃ1") == "ma1 T2 AH3 AH AH00 aa1 ʃ1");
}

TEST_CASE("g2p: byte order mark, CRLF and an unfinished last line make no difference", "[examples]") {
  std::string windows = "\xef\xbb\xbf";
  for (const char c : both_ways) windows += c == '\n' ? "\r\n" : std::string(1, c);
  windows.resize(windows.size() - 2);
  CHECK(parse_lexicon(windows, "f", true) == parse_lexicon(both_ways, "f", true));
}

TEST_CASE("g2p: a malformed lexicon is refused with its place", "[examples]") {
  const std::string long_line(10'000'000, 'x');
  const std::vector<std::pair<std::string, std::string>> cases{
      {"", "f: there is no word"},
      {";;; nothing\n", "f: there is no word"},
      {"A AH0\nABEND\n", "f:2:6: the line ends behind the word"},
      {"é\n", "f:1:2: the line ends behind the word"},
      {" AE1 B\n", "f:1:1: there is no word before the phones"},
      {"\tAE1 B\n", "f:1:1: there is no word before the phones"},
      {"ABEND\t\n", "f:1:7: the word \"ABEND\" has no phones"},
      {"ABEND  # none\n", "f:1:6: the word \"ABEND\" has no phones"},
      {"ABEND  \n", "f:1:6: the word \"ABEND\" has no phones"},
      {"ABEND\tAE1\tB\n", "f:1:10: this is the second tab"},
      {"A AH0\nB\t\xff\n", "f:2:3: the bytes here are not UTF-8"},
      {"A AH0\n" + long_line, "f:2:1: the line is 10000000 bytes long"},
  };
  for (const auto& [text, message] : cases) {
    CAPTURE(message);
    CHECK_THROWS_WITH(parse_lexicon(text, "f", false), StartsWith(message));
    CHECK_THROWS_AS(parse_lexicon(text, "f", false), DataError);
  }
}

TEST_CASE("g2p: a lexicon that cannot be read says what to do", "[examples]") {
  const TemporaryFolder folder;
  CHECK_THROWS_AS(read_lexicon(folder / "none", false), DataError);
  CHECK_THROWS_WITH(read_lexicon(folder / "none", false), Contains("none") && Contains("FOVEA_EXAMPLES"));
  std::ofstream(folder / "some") << "a\tAH0\n";
  CHECK(read_lexicon(folder / "some", false) == std::vector<Pair>{{"A", "AH", 1}});
}

TEST_CASE("g2p: the bundled lexicon", "[examples]") {
  const std::vector<Pair> stressed = read_lexicon(bundled_lexicon(), true);
  const std::vector<Pair> pairs = read_lexicon(bundled_lexicon(), false);
  CHECK(stressed.size() == 132585);
  CHECK(pairs.size() == 132271);
  for (const Pair& pair : pairs) {
    if (pair.source.find_first_not_of("ABCDEFGHIJKLMNOPQRSTUVWXYZ'") != std::string::npos) FAIL(pair.source);
  }
  const Corpus corpus(pairs, {Tokens::letters, Tokens::spaced}, true);
  const Vocabularies vocabularies = corpus.vocabularies();
  CHECK(vocabularies.source.size() == 4 + 27);
  CHECK(vocabularies.target.size() == 4 + 39);
  CHECK(Corpus(stressed, {Tokens::letters, Tokens::spaced}, true).vocabularies().target.size() == 4 + 69);
  const Dataset data = corpus.encode(vocabularies);
  CHECK(data.validation.words.size() == 3033);
  CHECK(data.test.words.size() == 3134);
  CHECK(data.train.words.size() == 123874 - 3033 - 3134);
  std::set<std::vector<std::int64_t>> held_out;
  for (const Part* part : {&data.validation, &data.test}) {
    for (const Word& word : part->words) held_out.insert(word.source);
  }
  CHECK(held_out.size() == 3033 + 3134);
  std::size_t leaks = 0;
  for (const Item& item : data.train.items) leaks += held_out.contains(item.source);
  CHECK(leaks == 0);
}
