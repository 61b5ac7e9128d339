#include <CLI/CLI.hpp>

#include "cli/commands.hpp"
#include "cli/flags.hpp"
#include "cli/tasks.hpp"

namespace fovea {

void add_train(CLI::App& app, const Call& call, Action& action) {
  CLI::App* train = app.add_subcommand("train", "train a task in a run directory");
  train->require_subcommand(1);
  for (const TaskEntry& task : tasks()) {
    CLI::App* command = train->add_subcommand(task.name, task.about);
    const std::shared_ptr<Settings> settings = task.settings();
    const auto request = std::make_shared<TrainRequest>();
    add_flags(*command, settings->options, request->flags);
    command->add_option("--config", request->config_file, "TOML file whose keys are these options' names");
    command->add_flag("--resume", request->resume, "go on with the run in --out, or the newest of this task");
    command->add_flag("--overwrite", request->overwrite, "replace the run in --out");
    command->add_flag("--print-rates", request->print_rates,
                      "print the learning rate of every step, and train nothing");
    command->callback([&task, settings, request, &call, &action] {
      action = [&task, settings, request, &call] {
        request->program = call.words.front();
        request->command = call.line();
        return task.train(*settings, *request);
      };
    });
  }
}

}  // namespace fovea
