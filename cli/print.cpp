#include "cli/print.hpp"

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <cstdio>
#include <cstring>

#include "core/check.hpp"

namespace fovea {

void print(const std::string& text) {
  const bool whole = std::fwrite(text.data(), 1, text.size(), stdout) == text.size();
  const bool ended = (!text.empty() && text.back() == '\n') || std::fputc('\n', stdout) != EOF;
  if (!whole || !ended || std::fflush(stdout) != 0) {
    throw Error(std::string("cannot write the result: ") + std::strerror(errno));
  }
}

std::string shell_quoted(const std::string& text) {
  const bool plain = std::all_of(text.begin(), text.end(), [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) ||
           std::string_view("/._-+=:,").find(c) != std::string_view::npos;
  });
  if (plain && !text.empty()) return text;
  std::string result = "'";
  for (const char c : text) result += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return result + "'";
}

}  // namespace fovea
