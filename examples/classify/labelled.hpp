#pragma once

#include "examples/sequences/pairs.hpp"

namespace fovea::inline FOVEA_REAL::classify {

/// Whether a text's case is told apart: `keep` leaves it as it stands, `lower` makes all of it lower case.
enum class Case { keep, lower };

/// ConfigError for any other name than `keep`, `lower`.
Case case_of(std::string_view name);

/// A text as models read it, in normal form C.
std::string normalised(std::string_view text, Case letter_case);

/// Reads lines `label TAB text` (lines.hpp has what is accepted beside): the source of a pair is the text,
/// normalised, its target the label. DataError `file:line:column: …` where there is no tab or a second one,
/// or where label or text holds nothing but spaces, and `file: …` where there is no line at all.
std::vector<sequences::Pair> parse_labelled(std::string_view text, const std::string& file, Case letter_case);
/// The same from a file. DataError when it cannot be read.
std::vector<sequences::Pair> read_labelled(const std::filesystem::path& file, Case letter_case);

/// The names of the catalogue of the cities task, each labelled with its country's code, of the countries
/// that have at least `least` places. Alternates are left out: many of them tell how others write a name.
std::vector<sequences::Pair> bundled_places(std::uint64_t least, Case letter_case);

}  // namespace fovea::inline FOVEA_REAL::classify
