#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "cli/commands.hpp"
#include "cli/print.hpp"
#include "cli/tasks.hpp"

namespace fovea {

void add_list(CLI::App& app, Action& action) {
  app.add_subcommand("list", "the tasks there are")->callback([&action] {
    action = [] {
      std::string text;
      for (const TaskEntry& task : tasks()) text += fmt::format("{:<12} {}\n", task.name, task.about);
      print(text);
      return 0;
    };
  });
}

}  // namespace fovea
