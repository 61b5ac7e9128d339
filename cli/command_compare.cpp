#include <algorithm>
#include <chrono>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "cli/child.hpp"
#include "cli/commands.hpp"
#include "cli/flags.hpp"
#include "cli/grid.hpp"
#include "cli/print.hpp"
#include "core/check.hpp"
#include "training/file.hpp"
#include "training/text.hpp"

namespace fovea {
namespace {

namespace fs = std::filesystem;

struct Arguments {
  Given flags;  // of all trainings
  std::string config_file;
  std::vector<std::string> vary, seeds{"1"}, train_sizes;
  std::string out;
};

fs::path folder_of(const Arguments& given, const std::string& task) {
  return given.out.empty() ? fs::path("runs") / ("compare-" + task) : fs::path(given.out);
}

// What all trainings have in common, as words of a command line.
std::vector<std::string> common_words(const TaskEntry& task, const Arguments& given) {
  std::vector<std::string> words{"train", task.name};
  if (!given.config_file.empty()) words.insert(words.end(), {"--config", given.config_file});
  for (const auto& [name, value] : given.flags) words.push_back("--" + name + "=" + value);
  return words;
}

// A folder goes on with the comparison that was begun there, and takes no other.
void claim(const fs::path& folder, const std::vector<std::string>& common) {
  const fs::path file = folder / "compare.json";
  const std::string record = nlohmann::json(common).dump() + "\n";
  if (!fs::exists(file)) {
    std::error_code reason;
    const bool taken = fs::exists(folder, reason) && !fs::is_empty(folder, reason);
    check<ConfigError>(!taken, "compare", folder.string(), " is not empty; --out names another folder");
    fs::create_directories(folder, reason);
    if (reason) throw Error("cannot create " + folder.string() + ": " + reason.message());
    replace_file(file, record);
    return;
  }
  const std::string before = read_file(file);
  check<ConfigError>(before == record, "compare", folder.string(),
                     " holds a comparison with other settings: ", one_line(before),
                     "; --out names another folder");
}

// The settings are those of the task, and every value is one that it takes.
void check_settings(const TaskEntry& task, const std::vector<Varied>& varied) {
  const std::unique_ptr<Settings> settings = task.settings();
  for (const Varied& one : varied) {
    for (const char* own : {"seed", "out", "train-size"})
      check<ConfigError>(one.name != own, "--vary", "takes no ", own,
                         "; there are --seeds, --train-size and --out for that");
    for (const std::string& value : one.values) settings->options.set(one.name, value);
  }
}

std::string last_line(const fs::path& log) {
  std::string text = read_file(log);
  while (text.ends_with('\n')) text.pop_back();
  return text.substr(text.rfind('\n') + 1);
}

// The metrics that people are shown: the table of a training's own report, in that order.
std::vector<std::string> shown_metrics(const std::vector<Outcome>& outcomes) {
  constexpr std::size_t most = 5;
  std::vector<std::string> names;
  for (const Outcome& outcome : outcomes)
    for (const auto& [name, value] : outcome.numbers)
      if (names.size() < most && std::find(names.begin(), names.end(), name) == names.end() &&
          name.find('.') == name.npos)
        names.push_back(name);
  return names;
}

int compare(const TaskEntry& task, const Arguments& given, const std::string& again) {
  std::vector<Varied> varied;
  for (const std::string& text : given.vary) varied.push_back(varied_of(text));
  check_settings(task, varied);
  if (!given.train_sizes.empty()) varied.push_back({"train-size", given.train_sizes});
  const fs::path folder = folder_of(given, task.name);
  const std::vector<std::string> common = common_words(task, given);
  claim(folder, common);

  const std::vector<Cell> all = cells(varied);
  const std::size_t runs = all.size() * given.seeds.size();
  std::vector<Outcome> outcomes;
  for (const Cell& cell : all) {
    for (const std::string& seed : given.seeds) {
      const std::string name = cell.name() + (cell.settings.empty() ? "" : ",") + "seed=" + seed;
      const fs::path place = folder / (cell.folder() + (cell.settings.empty() ? "" : ",") + "seed=" + seed);
      const fs::path result = place / "result.json", log = place.string() + ".log";
      fmt::print(stderr, "{} of {}: {}\n", outcomes.size() + 1, runs, name);
      int code = 0;
      if (!fs::exists(result)) {
        std::vector<std::string> words = common;
        words.insert(words.end(), {"--seed=" + seed, "--out=" + place.string()});
        for (const auto& [setting, value] : cell.settings) words.push_back("--" + setting + "=" + value);
        if (fs::exists(place / "checkpoints" / "last.fovea"))
          words.push_back("--resume");
        else if (fs::exists(place))
          words.push_back("--overwrite");
        code = run_child(words, log);
      }
      if (code > 128) {
        fmt::print(stderr, "stopped; go on with: {}\n", again);
        return code;
      }
      if (code != 0 && code != 5) {  // what is wrong with one is likely wrong with all
        fmt::print(stderr, "{}\n", last_line(log));
        return code;
      }
      outcomes.push_back(code == 0 ? read_outcome(result, cell, seed)
                                   : Outcome{cell, seed, true, 0, 0, 0, {}});
      if (code == 5) fmt::print(stderr, "{}\n", last_line(log));
    }
  }
  replace_file(folder / "results.csv", outcomes_csv(outcomes));
  print(comparison(outcomes, shown_metrics(outcomes)));
  return 0;
}

}  // namespace

void add_compare(CLI::App& app, const Call& call, Action& action) {
  CLI::App* compare_command = app.add_subcommand("compare", "train a task in several ways, and compare");
  compare_command->require_subcommand(1);
  for (const TaskEntry& task : tasks()) {
    CLI::App* command = compare_command->add_subcommand(task.name, task.about);
    const auto given = std::make_shared<Arguments>();
    const std::shared_ptr<Settings> settings = task.settings();
    add_flags(*command, settings->options, given->flags);
    for (const char* own : {"--seed", "--train-size", "--out"})
      command->remove_option(command->get_option(own));
    command->add_option("--config", given->config_file, "TOML file whose keys are these options' names");
    command->add_option("--vary", given->vary, "setting=value,value,… and others beside it: all combinations")
        ->type_name("TEXT");
    command->add_option("--seeds", given->seeds, "one training with each")
        ->delimiter(',')
        ->capture_default_str();
    command->add_option("--train-size", given->train_sizes, "parts of the data to learn from, such as 0.1,1")
        ->delimiter(',');
    command->add_option("--out", given->out,
                        "folder of the trainings; with the same settings it goes on where it was");
    command->callback([&task, given, &call, &action] {
      action = [&task, given, &call] { return compare(task, *given, call.line()); };
    });
  }
}

}  // namespace fovea
