#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/real.hpp"

namespace fovea::inline FOVEA_REAL::sequences {

/// What a text is cut into:
///
///     letters   its code points, spaces too
///     words     runs of letters, digits and marks, with apostrophes between two of them; any other
///               character that is no space is a token of its own
///     spaced    what stands between spaces
///     whole     the text is one token, as it stands
///
/// Spaces are those of Unicode. The text is brought to normal form C first.
enum class Tokens { letters, words, spaced, whole };

/// By the name that a setting has: `letters`, `words` or `spaced`; ConfigError for any other.
Tokens tokens_of(std::string_view name);

/// DataError, without a place, when `text` is not UTF-8.
std::vector<std::string> split_tokens(std::string_view text, Tokens kind);

/// The text of tokens: letters with nothing between them, the others with one space. Splitting it again
/// gives the same tokens.
std::string join_tokens(std::span<const std::string> tokens, Tokens kind);

}  // namespace fovea::inline FOVEA_REAL::sequences
