#include <CLI/CLI.hpp>

#include "cli/commands.hpp"
#include "cli/completion.hpp"
#include "cli/manual.hpp"
#include "cli/print.hpp"

namespace fovea {

void add_completion(CLI::App& app, Action& action) {
  const auto shell = std::make_shared<std::string>();
  CLI::App* command = app.add_subcommand("completion", "print what a shell completes fovea's words with");
  command->add_option("shell", *shell, "whose script (one of bash, zsh, fish)")->required();
  command->footer(
      "bash: source <(fovea completion bash); zsh: source <(fovea completion zsh), after compinit;\n"
      "fish: fovea completion fish | source");
  command->callback([shell, &app, &action] {
    action = [shell, text = places(app)] {
      print(completion(text, *shell));
      return 0;
    };
  });
}

void add_manual(CLI::App& app, Action& action) {
  app.add_subcommand("manual", "print the manual page; fovea manual | man -l - shows it")
      ->callback([&app, &action] {
        action = [text = manual(places(app))] {
          print(text);
          return 0;
        };
      });
}

}  // namespace fovea
