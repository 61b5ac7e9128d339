#include <catch2/catch.hpp>

#include "core/check.hpp"
#include "examples/sequences/tokens.hpp"

using namespace fovea;
using namespace fovea::sequences;
using Catch::Contains;

using Texts = std::vector<std::string>;

TEST_CASE("sequences: kinds of tokens have names", "[examples]") {
  CHECK(tokens_of("letters") == Tokens::letters);
  CHECK(tokens_of("words") == Tokens::words);
  CHECK(tokens_of("spaced") == Tokens::spaced);
  CHECK_THROWS_AS(tokens_of("Letters"), ConfigError);
  CHECK_THROWS_WITH(tokens_of("bytes"), Contains("\"bytes\"") && Contains("letters, words or spaced"));
}

TEST_CASE("sequences: a text as letters", "[examples]") {
  CHECK(split_tokens("ab c", Tokens::letters) == Texts{"a", "b", " ", "c"});
  CHECK(split_tokens("", Tokens::letters).empty());
  CHECK(split_tokens("e\xcc\x81x\xcc\x81", Tokens::letters) == Texts{"é", "x", "\xcc\x81"});
  CHECK(split_tokens("\xe1\x84\x92\xe1\x85\xa1\xe1\x86\xab글", Tokens::letters) == Texts{"한", "글"});
  CHECK(split_tokens("سَ", Tokens::letters) == Texts{"س", "َ"});  // a letter with its vowel sign
  CHECK(split_tokens("𝄞", Tokens::letters) == Texts{"𝄞"});      // four bytes
}

TEST_CASE("sequences: a text as words", "[examples]") {
  CHECK(split_tokens("Hello, world!", Tokens::words) == Texts{"Hello", ",", "world", "!"});
  CHECK(split_tokens("  don't  stop ", Tokens::words) == Texts{"don't", "stop"});
  CHECK(split_tokens("l’été", Tokens::words) == Texts{"l’été"});
  CHECK(split_tokens("'tis dogs' a''b", Tokens::words) == Texts{"'", "tis", "dogs", "'", "a", "'", "'", "b"});
  CHECK(split_tokens("3.14 e-mail a_b", Tokens::words) ==
        Texts{"3", ".", "14", "e", "-", "mail", "a", "_", "b"});
  CHECK(split_tokens("...", Tokens::words) == Texts{".", ".", "."});
  CHECK(split_tokens("x\xcc\x81y हिन्दी", Tokens::words) == Texts{"x\xcc\x81y", "हिन्दी"});  // marks hold on
  CHECK(split_tokens("می\u200cروم", Tokens::words) == Texts{"می\u200cروم"});  // so does what joins letters
  CHECK(split_tokens("مرحبا، عالم؟", Tokens::words) == Texts{"مرحبا", "،", "عالم", "؟"});
  CHECK(split_tokens("안녕\u3000세계\u00a0a", Tokens::words) == Texts{"안녕", "세계", "a"});
  CHECK(split_tokens(" \t\u3000", Tokens::words).empty());
}

TEST_CASE("sequences: a text between spaces", "[examples]") {
  CHECK(split_tokens("AE1 B  EH0\tN\u00a0D ", Tokens::spaced) == Texts{"AE1", "B", "EH0", "N", "D"});
  CHECK(split_tokens("don't, stop!", Tokens::spaced) == Texts{"don't,", "stop!"});
  CHECK(split_tokens(" ", Tokens::spaced).empty());
}

TEST_CASE("sequences: a text as one token", "[examples]") {
  CHECK(split_tokens(" New  York", Tokens::whole) == Texts{" New  York"});
  CHECK(split_tokens("e\xcc\x81", Tokens::whole) == Texts{"é"});
  CHECK(join_tokens(Texts{" New  York"}, Tokens::whole) == " New  York");
  CHECK_THROWS_AS(tokens_of("whole"), ConfigError);  // no setting has it
}

TEST_CASE("sequences: joined tokens are split into the same again", "[examples]") {
  const std::string text = " l’été, a''b  e\xcc\x81 =\xcc\xb8 +\xcc\xb8 한글 سَلام 3.14 \xcc\x81q ";
  for (const Tokens kind : {Tokens::letters, Tokens::words, Tokens::spaced}) {
    const Texts tokens = split_tokens(text, kind);
    CHECK(tokens.size() > 8);
    CHECK(split_tokens(join_tokens(tokens, kind), kind) == tokens);
  }
  CHECK(join_tokens(Texts{"a", "b"}, Tokens::letters) == "ab");
  CHECK(join_tokens(Texts{"a", "b"}, Tokens::words) == "a b");
  CHECK(join_tokens(Texts{"a", "b"}, Tokens::spaced) == "a b");
  CHECK(join_tokens(Texts{}, Tokens::spaced).empty());
}

TEST_CASE("sequences: what is not UTF-8 is no text", "[examples]") {
  for (const Tokens kind : {Tokens::letters, Tokens::words, Tokens::spaced}) {
    CHECK_THROWS_AS(split_tokens("ab\xff", kind), DataError);
    CHECK_THROWS_AS(split_tokens("\xc5", kind), DataError);
  }
}
