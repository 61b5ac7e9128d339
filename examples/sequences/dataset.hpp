#pragma once

#include "examples/sequences/pairs.hpp"
#include "examples/sequences/tokens.hpp"
#include "examples/sequences/vocabulary.hpp"

namespace fovea::inline FOVEA_REAL::sequences {

/// How the two sides of a pair are cut into tokens.
struct Kinds {
  Tokens source = Tokens::letters, target = Tokens::letters;
};

/// The vocabularies of the two sides.
struct Vocabularies {
  Vocabulary source, target;

  template <class Archive>
  void state(Archive& archive) {
    source.state(archive, "source_");
    target.state(archive, "target_");
  }
  bool operator==(const Vocabularies&) const = default;
};

/// One pair as numbers, without begin and end: what is learned from. Neither side is empty.
struct Item {
  std::vector<std::int64_t> source, target;
};

/// A source with every target that the data give for it, each once: what is measured. There is at least one.
struct Word {
  std::string text;  // of the source, its tokens joined
  std::vector<std::int64_t> source;
  std::vector<std::vector<std::int64_t>> references;
};

/// A part of the data, in the order of the data.
struct Part {
  std::vector<Item> items;  // one for each pair: a word with two references is learned twice
  std::vector<Word> words;
};
struct Dataset {
  Part train, validation, test;
};

/// The share of words that are kept from training by their hash: one in so many for each part.
inline constexpr std::uint64_t shares = 40;

/// Pairs as texts, divided into parts. Pairs whose sources have the same tokens are one word with several
/// references, and a word is never in two parts.
class Corpus {
 public:
  Corpus() = default;
  /// Divided by hashes, so that a word keeps its part when others come or go: with h the FNV-1a (64 bits) of
  /// the source's tokens joined (for letters: of the source itself), h % of == 0 is validation, h % of == 1
  /// is test when that is asked for, the rest is train.
  Corpus(const std::vector<Pair>& pairs, Kinds kinds, bool with_test, std::uint64_t of = shares);
  /// Divided by whoever made them. Words of the test part are left out of the two others, words of the
  /// validation part out of train; `left_out()` counts the pairs.
  Corpus(const std::vector<Pair>& train, const std::vector<Pair>& validation, const std::vector<Pair>& test,
         Kinds kinds);

  /// Takes these as the test part. Their words are left out of the other parts.
  void test_with(const std::vector<Pair>& pairs);

  const Kinds& kinds() const { return kinds_; }
  std::size_t left_out() const { return left_out_; }

  /// Of the tokens of the training part.
  Vocabularies vocabularies(std::uint64_t min_count = 1, std::uint64_t max_size = 0) const;
  /// As numbers. Called again with the vocabularies of a checkpoint, it gives what that model reads.
  Dataset encode(const Vocabularies& vocabularies) const;

 private:
  /// The texts of a word: tokens joined.
  struct Texts {
    std::string source;
    std::vector<std::string> targets;  // in order of the pairs; one that is given twice stands there twice
  };
  using Words = std::vector<Texts>;
  void keep_apart();
  Words group(const std::vector<Pair>& pairs) const;
  Part encode(const Words& words, const Vocabularies& vocabularies) const;

  Kinds kinds_;
  Words train_, validation_, test_;
  std::size_t left_out_ = 0;
};

}  // namespace fovea::inline FOVEA_REAL::sequences
