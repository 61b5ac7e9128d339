#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "core/real.hpp"

// What several examples need to know of text.

namespace fovea::inline FOVEA_REAL::unicode {

/// Bytes from the start that are valid UTF-8; all of them when it is valid.
std::size_t valid_utf8(std::string_view bytes);

/// FNV-1a (64 bits) of the bytes (Fowler, Noll, Vo). Fixed for all time: splits hang on it. Several pieces
/// are hashed one after another by starting from the hash of those before.
inline constexpr std::uint64_t fnv_start = 0xcbf29ce484222325;
std::uint64_t fnv1a(std::string_view bytes, std::uint64_t start = fnv_start);

/// Normal form C: marks joined with their letters where Unicode has the two as one. DataError when `text` is
/// not UTF-8.
std::string nfc(std::string_view text);

/// Upper case, code point by code point (`ß` stays one), then normal form C. DataError when `text` is not
/// UTF-8.
std::string upper(std::string_view text);
/// Lower case in the same way.
std::string lower(std::string_view text);

/// Takes the first code point off `text`, which is valid UTF-8 and not empty.
char32_t take_point(std::string_view& text);

/// Spaces, tabs, ends of lines, and the separators of Unicode (no-break and ideographic spaces).
bool is_space(char32_t c);
/// Letters, digits and other numbers.
bool is_letter_or_number(char32_t c);
/// Marks that stand on letters or beside them.
bool is_mark(char32_t c);
/// True when there is nothing but spaces. `text` is valid UTF-8.
bool is_blank(std::string_view text);

}  // namespace fovea::inline FOVEA_REAL::unicode
