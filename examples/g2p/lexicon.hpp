#pragma once

#include "examples/sequences/pairs.hpp"

namespace fovea::inline FOVEA_REAL::sequences {

/// Reads a pronouncing dictionary: the source of a pair is a word in upper case, the target its phones with
/// one space between them. A line is one of
///
///     ;;; a comment
///     ABEND  AE1 B EH0 N D            as in CMUdict: spaces behind the word, and perhaps ` # a comment`
///     ABEND(1)  AH0 B EH1 N D         another pronunciation of ABEND
///     ABEND <TAB> AE1 B EH0 N D       the same line twice or more for more pronunciations
///
/// (lines.hpp has what is accepted beside). The digits 0 … 2 behind ARPABET's vowels mark the stress, and
/// are taken off unless `stress` is asked for. Pronunciations of a word that are then equal are one.
/// DataError `file:line:column: …` where word or phones are missing, or there is a second tab.
std::vector<Pair> parse_lexicon(std::string_view text, const std::string& file, bool stress);
/// The same from a file. DataError, with what to do, when it cannot be read.
std::vector<Pair> read_lexicon(const std::filesystem::path& file, bool stress);

/// How a word is spelled in a lexicon: in upper case, in normal form C, without spaces around it and with one
/// where there are several within.
std::string lexicon_word(std::string_view text);

/// The file that comes with Fovea; see examples/bundled.hpp.
std::filesystem::path bundled_lexicon();

}  // namespace fovea::inline FOVEA_REAL::sequences
