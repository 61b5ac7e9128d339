#include <CLI/CLI.hpp>

#include "cli/commands.hpp"
#include "cli/flags.hpp"
#include "cli/lookup.hpp"
#include "cli/print.hpp"

namespace fovea {
void add_evaluate(CLI::App& app, Action& action) {
  struct Arguments {
    std::string checkpoint, split = "test";
    EvaluateRequest request;
    bool json = false;
  };
  const auto given = std::make_shared<Arguments>();
  CLI::App* command = app.add_subcommand("evaluate", "measure a checkpoint");
  command->add_option("checkpoint", given->checkpoint, "a .fovea file")->required();
  command->add_option("--data", given->request.data,
                      "other data than it was trained with, divided as in training; --test, where a task has "
                      "it, measures all of a file");
  command->add_option("--split", given->split, "train, validation or test")->capture_default_str();
  command->add_flag("--json", given->json, "one JSON object: split, items, metrics by name");
  add_later_flags(*command, tasks(), given->request.flags);
  command->callback([given, &action] {
    action = [given] {
      given->request.split = split_of(given->split);
      const Checkpoint from = read_checkpoint(given->checkpoint, Reading::to_predict);
      const Evaluation result = task_named(tasks(), from.label.task).evaluate(from, given->request);
      print(given->json ? result.json() : result.report);
      return 0;
    };
  });
}

}  // namespace fovea
