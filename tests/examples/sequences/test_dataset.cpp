#include <map>
#include <set>

#include <catch2/catch.hpp>

#include "core/check.hpp"
#include "examples/sequences/dataset.hpp"
#include "examples/unicode.hpp"
#include "training/state.hpp"

using namespace fovea;
using namespace fovea::sequences;

namespace {

using Numbers = std::vector<std::int64_t>;

// Words w0 … w399 with three targets each, far from each other in the file.
std::vector<Pair> many_pairs() {
  std::vector<Pair> pairs;
  for (const char* target : {"x y", "y", "z z"}) {
    for (int i = 0; i < 400; ++i) pairs.push_back({join("w", i), target, pairs.size() + 1});
  }
  return pairs;
}

std::set<std::string> texts_of(const Part& part) {
  std::set<std::string> texts;
  for (const Word& word : part.words) CHECK(texts.insert(word.text).second);
  return texts;
}

Dataset encoded(const Corpus& corpus) { return corpus.encode(corpus.vocabularies()); }

constexpr Kinds spelled{Tokens::letters, Tokens::spaced};

}  // namespace

// Case g2p-seq2seq#110: variants of a word never straddle a split.
TEST_CASE("sequences: pairs of one source are one word", "[examples]") {
  const std::vector<Pair> pairs{{"ab", "X Y", 1}, {"ba", "Y", 2}, {"ab", "Y", 3}, {"ab", "X  Y", 4}};
  const Corpus corpus(pairs, {}, {}, spelled);
  const Vocabularies vocabularies = corpus.vocabularies();
  CHECK(vocabularies.source.size() == 6);
  CHECK(vocabularies.target.token(4) == "Y");  // four times; X twice
  const Part train = corpus.encode(vocabularies).train;
  REQUIRE(train.words.size() == 2);
  CHECK(train.words[0].text == "ab");
  CHECK(train.words[0].source == Numbers{4, 5});
  CHECK(train.words[0].references == std::vector<Numbers>{{5, 4}, {4}});  // each once
  CHECK(train.words[1].text == "ba");
  CHECK(train.words[1].references == std::vector<Numbers>{{4}});
  REQUIRE(train.items.size() == 4);  // each pair
  CHECK(train.items[0].source == Numbers{4, 5});
  CHECK(train.items[0].target == Numbers{5, 4});
  CHECK(train.items[1].target == Numbers{4});
  CHECK(train.items[2].target == Numbers{5, 4});
  CHECK(train.items[3].source == Numbers{5, 4});
}

TEST_CASE("sequences: a word is in one part, by its hash", "[examples]") {
  for (const bool with_test : {false, true}) {
    const Dataset data = encoded(Corpus(many_pairs(), spelled, with_test));
    const auto train = texts_of(data.train), validation = texts_of(data.validation),
               test = texts_of(data.test);
    CHECK(train.size() + validation.size() + test.size() == 400);
    CHECK(validation.size() > 3);
    CHECK(test.empty() == !with_test);
    for (int i = 0; i < 400; ++i) {
      const std::string word = join("w", i);
      const std::uint64_t share = unicode::fnv1a(word) % 40;
      CHECK(validation.contains(word) == (share == 0));
      CHECK(test.contains(word) == (with_test && share == 1));
      CHECK(train.contains(word) == (share > (with_test ? 1 : 0)));
    }
    for (const Part* part : {&data.train, &data.validation, &data.test}) {
      CHECK(part->items.size() == 3 * part->words.size());
      for (const Word& word : part->words) CHECK(word.references.size() == 3);
    }
  }
}

TEST_CASE("sequences: more words are kept where more are asked for", "[examples]") {
  const Dataset data = encoded(Corpus(many_pairs(), spelled, true, 4));
  const auto validation = texts_of(data.validation), test = texts_of(data.test);
  for (int i = 0; i < 400; ++i) {
    const std::uint64_t share = unicode::fnv1a(join("w", i)) % 4;
    CHECK(validation.contains(join("w", i)) == (share == 0));
    CHECK(test.contains(join("w", i)) == (share == 1));
  }
}

