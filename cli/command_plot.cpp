#include <CLI/CLI.hpp>

#include "cli/commands.hpp"
#include "cli/print.hpp"
#include "cli/report_file.hpp"

namespace fovea {

void add_plot(CLI::App& app, Action& action) {
  const auto given = std::make_shared<PlotRequest>();
  CLI::App* command =
      app.add_subcommand("plot", "show runs and what their models look at, as a page or a picture");
  command->add_option("runs", given->runs, "folders of runs")->required();
  command
      ->add_option("-o,--output", given->file,
                   "file to write, .html or .svg; by itself report.html in the run's folder")
      ->check([](const std::string& file) { return file.empty() ? "needs a file's name" : ""; });
  command
      ->add_option(
          "--item", given->wanted.items,
          "a line to answer as predict does, or of a table the time at which the forecast begins; may be "
          "given several times")
      ->take_all()
      ->allow_extra_args(false);
  command->add_option("--worst", given->wanted.worst, "so many items on which the model is worst")
      ->check(CLI::Range(0, 100))
      ->capture_default_str();
  command->add_option("--typical", given->wanted.typical, "so many of the others, spread over them")
      ->check(CLI::Range(0, 100))
      ->capture_default_str();
  command->add_option("--show", given->show, "all, curves or examples")
      ->check(CLI::IsMember({"all", "curves", "examples"}))
      ->capture_default_str();
  command->add_option("--data", given->data, "other data than the run was trained with");
  command->callback([given, &action] {
    action = [given] {
      print(plot(*given));
      return 0;
    };
  });
}

}  // namespace fovea
