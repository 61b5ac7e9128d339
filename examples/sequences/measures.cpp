#include "examples/sequences/measures.hpp"

#include <algorithm>
#include <numeric>

#include "core/check.hpp"
#include "examples/sequences/vocabulary.hpp"

namespace fovea::inline FOVEA_REAL::sequences {
namespace {

double percent(std::uint64_t part, std::uint64_t whole) {
  return whole ? 100 * static_cast<double>(part) / static_cast<double>(whole) : 0;
}

}  // namespace

std::size_t edit_distance(std::span<const std::int64_t> a, std::span<const std::int64_t> b) {
  // The distances from the first i of `a` to each beginning of `b`; for i = 0 all of it is inserted.
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 0; i < a.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i + 1;
    for (std::size_t j = 0; j < b.size(); ++j) {
      const bool same = a[i] == b[j] && a[i] != Vocabulary::unknown;
      const std::size_t substituted = diagonal + !same;
      diagonal = row[j + 1];
      row[j + 1] = std::min({substituted, row[j] + 1, diagonal + 1});
    }
  }
  return row.back();
}

void ErrorRates::add(std::span<const std::int64_t> hypothesis,
                     std::span<const std::vector<std::int64_t>> references) {
  check<Error>(!references.empty(), "error rates", "a word has no reference");
  std::size_t least = 0, length = 0;
  for (const auto& reference : references) {
    const std::size_t distance = edit_distance(hypothesis, reference);
    const bool first = &reference == &references.front();
    if (!first && (distance > least || (distance == least && reference.size() <= length))) continue;
    least = distance;
    length = reference.size();
  }
  ++words;
  wrong += least > 0;
  edits += least;
  tokens += length;
}

double ErrorRates::word_rate() const { return percent(wrong, words); }
double ErrorRates::token_rate() const { return percent(edits, tokens); }

}  // namespace fovea::inline FOVEA_REAL::sequences