TEST_CASE("sequences: sources of the same tokens are the same word", "[examples]") {
  // Decomposed, or with other spaces: else a word could be learned in one spelling and tested in the other.
  const auto words = [](const std::vector<Pair>& pairs, Kinds kinds) {
    const Dataset data = encoded(Corpus(pairs, kinds, true));
    return data.train.words.size() + data.validation.words.size() + data.test.words.size();
  };
  CHECK(words({{"é", "a", 1}, {"e\xcc\x81", "b", 2}}, {Tokens::letters, Tokens::letters}) == 1);
  CHECK(words({{"a  b", "a", 1}, {" a b", "b", 2}}, {Tokens::spaced, Tokens::letters}) == 1);
  CHECK(words({{"a,b", "a", 1}, {"a , b", "b", 2}}, {Tokens::words, Tokens::letters}) == 1);
  CHECK(words({{"a,b", "a", 1}, {"a , b", "b", 2}}, {Tokens::spaced, Tokens::letters}) == 2);
  CHECK(words({{"a b", "a", 1}, {"ab", "b", 2}}, {Tokens::letters, Tokens::letters}) == 2);
}

TEST_CASE("sequences: given parts keep what is tested out of what is learned", "[examples]") {
  const std::vector<Pair> train{{"a", "1", 1}, {"b", "1", 2}, {"b", "2", 3}, {"c", "1", 4}, {"d", "1", 5}};
  const std::vector<Pair> validation{{"b", "3", 1}, {"c", "2", 2}, {"e", "2", 3}}, test{{"c", "4", 1}};
  const Corpus corpus(train, validation, test, spelled);
  CHECK(corpus.left_out() == 4);  // b twice and c from train, c from validation
  const Dataset data = encoded(corpus);
  CHECK(texts_of(data.train) == std::set<std::string>{"a", "d"});
  CHECK(texts_of(data.validation) == std::set<std::string>{"b", "e"});
  CHECK(texts_of(data.test) == std::set<std::string>{"c"});
  CHECK(data.train.items.size() == 2);
  // Vocabularies are of what is learned.
  CHECK(data.validation.words[0].source == Numbers{Vocabulary::unknown});
  CHECK(data.validation.words[0].references == std::vector<Numbers>{{Vocabulary::unknown}});
}

TEST_CASE("sequences: references that differ stay apart though their tokens are unknown", "[examples]") {
  const Corpus corpus({{"a", "1", 1}}, {{"b", "2", 1}, {"b", "3", 2}, {"b", "2", 3}}, {}, spelled);
  const Word word = encoded(corpus).validation.words.at(0);
  CHECK(word.references.size() == 2);
}

TEST_CASE("sequences: vocabularies can be cut, and read from a checkpoint", "[examples]") {
  const Corpus corpus({{"aab", "1 2", 1}, {"a", "1", 2}}, {}, {}, spelled);
  CHECK(corpus.vocabularies(2).source.size() == 5);
  CHECK(corpus.vocabularies(2).target.size() == 5);
  CHECK(corpus.vocabularies(1, 1).source.size() == 5);
  CHECK(corpus.encode(corpus.vocabularies(2)).train.items[0].source == Numbers{4, 4, 3});
  Vocabularies written = corpus.vocabularies(), read;
  Entries entries;
  StateWriter writer(entries);
  written.state(writer);
  StateReader reader(entries);
  read.state(reader);
  reader.finish();
  CHECK(read == written);
  CHECK_FALSE(read.source == read.target);
}

TEST_CASE("sequences: a test part of one's own takes its words out of the others", "[examples]") {
  Corpus corpus(many_pairs(), spelled, false);
  const Dataset before = encoded(corpus);
  const Word taken = before.train.words.front();
  corpus.test_with({{taken.text, "q", 1}, {"new", "y", 2}});
  const Dataset after = encoded(corpus);
  CHECK(texts_of(after.test) == std::set<std::string>{taken.text, "new"});
  CHECK(after.train.words.size() == before.train.words.size() - 1);
  CHECK_FALSE(texts_of(after.train).contains(taken.text));
  CHECK(after.validation.words.size() == before.validation.words.size());
  CHECK(corpus.left_out() == 3);
}
