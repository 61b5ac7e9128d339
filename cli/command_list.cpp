#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "cli/commands.hpp"
#include "cli/print.hpp"
#include "cli/tasks.hpp"
#include "training/attention_systems.hpp"

namespace fovea {
namespace {

// Whether models with these settings can have it.
bool take(Settings& settings, const AttentionSystem& system) {
  Option* option = settings.options.find(system.option);
  if (!option) return false;
  if (system.value.empty()) return true;
  try {
    option->set(system.value, "");
  } catch (const ConfigError&) {
    return false;
  }
  return true;
}

std::string listed() {
  std::string text;
  std::vector<std::unique_ptr<Settings>> settings;
  for (const TaskEntry& task : tasks()) {
    text += fmt::format("{:<12} {}\n", task.name, task.about);
    settings.push_back(task.settings());
  }
  text += "\nattention, by settings of train, and the tasks with models that have it:\n\n";
  for (const AttentionSystem& system : attention_systems()) {
    std::vector<std::string> with, without;
    for (std::size_t i = 0; i < settings.size(); ++i)
      (take(*settings[i], system) ? with : without).push_back(tasks()[i].name);
    const bool is_shorter = without.size() < with.size();
    const std::vector<std::string>& named = is_shorter ? without : with;
    const std::string who = named.empty() ? "all" : is_shorter ? "all but " : "";
    text += fmt::format("{:<28} {} [{}{}]\n", system.flags(), system.about, who, fmt::join(named, ", "));
  }
  return text;
}

}  // namespace

void add_list(CLI::App& app, Action& action) {
  app.add_subcommand("list", "the tasks there are, and every attention")->callback([&action] {
    action = [] {
      print(listed());
      return 0;
    };
  });
}

}  // namespace fovea
