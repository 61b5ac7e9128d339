#include <cerrno>
#include <cstring>
#include <fstream>
#include <iterator>

#include <fmt/format.h>
#include <toml++/toml.h>

#include "core/check.hpp"
#include "training/options.hpp"
#include "training/text.hpp"

namespace fovea {
namespace {

// A TOML value as it would stand after a flag.
std::string flag_text(const toml::node& node) {
  if (const auto* text = node.as_string()) return text->get();
  if (const auto* whole = node.as_integer()) return fmt::format("{}", whole->get());
  if (const auto* number = node.as_floating_point()) return fmt::format("{}", number->get());
  if (const auto* flag = node.as_boolean()) return flag->get() ? "true" : "false";
  return {};
}

std::string toml_text(std::string_view text) {
  std::string result = "\"";
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') {
      result += '\\';
      result += c;
    } else if (byte < 32 || byte == 127) {
      result += fmt::format("\\u{:04x}", byte);
    } else {
      result += c;
    }
  }
  return result + '"';
}

}  // namespace

void Options::read_toml(std::string_view text, const std::string& origin) {
  toml::table table;
  try {
    table = toml::parse(text, origin);
  } catch (const toml::parse_error& error) {
    const auto at = error.source().begin;
    throw ConfigError(fmt::format("{}:{}:{}: {}", origin, at.line, at.column, one_line(error.description())));
  }
  for (const auto& [key, node] : table) {
    const std::string_view name = key.str();
    const std::string where = fmt::format("{}:{}", origin, key.source().begin.line);
    Option* option = find(name);
    if (!option) {
      throw ConfigError(fmt::format("{}: unknown key \"{}\"{}", where, name, suggestion(name, names())));
    }
    if (node.is_string() != option->is_text()) {
      throw ConfigError(fmt::format("{}: {}: expected {}, got {}", where, name, option->expected(),
                                    node.is_string() ? "a text" : "something else"));
    }
    option->set(flag_text(node), fmt::format("{}: {}", where, name));
  }
}

void Options::read_toml_file(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::string text;
  if (file) text.assign(std::istreambuf_iterator<char>(file), {});
  if (!file || file.bad() || std::filesystem::is_directory(path)) {
    throw ConfigError(fmt::format("cannot read the config file {}: {}", path.string(), std::strerror(errno)));
  }
  read_toml(text, path.string());
}

std::string Options::toml() const {
  std::string text;
  for (const Option& option : options_) {
    if (!option.saved()) continue;
    text += fmt::format("{} = {}\n", option.name(),
                        option.is_text() ? toml_text(option.value()) : option.value());
  }
  return text;
}

}  // namespace fovea
