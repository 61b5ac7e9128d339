#include "examples/cities/text.hpp"

#include <algorithm>

#include <utf8proc.h>

#include "core/check.hpp"
#include "examples/unicode.hpp"

namespace fovea::inline FOVEA_REAL::cities {
namespace {

using unicode::is_letter_or_number;
using unicode::is_mark;

constexpr std::size_t longest_ngram = 4;

std::uint32_t fold(std::uint64_t hash) {
  return static_cast<std::uint32_t>(hash >> 32) ^ static_cast<std::uint32_t>(hash);
}

// One code point in UTF-8, in `bytes`.
std::string_view encode(char32_t c, char (&bytes)[4]) {
  const auto size =
      utf8proc_encode_char(static_cast<utf8proc_int32_t>(c), reinterpret_cast<utf8proc_uint8_t*>(bytes));
  return {bytes, static_cast<std::size_t>(size)};
}

std::vector<utf8proc_int32_t> decompose(std::string_view text, int options) {
  const auto* bytes = reinterpret_cast<const utf8proc_uint8_t*>(text.data());
  const auto size = static_cast<utf8proc_ssize_t>(text.size());
  std::vector<utf8proc_int32_t> points(text.size() + 16);
  const auto flags = static_cast<utf8proc_option_t>(UTF8PROC_COMPAT | UTF8PROC_DECOMPOSE | options);
  for (;;) {
    const auto room = static_cast<utf8proc_ssize_t>(points.size());
    const auto count = utf8proc_decompose(bytes, size, points.data(), room, flags);
    check<DataError>(count >= 0, "normalise", utf8proc_errmsg(count));
    points.resize(static_cast<std::size_t>(count));
    if (count <= room) return points;  // else it did not fit, and the room is now what it needs
  }
}

// Marks, modifier letters, and the signs that stand for an apostrophe or a glottal stop.
bool vanishes(char32_t c) {
  constexpr std::u32string_view apostrophes = U"'’‘`´ʻʼʾʿ′ʹ";
  return apostrophes.find(c) != std::u32string_view::npos || is_mark(c) ||
         utf8proc_category(static_cast<utf8proc_int32_t>(c)) == UTF8PROC_CATEGORY_LM;
}

// Letters and numbers joined, anything between them as one space.
class Joiner {
 public:
  void keep(char32_t c) { text_ += c; }
  void gap() {
    if (!text_.empty() && text_.back() != U' ') text_ += U' ';
  }
  Text take() {
    if (!text_.empty() && text_.back() == U' ') text_.pop_back();
    return std::move(text_);
  }

 private:
  Text text_;
};

bool is_ascii(std::string_view text) {
  return std::all_of(text.begin(), text.end(), [](char c) { return static_cast<unsigned char>(c) < 128; });
}

// What `normalise` does, for the nine names in ten that need no tables.
Text normalise_ascii(std::string_view name) {
  Joiner joiner;
  for (const char c : name) {
    const char lower = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
    if ((lower >= 'a' && lower <= 'z') || (lower >= '0' && lower <= '9')) {
      joiner.keep(static_cast<char32_t>(lower));
    } else if (lower != '\'' && lower != '`') {
      joiner.gap();
    }
  }
  return joiner.take();
}

Text framed(const Text& name) { return U'^' + name + U'$'; }

}  // namespace

Text normalise(std::string_view name) {
  if (is_ascii(name)) return normalise_ascii(name);
  std::string unmarked;
  char bytes[4];
  for (const auto point : decompose(name, 0)) {
    const auto c = static_cast<char32_t>(point);
    if (!is_mark(c)) unmarked += encode(c, bytes);
  }
  Joiner joiner;
  for (const auto point : decompose(unmarked, UTF8PROC_CASEFOLD)) {
    const auto c = static_cast<char32_t>(point);
    if (vanishes(c)) continue;
    if (is_letter_or_number(c)) {
      joiner.keep(c);
    } else {
      joiner.gap();
    }
  }
  return joiner.take();
}

std::string utf8(const Text& text) {
  std::string result;
  char bytes[4];
  for (const char32_t c : text) result += encode(c, bytes);
  return result;
}

std::uint32_t bucket(std::string_view bytes) { return fold(unicode::fnv1a(bytes)); }

void add_ngram_rows(const Text& name, std::size_t rows, std::vector<std::int64_t>& ids) {
  const Text text = framed(name);
  char bytes[4];
  for (std::size_t begin = 0; begin < text.size(); ++begin) {
    std::uint64_t hash = unicode::fnv_start;
    for (std::size_t n = 1; n <= longest_ngram && begin + n <= text.size(); ++n) {
      hash = unicode::fnv1a(encode(text[begin + n - 1], bytes), hash);
      const bool lone_frame = n == 1 && (begin == 0 || begin + 1 == text.size());
      if (!lone_frame) ids.push_back(static_cast<std::int64_t>(fold(hash) % rows));
    }
  }
}

std::vector<std::uint64_t> trigrams(const Text& name) {
  const Text text = framed(name);
  std::vector<std::uint64_t> result;
  for (std::size_t i = 0; i + 3 <= text.size(); ++i) {
    result.push_back(std::uint64_t{text[i]} << 42 | std::uint64_t{text[i + 1]} << 21 |
                     std::uint64_t{text[i + 2]});
  }
  std::sort(result.begin(), result.end());
  result.erase(std::unique(result.begin(), result.end()), result.end());
  return result;
}

}  // namespace fovea::inline FOVEA_REAL::cities
