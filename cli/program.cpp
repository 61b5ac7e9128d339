#include <exception>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "cli/commands.hpp"
#include "cli/flags.hpp"
#include "cli/print.hpp"
#include "core/check.hpp"
#include "training/about.hpp"
#include "training/text.hpp"

namespace fovea {
namespace {

int complain_and_leave(const std::exception& error, int code) {
  fmt::print(stderr, "fovea: {}\n", one_line(error.what()));
  return code;
}

int run(const Call& call) {
  CLI::App app("Trains, evaluates and explains attention models.", "fovea");
  app.require_subcommand(0, 1);
  app.set_help_all_flag("--help-all", "help of every subcommand");
  bool version = false;
  app.add_flag("--version", version, "version, precision, kernels and threads");
  Action action;
  add_train(app, call, action);
  add_compare(app, call, action);
  add_experiment(app, call, action);
  add_verify(app, action);
  add_evaluate(app, action);
  add_predict(app, action);
  add_plot(app, action);
  add_inspect(app, action);
  add_export(app, action);
  add_import(app, action);
  add_gradcheck(app, action);
  add_list(app, action);
  add_completion(app, action);
  add_manual(app, action);
  try {
    std::vector<std::string> words(call.words.rbegin(), call.words.rend() - 1);
    app.parse(words);
  } catch (const CLI::Success& asked) {  // --help
    return app.exit(asked);
  } catch (const CLI::ParseError& error) {
    complain(app, error.what());
  }
  if (version) {
    print(about().text());
    return 0;
  }
  if (!action) {
    fmt::print(stderr, "{}", app.help());
    return 2;
  }
  return action();
}

}  // namespace

std::string Call::line() const {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : " ") + shell_quoted(word);
  return text;
}

int run_program(int argc, const char* const* argv) {
  try {
    return run({{argv, argv + argc}});
  } catch (const ConfigError& error) {
    return complain_and_leave(error, 2);
  } catch (const DataError& error) {
    return complain_and_leave(error, 3);
  } catch (const CheckpointError& error) {
    return complain_and_leave(error, 4);
  } catch (const DivergedError& error) {
    return complain_and_leave(error, 5);
  } catch (const std::bad_alloc&) {
    return complain_and_leave(std::runtime_error("there is not enough memory; try a smaller --batch-size"),
                              1);
  } catch (const std::exception& error) {
    return complain_and_leave(error, 1);
  }
}

}  // namespace fovea
