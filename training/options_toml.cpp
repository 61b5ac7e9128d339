#include <cerrno>
#include <cstring>
#include <fstream>
#include <iterator>

#include <fmt/format.h>
#include <toml++/toml.h>

#include "core/check.hpp"
#include "training/options.hpp"
#include "training/text.hpp"
#include "training/toml_leaves.hpp"

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

// The settings of one table of a group, and their reader and writer.
struct GroupFields {
  ParamGroup group;
  double decay = 0;
  Options options;
  // One that is not set is not there: the optimiser's holds then.
  GroupFields(const ParamGroup& from, bool has_decay) : group(from), decay(from.decay.value_or(0)) {
    options.add("path", group.glob, "glob of paths");
    options.add("rate", group.rate, "times the learning rate").at_least(0);
    if (has_decay) options.add("decay", decay, "weight decay").at_least(0);
  }
};

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

std::string where_of(const toml::node& node, const std::string& origin) {
  return fmt::format("{}:{}", origin, node.source().begin.line);
}

[[noreturn]] void refuse(const toml::node& node, const std::string& origin, const Option& option) {
  throw ConfigError(fmt::format("{}: {}: expected {}, got {}", where_of(node, origin), option.name(),
                                option.is_list() ? "an array of texts" : option.expected(),
                                node.is_string() ? "a text" : "something else"));
}

std::vector<std::string> texts_of(const toml::node& node, const std::string& origin, const Option& option) {
  std::vector<std::string> texts;
  if (!node.is_array()) refuse(node, origin, option);
  for (const toml::node& element : *node.as_array()) {
    if (!element.is_string() || element.as_string()->get().empty()) refuse(element, origin, option);
    texts.push_back(element.as_string()->get());
  }
  return texts;
}

void read_table(const toml::table& table, Options& options, const std::string& origin);

std::vector<ParamGroup> groups_of(const toml::node& node, const std::string& origin, const Option& option) {
  std::vector<ParamGroup> groups;
  if (!node.is_array()) refuse(node, origin, option);
  for (const toml::node& element : *node.as_array()) {
    if (!element.is_table()) refuse(element, origin, option);
    const toml::table& table = *element.as_table();
    const bool has_decay = table.contains("decay");
    GroupFields fields({}, has_decay);
    read_table(table, fields.options, origin);
    if (fields.group.glob.empty())
      throw ConfigError(where_of(element, origin) + ": " + option.name() + ": path is missing");
    if (has_decay) fields.group.decay = fields.decay;
    groups.push_back(std::move(fields.group));
  }
  return groups;
}

void read_table(const toml::table& table, Options& options, const std::string& origin) {
  for (const auto& [key, node] : table) {
    const std::string_view name = key.str();
    const std::string where = fmt::format("{}:{}", origin, key.source().begin.line);
    Option* option = options.find(name);
    if (!option) {
      throw ConfigError(
          fmt::format("{}: unknown key \"{}\"{}", where, name, suggestion(name, options.names())));
    }
    if (auto* const* texts = std::get_if<Option::Texts*>(&option->target())) {
      **texts = texts_of(node, origin, *option);
    } else if (auto* const* groups = std::get_if<Option::Groups*>(&option->target())) {
      **groups = groups_of(node, origin, *option);
    } else {
      if (node.is_string() != option->is_text()) refuse(node, origin, *option);
      option->set(flag_text(node), fmt::format("{}: {}", where, name));
    }
  }
}

}  // namespace

void Options::read_toml(std::string_view text, const std::string& origin) {
  toml::table table;
  try {
    table = toml::parse(text, origin);
  } catch (const toml::parse_error& error) {
    const auto at = error.source().begin;
    refuse_toml(origin, at.line, at.column, error.description());
  }
  read_table(table, *this, origin);
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
  std::string text, tables;  // what follows a table's head belongs to it, so tables come last
  for (const Option& option : options_) {
    if (!option.saved()) continue;
    if (const auto* const* groups = std::get_if<Option::Groups*>(&option.target_)) {
      for (const ParamGroup& group : **groups)
        tables += fmt::format("\n[[{}]]\n{}", option.name(),
                              GroupFields(group, group.decay.has_value()).options.toml());
      continue;
    }
    std::string value = option.is_text() ? toml_text(option.value()) : option.value();
    if (const auto* const* texts = std::get_if<Option::Texts*>(&option.target_)) {
      value.clear();
      for (const std::string& one : **texts) value += (value.empty() ? "" : ", ") + toml_text(one);
      value = "[" + value + "]";
    }
    text += fmt::format("{} = {}\n", option.name(), value);
  }
  return text + tables;
}

}  // namespace fovea
