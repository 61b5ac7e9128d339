#include "examples/classify/grams.hpp"

#include "examples/sequences/vocabulary.hpp"

namespace fovea::inline FOVEA_REAL::classify {

using sequences::Vocabulary;

namespace {

constexpr std::uint64_t most_ids = 1u << 31, longest_there_is = 64;

std::u32string gram_at(std::span<const std::int64_t> text, std::size_t place, std::size_t n) {
  std::u32string gram;
  for (std::size_t i = 0; i < n; ++i) {
    const std::size_t at = place + i, before = n / 2;
    const std::int64_t id = at < before                 ? Vocabulary::begin
                            : at - before < text.size() ? text[at - before]
                                                        : Vocabulary::end;
    gram += static_cast<char32_t>(id);
  }
  return gram;
}

}  // namespace

Grams::Grams(std::span<const Row> texts, std::size_t longest, std::uint64_t min_count) : longest_(longest) {
  std::unordered_map<std::u32string, std::uint64_t> counts;
  for (const Row& text : texts)
    for (std::size_t place = 0; place < text.size(); ++place)
      for (std::size_t n = 2; n <= longest; ++n) {
        std::u32string gram = gram_at(text, place, n);
        if (++counts[gram] == min_count)
          numbers_.emplace(std::move(gram), static_cast<std::int64_t>(numbers_.size()));
      }
}

void Grams::add_around(std::span<const std::int64_t> text, std::size_t place,
                       std::vector<std::int64_t>& to) const {
  for (std::size_t n = 2; n <= longest_; ++n) {
    const auto found = numbers_.find(gram_at(text, place, n));
    if (found != numbers_.end()) to.push_back(found->second);
  }
}

std::vector<std::uint64_t> Grams::flattened() const {
  std::vector<const std::u32string*> order(numbers_.size());
  for (const auto& [gram, number] : numbers_) order[static_cast<std::size_t>(number)] = &gram;
  std::vector<std::uint64_t> flat;
  for (const std::u32string* gram : order) {
    flat.push_back(gram->size());
    flat.insert(flat.end(), gram->begin(), gram->end());
  }
  return flat;
}

void Grams::restore(std::uint64_t longest, std::span<const std::uint64_t> flat) {
  Grams read;
  check<CheckpointError>(longest >= 1 && longest <= longest_there_is, "grams", "longest_gram is ", longest);
  read.longest_ = longest;
  while (!flat.empty()) {
    const std::uint64_t n = flat.front();
    check<CheckpointError>(n >= 2 && n <= longest && n < flat.size(), "grams", "an n-gram has the length ", n,
                           " where ", flat.size() - 1, " numbers follow");
    std::u32string gram;
    for (const std::uint64_t id : flat.subspan(1, n)) {
      check<CheckpointError>(id < most_ids, "grams", "an n-gram has the token ", id);
      gram += static_cast<char32_t>(id);
    }
    const auto number = static_cast<std::int64_t>(read.numbers_.size());
    check<CheckpointError>(read.numbers_.emplace(std::move(gram), number).second, "grams", "n-gram ", number,
                           " is there twice");
    flat = flat.subspan(n + 1);
  }
  *this = std::move(read);
}

}  // namespace fovea::inline FOVEA_REAL::classify
