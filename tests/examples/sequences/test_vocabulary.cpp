#include <catch2/catch.hpp>

#include "core/check.hpp"
#include "examples/sequences/vocabulary.hpp"
#include "training/state.hpp"

using namespace fovea;
using namespace fovea::sequences;
using Catch::Contains;

namespace {

using Texts = std::vector<std::string>;
using Numbers = std::vector<std::int64_t>;

const Vocabulary::Counts counts{{"b", 3}, {"a", 3}, {"é", 9}, {"z", 1}, {"y", 2}};

Texts tokens_of(const Vocabulary& vocabulary) {
  Texts tokens;
  for (std::size_t i = Vocabulary::special; i < vocabulary.size(); ++i) {
    tokens.push_back(vocabulary.token(static_cast<std::int64_t>(i)));
  }
  return tokens;
}

}  // namespace

TEST_CASE("sequences: a vocabulary begins with its most frequent tokens", "[examples]") {
  CHECK(tokens_of(Vocabulary(counts)) == Texts{"é", "a", "b", "y", "z"});
  CHECK(tokens_of(Vocabulary(counts, 2)) == Texts{"é", "a", "b", "y"});
  CHECK(tokens_of(Vocabulary(counts, 2, 2)) == Texts{"é", "a"});
  CHECK(tokens_of(Vocabulary(counts, 1, 99)).size() == 5);
  CHECK(Vocabulary(counts, 10).size() == 4);
  CHECK(Vocabulary().size() == 4);
}

TEST_CASE("sequences: tokens become numbers and come back", "[examples]") {
  const Vocabulary vocabulary(counts, 2);
  const Texts tokens{"a", "q", "é", "z", "a"};
  CHECK(vocabulary.encode(tokens) == Numbers{5, 3, 4, 3, 5});
  CHECK(vocabulary.encode(Texts{}).empty());
  CHECK(vocabulary.id("<unk>") == Vocabulary::unknown);
  CHECK(vocabulary.id("</s>") == Vocabulary::unknown);  // no token of the data is ever a special one
  CHECK(vocabulary.token(0) == "<pad>");
  CHECK(vocabulary.token(1) == "<s>");
  CHECK(vocabulary.token(2) == "</s>");
  CHECK(vocabulary.token(3) == "<unk>");
  CHECK(vocabulary.token(7) == "y");
  CHECK_THROWS_AS(vocabulary.token(8), ShapeError);
  CHECK_THROWS_WITH(vocabulary.token(-1), Contains("id -1") && Contains("0 … 7"));
  CHECK(vocabulary.decode(Numbers{1, 5, 3, 0, 4, 2, 6}) == Texts{"a", "<unk>", "é"});
  CHECK(vocabulary.decode(Numbers{}).empty());
}

TEST_CASE("sequences: a token that looks like a special one is a token", "[examples]") {
  const Vocabulary vocabulary({{"<unk>", 2}, {"</s>", 1}});
  CHECK(vocabulary.encode(Texts{"<unk>", "</s>", "x"}) == Numbers{4, 5, 3});
}

TEST_CASE("sequences: a vocabulary goes through a checkpoint", "[examples]") {
  for (Vocabulary written : {Vocabulary(counts), Vocabulary()}) {
    Entries entries;
    StateWriter writer(entries);
    written.state(writer, "source_");
    const Entries unpacked = Entries::unpack(entries.pack());
    StateReader reader(unpacked);
    Vocabulary read({{"other", 1}});
    read.state(reader, "source_");
    reader.finish();
    CHECK(read == written);
    CHECK(read.id("other") == Vocabulary::unknown);
    CHECK(read.id("é") == written.id("é"));
  }
}

TEST_CASE("sequences: what is no vocabulary is not read", "[examples]") {
  const std::vector<std::pair<Texts, std::string>> cases{
      {{"a", ""}, "empty"}, {{"a", "b", "a"}, "twice"}, {{"a", "\xff"}, "UTF-8"}};
  for (const auto& [tokens, words] : cases) {
    Entries entries;
    entries.add("state/source_tokens", tokens);
    StateReader reader(entries);
    Vocabulary vocabulary(counts);
    CHECK_THROWS_WITH(vocabulary.state(reader, "source_"), Contains("[source_tokens]") && Contains(words));
    CHECK_THROWS_AS(vocabulary.state(reader, "source_"), CheckpointError);
    CHECK(vocabulary == Vocabulary(counts));
  }
  Entries nothing;
  StateReader reader(nothing);
  Vocabulary vocabulary(counts);
  CHECK_THROWS_AS(vocabulary.state(reader, "source_"), CheckpointError);
  CHECK(vocabulary == Vocabulary(counts));
}
