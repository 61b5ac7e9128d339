#include "training/toml_leaves.hpp"

#include <algorithm>
#include <sstream>

#include <fmt/format.h>
#include <toml++/toml.h>

#include "core/check.hpp"
#include "training/text.hpp"

namespace fovea {
namespace {

void collect(const toml::table& table, const std::vector<std::string>& around,
             std::vector<TomlLeaf>& leaves) {
  for (const auto& [key, node] : table) {
    std::vector<std::string> keys = around;
    keys.emplace_back(std::string_view(key));
    if (const toml::table* inner = node.as_table()) {
      collect(*inner, keys, leaves);
      continue;
    }
    TomlLeaf leaf{std::move(keys), {}, node.is_string(), node.source().begin.line};
    if (leaf.is_text) {
      leaf.value = node.as_string()->get();
    } else {
      std::ostringstream text;
      node.visit([&](const auto& value) { text << value; });
      const auto* real = node.as_floating_point();  // which it writes with more digits than are needed
      leaf.value = real ? fmt::format("{}", real->get()) : text.str();
    }
    leaves.push_back(std::move(leaf));
  }
}

}  // namespace

std::vector<TomlLeaf> toml_leaves(std::string_view text, const std::string& origin) {
  std::vector<TomlLeaf> leaves;
  try {
    collect(toml::parse(text, origin), {}, leaves);
  } catch (const toml::parse_error& error) {
    refuse_toml(origin, error.source().begin.line, error.source().begin.column, error.description());
  }
  std::stable_sort(leaves.begin(), leaves.end(),
                   [](const TomlLeaf& a, const TomlLeaf& b) { return a.line < b.line; });
  return leaves;
}

void refuse_toml(const std::string& origin, std::size_t line, std::size_t column, std::string_view what) {
  throw ConfigError(fmt::format("{}:{}:{}: {}", origin, line, column, one_line(what)));
}

}  // namespace fovea
