#pragma once

#include <charconv>
#include <cstdint>
#include <optional>
#include <string_view>

namespace fovea {

/// The whole number that all of a text is; nothing for any other text, or where 64 bits do not hold it.
inline std::optional<std::uint64_t> number_in(std::string_view text) {
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return {};
  return value;
}

/// The same of what stands behind `kind`: the 3 of `top-k:3`. Nothing where the text begins otherwise.
inline std::optional<std::uint64_t> number_behind(std::string_view kind, std::string_view text) {
  return text.starts_with(kind) ? number_in(text.substr(kind.size())) : std::nullopt;
}

}  // namespace fovea
