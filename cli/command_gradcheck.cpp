#include <CLI/CLI.hpp>

#include "cli/commands.hpp"
#include "cli/flags.hpp"
#include "cli/gradcheck_bridge.hpp"
#include "cli/print.hpp"
#include "cli/tasks.hpp"

namespace fovea {

void add_gradcheck(CLI::App& app, Action& action) {
  CLI::App* gradcheck =
      app.add_subcommand("gradcheck", "compare a model's gradients with differences, in double");
  gradcheck->require_subcommand(1);
  for (const TaskEntry& task : tasks()) {
    CLI::App* command = gradcheck->add_subcommand(task.name, task.about);
    const std::shared_ptr<Settings> settings = task.settings();
    const auto flags = std::make_shared<Given>();
    add_flags(*command, settings->options, *flags);
    command->callback([&task, settings, flags, &action] {
      action = [&task, flags] {
        std::string report;
        const bool passed = gradcheck_in_double(task.name, *flags, report);
        print(report);
        return passed ? 0 : 1;
      };
    });
  }
}

}  // namespace fovea
