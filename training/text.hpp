#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace fovea {

/// `; did you mean "…"?` with the candidate that is nearest to `word` by edits (a swap of neighbours counts
/// as one), or nothing when none is near.
std::string suggestion(std::string_view word, std::span<const std::string> candidates);

/// `text` on one line, without control characters.
std::string one_line(std::string_view text);

/// `a, b, c`
std::string list(std::span<const std::string> words);

/// A field of a CSV line: in quotes where it holds a comma, a quote or a line's end.
std::string csv_field(const std::string& text);

/// A number for people: about `digits` significant digits.
std::string brief(double value, int digits = 4);

/// The same in a text: four significant digits, thousands apart (`26,416`), a dash for what is not finite.
std::string for_people(double value);

/// Rows as lines whose columns are as wide as what stands in them, the first to the left, the others to the
/// right. No row is longer than the first.
std::string aligned(std::span<const std::vector<std::string>> rows);

/// XXH3 (64 bits) as 16 hex digits.
std::string xxh3(std::string_view bytes);

}  // namespace fovea
