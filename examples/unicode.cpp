#include "examples/unicode.hpp"

#include <algorithm>
#include <cstdlib>

#include <utf8proc.h>

#include "core/check.hpp"

namespace fovea::inline FOVEA_REAL::unicode {
namespace {

bool is_ascii(std::string_view text) {
  return std::all_of(text.begin(), text.end(), [](char c) { return static_cast<unsigned char>(c) < 128; });
}

const utf8proc_uint8_t* bytes_of(std::string_view text) {
  return reinterpret_cast<const utf8proc_uint8_t*>(text.data());
}

void append(std::string& text, char32_t c) {
  utf8proc_uint8_t bytes[4];
  const auto size = utf8proc_encode_char(static_cast<utf8proc_int32_t>(c), bytes);
  text.append(reinterpret_cast<const char*>(bytes), static_cast<std::size_t>(size));
}

template <class Map>
std::string mapped(std::string_view text, const Map& map) {
  const std::string composed = nfc(text);
  std::string result;
  result.reserve(composed.size());
  for (std::string_view rest = composed; !rest.empty();)
    append(result, static_cast<char32_t>(map(static_cast<utf8proc_int32_t>(take_point(rest)))));
  return is_ascii(result) ? result : nfc(result);
}

utf8proc_category_t category(char32_t c) { return utf8proc_category(static_cast<utf8proc_int32_t>(c)); }

}  // namespace

std::size_t valid_utf8(std::string_view bytes) {
  std::size_t at = 0;
  while (at < bytes.size()) {
    if (static_cast<unsigned char>(bytes[at]) < 128) {
      ++at;
      continue;
    }
    utf8proc_int32_t point = 0;
    const auto size = utf8proc_iterate(bytes_of(bytes.substr(at)),
                                       static_cast<utf8proc_ssize_t>(bytes.size() - at), &point);
    if (size <= 0) break;
    at += static_cast<std::size_t>(size);
  }
  return at;
}

std::uint64_t fnv1a(std::string_view bytes, std::uint64_t start) {
  std::uint64_t hash = start;
  for (const char c : bytes) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3;
  return hash;
}

std::string nfc(std::string_view text) {
  if (is_ascii(text)) return std::string(text);
  utf8proc_uint8_t* composed = nullptr;
  const auto size = utf8proc_map(bytes_of(text), static_cast<utf8proc_ssize_t>(text.size()), &composed,
                                 static_cast<utf8proc_option_t>(UTF8PROC_STABLE | UTF8PROC_COMPOSE));
  check<DataError>(size >= 0, "text", "it is not UTF-8: ", utf8proc_errmsg(size));
  std::string result(reinterpret_cast<const char*>(composed), static_cast<std::size_t>(size));
  std::free(composed);
  return result;
}

std::string upper(std::string_view text) {
  return mapped(text, [](utf8proc_int32_t c) { return utf8proc_toupper(c); });
}

std::string lower(std::string_view text) {
  return mapped(text, [](utf8proc_int32_t c) { return utf8proc_tolower(c); });
}

char32_t take_point(std::string_view& text) {
  if (!text.empty() && static_cast<unsigned char>(text.front()) < 128) {
    const char c = text.front();
    text.remove_prefix(1);
    return static_cast<char32_t>(c);
  }
  utf8proc_int32_t point = 0;
  const auto size = utf8proc_iterate(bytes_of(text), static_cast<utf8proc_ssize_t>(text.size()), &point);
  check<DataError>(size > 0, "text", "it is not UTF-8: ", utf8proc_errmsg(size));
  text.remove_prefix(static_cast<std::size_t>(size));
  return static_cast<char32_t>(point);
}

bool is_space(char32_t c) {
  if (c < 128) return c == U' ' || (c >= U'\t' && c <= U'\r');
  const auto kind = category(c);
  return c == 0x85 || kind == UTF8PROC_CATEGORY_ZS || kind == UTF8PROC_CATEGORY_ZL ||
         kind == UTF8PROC_CATEGORY_ZP;
}

bool is_letter_or_number(char32_t c) {
  const auto kind = category(c);
  return (kind >= UTF8PROC_CATEGORY_LU && kind <= UTF8PROC_CATEGORY_LO) ||
         (kind >= UTF8PROC_CATEGORY_ND && kind <= UTF8PROC_CATEGORY_NO);
}

bool is_mark(char32_t c) {
  const auto kind = category(c);
  return kind == UTF8PROC_CATEGORY_MN || kind == UTF8PROC_CATEGORY_MC || kind == UTF8PROC_CATEGORY_ME;
}

bool is_blank(std::string_view text) {
  while (!text.empty()) {
    if (!is_space(take_point(text))) return false;
  }
  return true;
}

}  // namespace fovea::inline FOVEA_REAL::unicode
