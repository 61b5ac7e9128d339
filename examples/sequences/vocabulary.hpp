#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "core/real.hpp"

namespace fovea::inline FOVEA_REAL::sequences {

/// Tokens as numbers: four that mean something to the model, then those of the data, the most frequent first
/// (ties by their bytes). The default has the four alone.
class Vocabulary {
 public:
  static constexpr std::int64_t padding = 0, begin = 1, end = 2, unknown = 3;
  static constexpr std::size_t special = 4;  // how many these are
  using Counts = std::unordered_map<std::string, std::uint64_t>;

  Vocabulary() = default;
  /// Of tokens with how often they occur. One that occurs fewer than `min_count` times is left out, then all
  /// but the first `max_size` (0: any number; the four do not count).
  explicit Vocabulary(const Counts& counts, std::uint64_t min_count = 1, std::uint64_t max_size = 0);

  /// With the four: ids are 0 … size()-1.
  std::size_t size() const { return special + tokens_.size(); }
  /// `unknown` for a token that is not known. The texts of the four are no tokens: a `<unk>` in the data is
  /// one like any other.
  std::int64_t id(const std::string& token) const;
  std::vector<std::int64_t> encode(std::span<const std::string> tokens) const;
  /// `<pad>`, `<s>`, `</s>`, `<unk>`, or a token of the data. ShapeError for an id outside.
  const std::string& token(std::int64_t id) const;
  /// The tokens up to the first `end`, without `begin` and `padding`.
  std::vector<std::string> decode(std::span<const std::int64_t> ids) const;

  /// For a task's `state`: one entry, `prefix` + "tokens". CheckpointError, with nothing changed, when what
  /// is read is no vocabulary: a token that is empty, no UTF-8, or there twice.
  template <class Archive>
  void state(Archive& archive, const std::string& prefix) {
    std::vector<std::string> tokens;
    if constexpr (!Archive::reading) tokens = tokens_;
    archive(prefix + "tokens", tokens);
    if constexpr (Archive::reading) restore(std::move(tokens), prefix);
  }

  bool operator==(const Vocabulary& other) const { return tokens_ == other.tokens_; }

 private:
  void restore(std::vector<std::string> tokens, const std::string& prefix);
  void index();

  std::vector<std::string> tokens_;  // without the four
  std::unordered_map<std::string, std::int64_t> ids_;
};

}  // namespace fovea::inline FOVEA_REAL::sequences
