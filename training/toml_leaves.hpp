#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace fovea {

/// A value of a TOML file that is no table.
struct TomlLeaf {
  std::vector<std::string> keys;  // of the tables around it, and its own
  std::string value;              // a text as it is, anything else as TOML
  bool is_text = false;
  std::size_t line = 0;
};

/// All values of a TOML file in the order of its lines. ConfigError `origin:line:column: …`.
std::vector<TomlLeaf> toml_leaves(std::string_view text, const std::string& origin);

/// Throws that ConfigError.
[[noreturn]] void refuse_toml(const std::string& origin, std::size_t line, std::size_t column,
                              std::string_view what);

}  // namespace fovea
