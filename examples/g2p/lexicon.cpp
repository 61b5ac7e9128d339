#include "examples/g2p/lexicon.hpp"

#include <array>
#include <unordered_set>

#include "examples/bundled.hpp"
#include "examples/lines.hpp"
#include "examples/sequences/tokens.hpp"
#include "examples/unicode.hpp"
#include "training/file.hpp"

namespace fovea::inline FOVEA_REAL::sequences {
namespace {

constexpr std::array<std::string_view, 15> vowels{"AA", "AE", "AH", "AO", "AW", "AY", "EH", "ER",
                                                  "EY", "IH", "IY", "OW", "OY", "UH", "UW"};

bool is_digit(char c) { return c >= '0' && c <= '9'; }

// ABEND of ABEND(1).
std::string_view without_variant(std::string_view word) {
  if (!word.ends_with(')')) return word;
  std::string_view rest = word.substr(0, word.size() - 1);
  while (!rest.empty() && is_digit(rest.back())) rest.remove_suffix(1);
  const bool is_variant = rest.ends_with('(') && rest.size() > 1 && rest.size() + 1 < word.size();
  return is_variant ? rest.substr(0, rest.size() - 1) : word;
}

// AH of AH0; other phones may end with digits that mean something else.
void take_stress(std::string& phone) {
  if (phone.size() != 3 || phone[2] < '0' || phone[2] > '2') return;
  const std::string_view vowel = std::string_view(phone).substr(0, 2);
  for (const std::string_view known : vowels) {
    if (vowel == known) return phone.resize(2);
  }
}

/// The two sides of a line, as they stand there.
struct Sides {
  std::string_view word, phones;
};

Sides sides_of(const Lines& lines) {
  const std::string_view line = lines.line();
  std::size_t gap = line.find('\t');
  std::string_view phones = line.substr(gap == std::string_view::npos ? line.size() : gap + 1);
  if (gap == std::string_view::npos) {
    gap = line.find(' ');
    if (gap == std::string_view::npos) {
      lines.fail(line.substr(line.size()),
                 "the line ends behind the word; write the word, a tab, its phones with spaces between");
    }
    phones = line.substr(gap);
    phones = phones.substr(0, phones.find(" # "));
  }
  const std::size_t second = phones.find('\t');
  if (second != std::string_view::npos) {
    lines.fail(phones.substr(second), "this is the second tab of the line; write spaces between phones");
  }
  return {line.substr(0, gap), phones};
}

}  // namespace

std::string lexicon_word(std::string_view text) {
  return unicode::upper(join_tokens(split_tokens(text, Tokens::spaced), Tokens::spaced));
}

std::vector<Pair> parse_lexicon(std::string_view text, const std::string& file, bool stress) {
  std::vector<Pair> pairs;
  std::unordered_set<std::string> seen;  // word and phones
  Lines lines(text, file);
  while (lines.next()) {
    if (lines.line().starts_with(";;;")) continue;
    const Sides sides = sides_of(lines);
    std::string word = lexicon_word(without_variant(sides.word));
    if (word.empty()) lines.fail(sides.word, "there is no word before the phones; write one");
    std::vector<std::string> phones = split_tokens(sides.phones, Tokens::spaced);
    if (phones.empty()) {
      lines.fail(sides.phones, "the word \"", word, "\" has no phones; write them or take the line out");
    }
    if (!stress) {
      for (std::string& phone : phones) take_stress(phone);
    }
    std::string target = join_tokens(phones, Tokens::spaced);
    if (seen.insert(word + '\t' + target).second) {
      pairs.push_back({std::move(word), std::move(target), lines.number()});
    }
  }
  if (pairs.empty()) {
    throw DataError(join(file, ": there is no word; write lines of a word, a tab and its phones"));
  }
  return pairs;
}

std::vector<Pair> read_lexicon(const std::filesystem::path& file, bool stress) {
  std::string text;
  try {
    text = read_file(file);
  } catch (const Error& error) {
    throw DataError(join(error.what(),
                         "; name a lexicon with --data FILE, or the folder of examples with the "
                         "environment variable FOVEA_EXAMPLES"));
  }
  return parse_lexicon(text, file.string(), stress);
}

std::filesystem::path bundled_lexicon() { return bundled("g2p/data/cmudict.tsv"); }

}  // namespace fovea::inline FOVEA_REAL::sequences
