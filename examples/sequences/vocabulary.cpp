#include "examples/sequences/vocabulary.hpp"

#include <algorithm>
#include <array>

#include "core/check.hpp"
#include "examples/unicode.hpp"

namespace fovea::inline FOVEA_REAL::sequences {

Vocabulary::Vocabulary(const Counts& counts, std::uint64_t min_count, std::uint64_t max_size) {
  std::vector<const Counts::value_type*> order;
  for (const auto& entry : counts) {
    if (entry.second >= min_count) order.push_back(&entry);
  }
  std::sort(order.begin(), order.end(), [](const auto* a, const auto* b) {
    return a->second != b->second ? a->second > b->second : a->first < b->first;
  });
  if (max_size && order.size() > max_size) order.resize(max_size);
  for (const auto* entry : order) tokens_.push_back(entry->first);
  index();
}

void Vocabulary::index() {
  ids_.clear();
  for (std::size_t i = 0; i < tokens_.size(); ++i) {
    ids_.emplace(tokens_[i], static_cast<std::int64_t>(special + i));
  }
}

void Vocabulary::restore(std::vector<std::string> tokens, const std::string& prefix) {
  Vocabulary read;
  read.tokens_ = std::move(tokens);
  for (const std::string& token : read.tokens_) {
    check<CheckpointError>(!token.empty(), prefix + "tokens", "one of the tokens is empty");
    check<CheckpointError>(unicode::valid_utf8(token) == token.size(), prefix + "tokens",
                           "one of the tokens is not UTF-8");
  }
  read.index();
  check<CheckpointError>(read.ids_.size() == read.tokens_.size(), prefix + "tokens",
                         "one of the tokens is there twice");
  *this = std::move(read);
}

std::int64_t Vocabulary::id(const std::string& token) const {
  const auto found = ids_.find(token);
  return found == ids_.end() ? unknown : found->second;
}

std::vector<std::int64_t> Vocabulary::encode(std::span<const std::string> tokens) const {
  std::vector<std::int64_t> ids;
  ids.reserve(tokens.size());
  for (const std::string& token : tokens) ids.push_back(id(token));
  return ids;
}

const std::string& Vocabulary::token(std::int64_t id) const {
  static const std::array<std::string, special> texts{"<pad>", "<s>", "</s>", "<unk>"};
  check(id >= 0 && static_cast<std::size_t>(id) < size(), "vocabulary", "id ", id, " is outside 0 … ",
        size() - 1);
  const auto place = static_cast<std::size_t>(id);
  return place < special ? texts[place] : tokens_[place - special];
}

std::vector<std::string> Vocabulary::decode(std::span<const std::int64_t> ids) const {
  std::vector<std::string> tokens;
  for (const std::int64_t id : ids) {
    if (id == end) break;
    if (id != begin && id != padding) tokens.push_back(token(id));
  }
  return tokens;
}

}  // namespace fovea::inline FOVEA_REAL::sequences
