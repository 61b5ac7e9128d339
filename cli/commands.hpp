#pragma once

#include <functional>
#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace fovea {

/// How the program was called.
struct Call {
  std::vector<std::string> words;  // program name first
  std::string line() const;
};

/// What the chosen subcommand does; returns the exit code.
using Action = std::function<int()>;

// Each adds one subcommand to `app`, which sets `action` when it is chosen.
void add_train(CLI::App& app, const Call& call, Action& action);
void add_compare(CLI::App& app, const Call& call, Action& action);
void add_experiment(CLI::App& app, const Call& call, Action& action);
void add_verify(CLI::App& app, Action& action);
void add_evaluate(CLI::App& app, Action& action);
void add_predict(CLI::App& app, Action& action);
void add_plot(CLI::App& app, Action& action);
void add_inspect(CLI::App& app, Action& action);
void add_export(CLI::App& app, Action& action);
void add_import(CLI::App& app, Action& action);
void add_gradcheck(CLI::App& app, Action& action);
void add_list(CLI::App& app, Action& action);
void add_completion(CLI::App& app, Action& action);
void add_manual(CLI::App& app, Action& action);

/// The whole program: returns the exit code, and throws nothing.
int run_program(int argc, const char* const* argv);

}  // namespace fovea
