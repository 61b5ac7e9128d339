#include "report/text.hpp"

#include <fmt/format.h>
#include <utf8proc.h>

namespace fovea::report {
namespace {

constexpr std::string_view replacement = "\xEF\xBF\xBD";  // U+FFFD

void append(std::string& text, utf8proc_int32_t point) {
  utf8proc_uint8_t bytes[4];
  const utf8proc_ssize_t length = utf8proc_encode_char(point, bytes);
  text.append(reinterpret_cast<const char*>(bytes), static_cast<std::size_t>(length));
}

// Marks, embeddings, overrides and isolates that have no shape and turn around what stands beside them.
bool turns_text(utf8proc_int32_t point) {
  return point == 0x061C || point == 0x200E || point == 0x200F || (point >= 0x202A && point <= 0x202E) ||
         (point >= 0x2066 && point <= 0x2069);
}

bool is_no_character(utf8proc_int32_t point) {
  return (point >= 0x80 && point < 0xA0) || (point & 0xFFFE) == 0xFFFE ||
         (point >= 0xFDD0 && point <= 0xFDEF);
}

bool is_mark(utf8proc_int32_t point) {
  const utf8proc_category_t kind = utf8proc_category(point);
  return kind == UTF8PROC_CATEGORY_MN || kind == UTF8PROC_CATEGORY_MC || kind == UTF8PROC_CATEGORY_ME;
}

// These change how what stands before them looks.
bool is_variation_selector(utf8proc_int32_t point) {
  return (point >= 0xFE00 && point <= 0xFE0F) || (point >= 0xE0100 && point <= 0xE01EF) ||
         (point >= 0x180B && point <= 0x180F && point != 0x180E);
}

bool is_joiner(utf8proc_int32_t point) { return point == 0x200C || point == 0x200D; }

// What leaves nothing on the page, or only room. (U+0600 to U+08E2 of these are Arabic signs of numbers and
// verses, with a shape.)
bool has_no_shape(utf8proc_int32_t point) {
  switch (utf8proc_category(point)) {
    case UTF8PROC_CATEGORY_ZS:
      return point != ' ';
    case UTF8PROC_CATEGORY_ZL:
    case UTF8PROC_CATEGORY_ZP:
      return true;
    case UTF8PROC_CATEGORY_CF:
      return !(point >= 0x600 && point <= 0x8E2) && point != 0x110BD && point != 0x110CD;
    default:
      break;
  }
  constexpr utf8proc_int32_t grapheme_joiner = 0x34F, empty_braille = 0x2800;
  const bool is_filler = point == 0x115F || point == 0x1160 || point == 0x3164 || point == 0xFFA0;
  return is_filler || point == grapheme_joiner || point == empty_braille || is_variation_selector(point);
}

std::string sign_of(utf8proc_int32_t point) { return fmt::format("⟨U+{:04X}⟩", point); }

}  // namespace

std::string visible(std::string_view text) {
  constexpr utf8proc_int32_t pictures = 0x2400, picture_of_delete = 0x2421, del = 0x7F;
  std::string result;
  while (!text.empty()) {
    utf8proc_int32_t point = 0;
    const utf8proc_ssize_t length = utf8proc_iterate(reinterpret_cast<const utf8proc_uint8_t*>(text.data()),
                                                     static_cast<utf8proc_ssize_t>(text.size()), &point);
    if (length < 1) {
      result += replacement;
      text.remove_prefix(1);
      continue;
    }
    if (point < 0x20)
      append(result, pictures + point);
    else if (point == del)
      append(result, picture_of_delete);
    else if (is_no_character(point))
      result += replacement;
    else if (turns_text(point))
      result += sign_of(point);
    else
      result += text.substr(0, static_cast<std::size_t>(length));
    text.remove_prefix(static_cast<std::size_t>(length));
  }
  return result;
}

std::string token(std::string_view text) {
  const std::string shown = visible(text);
  if (shown.empty()) return "∅";
  if (shown.find_first_not_of(' ') == shown.npos) return fmt::format("{:␣<{}}", "", shown.size());
  std::string result;
  bool has_base = false;  // a character with a shape stands before
  for (std::string_view rest = shown; !rest.empty();) {
    utf8proc_int32_t point = 0;
    const utf8proc_ssize_t length = utf8proc_iterate(reinterpret_cast<const utf8proc_uint8_t*>(rest.data()),
                                                     static_cast<utf8proc_ssize_t>(rest.size()), &point);
    const std::string_view bytes = rest.substr(0, static_cast<std::size_t>(length));
    rest.remove_prefix(bytes.size());
    const bool shapes_another =
        has_base && (is_variation_selector(point) || (is_joiner(point) && !rest.empty()));
    if (has_no_shape(point) && !shapes_another) {
      result += sign_of(point);
      has_base = false;
      continue;
    }
    if (!has_base && is_mark(point)) result += "◌";
    result += bytes;
    has_base = point != ' ';
  }
  return result;
}

std::string escaped(std::string_view text) {
  std::string result;
  for (const char c : visible(text)) {
    switch (c) {
      case '<':
        result += "&lt;";
        break;
      case '>':
        result += "&gt;";
        break;
      case '&':
        result += "&amp;";
        break;
      case '"':
        result += "&quot;";
        break;
      case '\'':
        result += "&#39;";
        break;
      default:
        result += c;
    }
  }
  return result;
}

std::string in_script(std::string json) {
  // Where JSON has this sign it is within a text, which may write it so.
  std::string result;
  for (const char c : json) result += c == '<' ? std::string("\\u003c") : std::string(1, c);
  return result;
}

}  // namespace fovea::report
