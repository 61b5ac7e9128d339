#include <CLI/CLI.hpp>

#include "cli/commands.hpp"
#include "cli/lookup.hpp"
#include "cli/print.hpp"

namespace fovea {

void add_evaluate(CLI::App& app, Action& action) {
  struct Arguments {
    std::string checkpoint, data, split = "test";
    bool json = false;
  };
  const auto given = std::make_shared<Arguments>();
  CLI::App* command = app.add_subcommand("evaluate", "measure a checkpoint");
  command->add_option("checkpoint", given->checkpoint, "a .fovea file")->required();
  command->add_option("--data", given->data, "other data than it was trained with");
  command->add_option("--split", given->split, "train, validation or test")->capture_default_str();
  command->add_flag("--json", given->json, "one JSON object: metrics by name");
  command->callback([given, &action] {
    action = [given] {
      const Split split = split_of(given->split);
      const Checkpoint from = read_checkpoint(given->checkpoint);
      const Evaluation result = task_named(tasks(), from.label.task).evaluate(from, {given->data, split});
      print(given->json ? result.metrics.json() : result.report);
      return 0;
    };
  });
}

}  // namespace fovea
