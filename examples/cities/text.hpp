#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/real.hpp"

// Names as letters: folding, hashing, n-grams.

namespace fovea::inline FOVEA_REAL::cities {

/// A normalised name, one element for each code point.
using Text = std::u32string;

/// Folds away what people do not type: NFKD without marks, case-folded, NFKD again; modifier letters and
/// apostrophes vanish, letters and numbers stay, any other run becomes one space; trimmed. `"Thượng Hải"` and
/// `"thuong-hai"` both give `thuong hai`. Empty when there is neither letter nor number. `name` is valid
/// UTF-8.
Text normalise(std::string_view name);

/// `text` in UTF-8.
std::string utf8(const Text& text);

/// FNV-1a (64 bits) of the bytes, folded to 32: (h >> 32) xor (h & 0xffffffff). Fixed for all time: splits
/// and rows of the n-gram table hang on it.
std::uint32_t bucket(std::string_view bytes);

/// Appends the table rows of the n-grams, n = 1 … 4, of `^name$`, without the lone `^` and `$`: the bucket of
/// each n-gram's UTF-8 modulo `rows`.
void add_ngram_rows(const Text& name, std::size_t rows, std::vector<std::int64_t>& ids);

/// The set of trigrams of `^name$`, each as one number (21 bits for a code point), ascending.
std::vector<std::uint64_t> trigrams(const Text& name);

}  // namespace fovea::inline FOVEA_REAL::cities
