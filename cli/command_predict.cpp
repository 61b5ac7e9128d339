#include <fstream>
#include <iostream>

#include <CLI/CLI.hpp>

#include "cli/commands.hpp"
#include "cli/lookup.hpp"
#include "cli/print.hpp"
#include "core/check.hpp"

namespace fovea {

void add_predict(CLI::App& app, Action& action) {
  struct Arguments {
    std::string checkpoint, file = "-", data;
    bool json = false;
  };
  const auto given = std::make_shared<Arguments>();
  CLI::App* command = app.add_subcommand("predict", "answer line by line");
  command->add_option("checkpoint", given->checkpoint, "a .fovea file")->required();
  command->add_option("file", given->file, "lines to answer; - is standard input")->capture_default_str();
  command->add_option("--data", given->data, "other data than it was trained with");
  command->add_flag("--json", given->json, "one JSON object for each line");
  command->callback([given, &action] {
    action = [given] {
      const Checkpoint from = read_checkpoint(given->checkpoint);
      const auto predict = task_named(tasks(), from.label.task).predictor(from, given->data);
      std::ifstream file;
      const bool standard = given->file == "-";
      if (!standard) file.open(given->file);
      check<DataError>(standard || file.is_open(), "predict", "cannot read ", given->file);
      std::istream& lines = standard ? std::cin : file;
      std::size_t number = 0;
      for (std::string line; std::getline(lines, line);) {
        ++number;
        if (!line.empty() && line.back() == '\r') line.pop_back();
        try {
          print(predict(line, given->json));
        } catch (const DataError& error) {
          throw DataError(join(standard ? "standard input" : given->file, ":", number, ": ", error.what()));
        }
      }
      check<DataError>(!lines.bad(), "predict", "cannot read ", given->file);
      return 0;
    };
  });
}

}  // namespace fovea
