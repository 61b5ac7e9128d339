#include "cli/flags.hpp"

#include <map>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "core/check.hpp"
#include "training/text.hpp"

namespace fovea {
namespace {

// The subcommand that was chosen, and the one of that, and so on.
const CLI::App& innermost(const CLI::App& app) {
  const auto chosen = app.get_subcommands();
  return chosen.empty() ? app : innermost(*chosen.front());
}

void add_flag(CLI::App& app, const Option& option, Given& flags) {
  const std::string name = option.name();
  if (option.is_tables()) return;  // only a file can hold them
  const std::string help = option.help() + " (" + option.expected() + ")";
  if (option.is_flag()) {
    const auto set = [&flags, name](std::int64_t count) {
      flags.emplace_back(name, count > 0 ? "true" : "false");
    };
    app.add_flag_function("--" + name + ",!--no-" + name, set, option.help());
    return;
  }
  if (option.is_list()) {
    // Given twice, it means both.
    const auto set_all = [&flags, name](const std::vector<std::string>& texts) {
      flags.emplace_back(name, fmt::format("{}", fmt::join(texts, ",")));
    };
    app.add_option_function<std::vector<std::string>>("--" + name, set_all, help)
        ->type_name("TEXT")
        ->expected(1)
        ->take_all();
    return;
  }
  const auto set = [&flags, name](const std::string& text) { flags.emplace_back(name, text); };
  CLI::Option* added = app.add_option_function<std::string>("--" + name, set, help);
  added->type_name(option.is_text() ? "TEXT" : "NUMBER")->take_last();
  if (!option.value().empty()) added->default_str(option.value());
}
}  // namespace

void add_flags(CLI::App& app, const Options& options, Given& flags) {
  for (const Option& option : options.all()) add_flag(app, option, flags);
}

void add_later_flags(CLI::App& app, std::span<const TaskEntry> tasks, Given& flags) {
  std::map<std::string, std::vector<std::string>> of;  // setting → tasks
  for (const TaskEntry& task : tasks) {
    const std::unique_ptr<Settings> settings = task.settings();
    for (const Option& option : settings->options.all()) {
      if (!option.is_later()) continue;
      std::vector<std::string>& names = of[option.name()];
      if (names.empty()) add_flag(app, option, flags);
      names.push_back(task.name);
    }
  }
  for (const auto& [name, names] : of)
    app.get_option("--" + name)->group(fmt::format("Of {}", fmt::join(names, ", ")))->default_str("");
}

void complain(const CLI::App& app, const std::string& message) {
  const CLI::App& at = innermost(app);
  std::string called = at.get_name();
  for (const CLI::App* above = at.get_parent(); above; above = above->get_parent())
    called = above->get_name() + " " + called;
  const std::string see = fmt::format(" ({} --help tells more)", called);
  const std::vector<std::string> unknown = app.remaining(true);
  std::vector<std::string> names;
  for (const CLI::App* command : at.get_subcommands([](const CLI::App*) { return true; }))
    names.push_back(command->get_name());
  if (unknown.empty() && !names.empty())
    throw ConfigError(fmt::format("{} what? Choose one of {}{}", at.get_name(), fmt::join(names, ", "), see));
  if (unknown.empty()) throw ConfigError(one_line(message) + see);
  const std::string& word = unknown.front();
  if (word.starts_with("-")) {
    names = {"--help"};
    for (const CLI::Option* option : at.get_options()) names.push_back("--" + option->get_single_name());
    const std::string bare = word.substr(0, word.find('='));
    throw ConfigError("unknown option \"" + bare + "\"" + suggestion(bare, names) + see);
  }
  throw ConfigError("\"" + word + "\" is not known here" + suggestion(word, names) + see);
}

}  // namespace fovea
