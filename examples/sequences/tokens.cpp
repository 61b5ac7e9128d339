#include "examples/sequences/tokens.hpp"

#include "core/check.hpp"
#include "examples/unicode.hpp"

namespace fovea::inline FOVEA_REAL::sequences {
namespace {

using unicode::take_point;

bool is_apostrophe(char32_t c) { return c == U'\'' || c == U'’'; }

// Signs without a look of their own that join or part letters within a word (Persian, the scripts of India).
bool is_joiner(char32_t c) { return c == 0x200c || c == 0x200d; }

bool is_word_part(char32_t c) {
  return unicode::is_letter_or_number(c) || unicode::is_mark(c) || is_joiner(c);
}

// The part of `text` that `rest`, its end, leaves.
std::string_view without(std::string_view text, std::string_view rest) {
  return text.substr(0, text.size() - rest.size());
}

// Takes the word that `text` begins with off it.
std::string_view take_word(std::string_view& text) {
  const std::string_view all = text;
  while (!text.empty()) {
    std::string_view rest = text;
    const char32_t c = take_point(rest);
    if (is_apostrophe(c)) {
      if (rest.empty() || !is_word_part(take_point(rest))) break;
    } else if (!is_word_part(c)) {
      break;
    }
    text = rest;
  }
  return without(all, text);
}

std::string_view take_unspaced(std::string_view& text) {
  const std::string_view all = text;
  for (std::string_view rest = text; !rest.empty() && !unicode::is_space(take_point(rest));) text = rest;
  return without(all, text);
}

}  // namespace

Tokens tokens_of(std::string_view name) {
  if (name == "letters") return Tokens::letters;
  if (name == "words") return Tokens::words;
  if (name == "spaced") return Tokens::spaced;
  throw ConfigError(join("there are no tokens \"", name, "\"; choose letters, words or spaced"));
}

std::vector<std::string> split_tokens(std::string_view text, Tokens kind) {
  std::string composed = unicode::nfc(text);
  if (kind == Tokens::whole) return {std::move(composed)};
  std::vector<std::string> tokens;
  tokens.reserve(kind == Tokens::letters ? composed.size() : composed.size() / 4 + 1);
  for (std::string_view rest = composed; !rest.empty();) {
    std::string_view after = rest;
    const char32_t first = take_point(after);
    if (kind == Tokens::letters) {
      tokens.emplace_back(without(rest, after));
    } else if (!unicode::is_space(first)) {
      after = rest;
      if (kind == Tokens::spaced) {
        tokens.emplace_back(take_unspaced(after));
      } else if (is_word_part(first)) {
        tokens.emplace_back(take_word(after));
      } else {
        take_point(after);
        tokens.emplace_back(without(rest, after));
      }
    }
    rest = after;
  }
  return tokens;
}

std::string join_tokens(std::span<const std::string> tokens, Tokens kind) {
  std::string text;
  for (const std::string& token : tokens) {
    if (kind != Tokens::letters && !text.empty()) text += ' ';
    text += token;
  }
  return text;
}

}  // namespace fovea::inline FOVEA_REAL::sequences
