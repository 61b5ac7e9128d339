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
      result += fmt::format("⟨U+{:04X}⟩", point);
    else
      result += text.substr(0, static_cast<std::size_t>(length));
    text.remove_prefix(static_cast<std::size_t>(length));
  }
  return result;
}

std::string token(std::string_view text) {
  const std::string shown = visible(text);
  if (shown.empty()) return "∅";
  return shown.find_first_not_of(' ') == shown.npos ? fmt::format("{:␣<{}}", "", shown.size()) : shown;
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
