#include "examples/sequences/dataset.hpp"

#include <algorithm>
#include <unordered_map>
#include <unordered_set>

#include "examples/unicode.hpp"

namespace fovea::inline FOVEA_REAL::sequences {
namespace {

// The one way to write a text's tokens.
std::string canonical(const std::string& text, Tokens kind) {
  if (kind == Tokens::letters || kind == Tokens::whole)
    return unicode::nfc(text);  // what the next line comes to, and quicker
  return join_tokens(split_tokens(text, kind), kind);
}

void count(Vocabulary::Counts& counts, const std::string& text, Tokens kind) {
  for (std::string& token : split_tokens(text, kind)) ++counts[std::move(token)];
}

}  // namespace

Corpus::Corpus(const std::vector<Pair>& pairs, Kinds kinds, bool with_test, std::uint64_t of)
    : kinds_(kinds) {
  for (Texts& word : group(pairs)) {
    const std::uint64_t share = unicode::fnv1a(word.source) % of;
    Words& part = share == 0 ? validation_ : share == 1 && with_test ? test_ : train_;
    part.push_back(std::move(word));
  }
}

Corpus::Corpus(const std::vector<Pair>& train, const std::vector<Pair>& validation,
               const std::vector<Pair>& test, Kinds kinds)
    : kinds_(kinds), train_(group(train)), validation_(group(validation)), test_(group(test)) {
  keep_apart();
}

void Corpus::test_with(const std::vector<Pair>& pairs) {
  test_ = group(pairs);
  keep_apart();
}

void Corpus::keep_apart() {
  std::unordered_set<std::string> kept;
  const auto keep = [&](const Words& part) {
    for (const Texts& word : part) kept.insert(word.source);
  };
  const auto leave_out = [&](Words& part) {
    std::erase_if(part, [&](const Texts& word) {
      if (!kept.contains(word.source)) return false;
      left_out_ += word.targets.size();
      return true;
    });
  };
  keep(test_);
  leave_out(validation_);
  keep(validation_);
  leave_out(train_);
}

Corpus::Words Corpus::group(const std::vector<Pair>& pairs) const {
  Words words;
  std::unordered_map<std::string, std::size_t> places;
  places.reserve(pairs.size());
  for (const Pair& pair : pairs) {
    std::string source = canonical(pair.source, kinds_.source);
    const auto [found, is_new] = places.emplace(source, words.size());
    if (is_new) words.push_back({std::move(source), {}});
    words[found->second].targets.push_back(canonical(pair.target, kinds_.target));
  }
  return words;
}

Vocabularies Corpus::vocabularies(std::uint64_t min_count, std::uint64_t max_size) const {
  Vocabulary::Counts source, target;
  for (const Texts& word : train_) {
    for (const std::string& text : word.targets) {
      count(source, word.source, kinds_.source);  // once for each pair, as it is learned
      count(target, text, kinds_.target);
    }
  }
  return {Vocabulary(source, min_count, max_size), Vocabulary(target, min_count, max_size)};
}

Part Corpus::encode(const Words& words, const Vocabularies& vocabularies) const {
  Part part;
  part.words.reserve(words.size());
  for (const Texts& texts : words) {
    Word word{texts.source, vocabularies.source.encode(split_tokens(texts.source, kinds_.source)), {}};
    std::unordered_set<std::string> seen;
    for (const std::string& text : texts.targets) {
      auto target = vocabularies.target.encode(split_tokens(text, kinds_.target));
      part.items.push_back({word.source, target});
      if (seen.insert(text).second) word.references.push_back(std::move(target));
    }
    part.words.push_back(std::move(word));
  }
  return part;
}

Dataset Corpus::encode(const Vocabularies& vocabularies) const {
  return {encode(train_, vocabularies), encode(validation_, vocabularies), encode(test_, vocabularies)};
}

}  // namespace fovea::inline FOVEA_REAL::sequences
