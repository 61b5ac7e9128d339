#include <algorithm>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "cli/commands.hpp"
#include "cli/flags.hpp"
#include "cli/grid.hpp"
#include "cli/print.hpp"
#include "cli/trainings.hpp"
#include "core/check.hpp"
#include "training/file.hpp"
#include "training/version.hpp"

namespace fovea {
namespace {

namespace fs = std::filesystem;

struct Arguments {
  Given flags;  // of all trainings
  std::string config_file;
  std::vector<std::string> vary, seeds{"1"}, train_sizes;
  std::string out;
};

// What all trainings have in common, as words of a command line.
std::vector<std::string> common_words(const TaskEntry& task, const Arguments& given) {
  std::vector<std::string> words{"train", task.name};
  if (!given.config_file.empty()) words.insert(words.end(), {"--config", given.config_file});
  for (const auto& [name, value] : given.flags) words.push_back("--" + name + "=" + value);
  return words;
}

// All that a result hangs on beside its own settings: the words, what is in the files they name, and the
// program.
std::string record_of(const std::vector<std::string>& common, const Arguments& given) {
  nlohmann::ordered_json record{{"words", common}, {"version", version()}};
  const auto note = [&](const std::string& file) {
    std::error_code reason;
    if (!file.empty() && fs::is_regular_file(file, reason)) record["files"][file] = file_checksum(file);
  };
  note(given.config_file);
  for (const auto& [name, value] : given.flags) note(value);
  return record.dump(2) + "\n";
}

std::vector<Varied> varied_settings(const Arguments& given) {
  std::vector<Varied> varied;
  std::vector<std::string> names;
  for (const std::string& text : given.vary) {
    varied.push_back(varied_of(text));
    names.push_back(varied.back().name);
    check_distinct(varied.back().values, "--vary");
    for (const char* own : {"seed", "out", "train-size"})
      check<ConfigError>(names.back() != own, "--vary", "takes no ", own,
                         "; there are --seeds, --train-size and --out for that");
  }
  check_distinct(names, "--vary");
  for (const auto& [name, value] : given.flags)
    check<ConfigError>(std::find(names.begin(), names.end(), name) == names.end(), "--vary", name,
                       " is given by --", name, ", too");
  check_distinct(given.seeds, "--seeds");
  check_distinct(given.train_sizes, "--train-size");
  if (!given.train_sizes.empty()) varied.push_back({"train-size", given.train_sizes});
  return varied;
}

// Whether a training would take these settings, before the first one spends an hour.
void check_settings(const TaskEntry& task, const Arguments& given, const Cell& cell,
                    const std::string& seed) {
  const std::unique_ptr<Settings> settings = task.settings();
  if (!given.config_file.empty()) settings->options.read_toml_file(given.config_file);
  for (const auto& [name, value] : given.flags) settings->options.set(name, value);
  for (const auto& [name, value] : cell.settings) settings->options.set(name, value);
  settings->options.set("seed", seed);
  settings->options.check_used();
}

// The metrics that people are shown: the first ones, without those that belong to a part.
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
  const std::vector<Cell> all = cells(varied_settings(given));
  for (const Cell& cell : all)
    for (const std::string& seed : given.seeds) check_settings(task, given, cell, seed);
  const fs::path folder =
      given.out.empty() ? fs::path("runs") / ("compare-" + task.name) : fs::path(given.out);
  const std::vector<std::string> common = common_words(task, given);
  claim(folder, "compare", record_of(common, given));

  std::vector<Job> jobs;
  for (const Cell& cell : all) {
    for (const std::string& seed : given.seeds) {
      const std::string name = cell.name() + (cell.settings.empty() ? "" : ",") + "seed=" + seed;
      jobs.push_back({name, common, folder / folder_of(name)});
      jobs.back().words.push_back("--seed=" + seed);
      for (const auto& [setting, value] : cell.settings)
        jobs.back().words.push_back("--" + setting + "=" + value);
    }
  }
  std::vector<bool> diverged;
  try {
    diverged = train_all(jobs, 1);
  } catch (const Stopped& stopped) {
    return stopped_by(stopped.signal, again);
  } catch (const TrainingFailed& failed) {  // what is wrong with one is likely wrong with all
    fmt::print(stderr, "{}\n", failed.what());
    if (const Job& job = jobs[failed.job]; failed.job == 0 && !fs::exists(job.place)) {
      fs::remove(job.place.string() + ".log");  // nothing was begun that could be gone on with
      fs::remove(folder / "compare.json");
    }
    return failed.code;
  }
  std::vector<Outcome> outcomes;
  for (const Cell& cell : all) {
    for (const std::string& seed : given.seeds) {
      const std::size_t at = outcomes.size();
      outcomes.push_back(diverged[at] ? Outcome{cell, seed, true, 0, 0, 0, {}}
                                      : read_outcome(result_file(jobs[at]), cell, seed));
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
