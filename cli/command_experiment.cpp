#include <algorithm>
#include <charconv>
#include <chrono>
#include <cmath>
#include <ctime>
#include <map>
#include <set>

#include <CLI/CLI.hpp>
#include <fmt/chrono.h>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "cli/child.hpp"
#include "cli/commands.hpp"
#include "cli/experiment_files.hpp"
#include "cli/grid.hpp"
#include "cli/print.hpp"
#include "cli/trainings.hpp"
#include "core/check.hpp"
#include "core/parallel.hpp"
#include "training/about.hpp"
#include "training/file.hpp"

namespace fovea {
namespace {

namespace fs = std::filesystem;
using experiments::Experiment;
using experiments::Figures;
using experiments::Lab;
using experiments::Trained;
using experiments::Training;

struct Arguments {
  bool quick = false, is_part = false;
  std::vector<std::string> seeds;
  std::uint64_t threads = 0;
  std::map<std::string, std::string> files;
  std::string out, pages, from;
};

std::string seconds_text(double seconds) {
  const long whole = std::lround(seconds);
  return whole < 100 ? fmt::format("{} s", whole) : fmt::format("{} min {} s", whole / 60, whole % 60);
}

std::uint64_t seed_of(const std::string& text) {
  std::int64_t seed = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), seed);
  check<ConfigError>(error == std::errc() && end == text.data() + text.size() && seed >= 0, "--seeds",
                     "expected whole numbers of at least 0 such as 1,2,3, got \"", text, "\"");
  return static_cast<std::uint64_t>(seed);
}

std::vector<std::uint64_t> seeds_of(const Experiment& experiment, const Arguments& given) {
  std::vector<std::uint64_t> seeds;
  for (const std::string& text : given.seeds) seeds.push_back(seed_of(text));
  const std::size_t count = given.quick ? 2 : experiment.seeds;
  for (std::uint64_t seed = 1; given.seeds.empty() && seed <= count; ++seed) seeds.push_back(seed);
  return seeds;
}

// As others would type it: without the folders of this machine.
std::string command_of(const Experiment& experiment, const Arguments& given) {
  std::string text = "fovea experiment " + experiment.account.name;
  if (given.quick) text += " --quick";
  if (!given.seeds.empty()) text += fmt::format(" --seeds {}", fmt::join(given.seeds, ","));
  for (const std::string& name : experiment.files)
    if (const auto file = given.files.find(name); file != given.files.end())
      text += " --" + name + " " + shell_quoted(fs::path(file->second).filename().string());
  return text;
}

// All that a result hangs on: another program may train otherwise.
std::string record_of(const Experiment& experiment, const Arguments& given) {
  nlohmann::ordered_json record{{"experiment", experiment.account.name},
                                {"quick", given.quick},
                                {"program", file_checksum("/proc/self/exe")}};
  for (const auto& [name, file] : given.files) record["files"][name] = file_checksum(file);
  return record.dump(2) + "\n";
}

Job job_of(const Training& training, const fs::path& folder) {
  std::string name = training.task;
  Job job{"", {"train", training.task, "--threads=1"}, ""};
  for (const auto& [setting, value] : training.settings) {
    name += "," + setting + "=" + value;
    job.words.push_back("--" + setting + "=" + value);
  }
  name += fmt::format(",seed={}", training.seed);
  job.words.push_back(fmt::format("--seed={}", training.seed));
  job.name = name;
  job.place = folder / folder_of(name);
  return job;
}

Trained trained_of(const Job& job, bool diverged) {
  if (diverged) return {true, 0, 0, 0, {}};
  const Outcome outcome = read_outcome(result_file(job), {}, "");
  Trained trained{false, outcome.seconds, outcome.parameters, outcome.peak_bytes, {}};
  for (const auto& [name, text] : outcome.numbers)
    if (const nlohmann::json value = nlohmann::json::parse(text); value.is_number())
      trained.metrics[name] = value;
  return trained;
}

// The trainings of a call, and how many had been made before it.
struct Trainings {
  std::set<fs::path> own = {};
  std::size_t earlier = 0;
};

std::vector<Trained> train(std::span<const Training> trainings, const fs::path& folder, std::size_t at_once,
                           Trainings& all) {
  std::vector<Job> jobs, distinct;
  for (const Training& training : trainings) {
    jobs.push_back(job_of(training, folder));
    const auto is_same = [&](const Job& job) { return job.place == jobs.back().place; };
    if (std::none_of(distinct.begin(), distinct.end(), is_same)) distinct.push_back(jobs.back());
  }
  for (const Job& job : distinct)
    all.earlier += all.own.insert(job.place).second && fs::exists(result_file(job));
  const std::vector<bool> diverged = train_all(distinct, at_once);
  std::vector<Trained> trained;
  for (const Job& job : jobs) {
    const auto at = std::find_if(distinct.begin(), distinct.end(),
                                 [&](const Job& other) { return other.place == job.place; });
    trained.push_back(trained_of(job, diverged[static_cast<std::size_t>(at - distinct.begin())]));
  }
  return trained;
}

Figures measured(const Experiment& experiment, const Arguments& given, const fs::path& folder) {
  claim(folder, "experiment", record_of(experiment, given));
  Trainings all;
  Lab lab;
  lab.quick = given.quick;
  lab.folder = folder;
  lab.seeds = seeds_of(experiment, given);
  for (const std::string& name : experiment.files)
    if (const auto file = given.files.find(name); file != given.files.end()) lab.files.insert(*file);
  lab.train = [&](std::span<const Training> trainings) { return train(trainings, folder, threads(), all); };
  lab.say = [](const std::string& text) { fmt::print(stderr, "{}\n", text); };
  const auto start = std::chrono::steady_clock::now();
  Figures figures;
  experiment.measure(lab, figures);
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
  const About machine = about();
  figures.facts = {
      {"command", command_of(experiment, given)},
      {"measured", fmt::format("{:%Y-%m-%d}", fmt::gmtime(std::time(nullptr)))},
      {"took", seconds_text(took.count()) +
                   (all.earlier ? fmt::format(" beside {} trainings of an earlier call", all.earlier) : "")},
      {"version", machine.version},
      {"cpu", machine.cpu},
      {"kernels", machine.kernels},
      {"threads", fmt::format("{}", machine.threads)}};
  // Whatever becomes of the pages.
  replace_file(folder / (experiment.account.name + ".csv"), to_csv(figures));
  return figures;
}

fs::path clone_pages() { return fs::path("docs") / "experiments"; }

// Where a clone keeps its pages, unless it is told otherwise. A rehearsal stays out of there.
fs::path pages_of(const Arguments& given, const fs::path& folder) {
  if (!given.pages.empty()) return given.pages;
  if (!given.from.empty()) return fs::absolute(given.from).parent_path();
  return !given.quick && fs::is_directory(clone_pages()) ? clone_pages() : folder;
}

// What another experiment wrote, or nobody, would make a page of nonsense.
Figures figures_from(const Experiment& experiment, const fs::path& file) {
  Figures figures = experiments::read_figures(file);
  const std::string own = "fovea experiment " + experiment.account.name;
  const bool is_own = std::any_of(figures.facts.begin(), figures.facts.end(), [&](const auto& fact) {
    return fact.first == "command" && (fact.second == own || fact.second.starts_with(own + " "));
  });
  if (!is_own) throw DataError(file.string() + ":1: expected figures of \"# command: " + own + "\"");
  return figures;
}

void run(const Experiment& experiment, const Arguments& given) {
  const fs::path folder =
      given.out.empty()
          ? fs::path("runs") / ("experiment-" + experiment.account.name + (given.quick ? "-quick" : ""))
          : fs::path(given.out);
  const fs::path pages = pages_of(given, folder);
  const Figures figures = [&] {
    if (!given.from.empty()) return figures_from(experiment, given.from);
    if (pages != folder) check_pages(experiment.account, pages);  // before hours are spent
    return measured(experiment, given, folder);
  }();
  print(to_text(experiment.account, figures));
  check_pages(experiment.account, pages);
  write_pages(experiment.account, figures, pages);
  fmt::print(stderr, "written: {}\n", (pages / (experiment.account.name + ".md")).string());
}

void check_given(const Arguments& given) {
  for (const std::string& seed : given.seeds) seed_of(seed);
  check_distinct(given.seeds, "--seeds");
  check<ConfigError>(given.threads <= 4096, "--threads", "expected from 0 to 4096, got ", given.threads);
  for (const auto& [name, file] : given.files)
    check<ConfigError>(fs::is_regular_file(file), "--" + name, "there is no file ", file);
}

int run_one(const Experiment& experiment, const Arguments& given, const std::string& again) {
  check_given(given);
  set_threads(given.threads);
  try {
    run(experiment, given);
  } catch (const Stopped& stopped) {
    // What is part of `all` leaves it to that to say so.
    return given.is_part ? 128 + stopped.signal : stopped_by(stopped.signal, again);
  } catch (const TrainingFailed& failed) {
    fmt::print(stderr, "{}\n", failed.what());
    return failed.code;
  }
  return 0;
}

std::vector<std::string> words_of(const Experiment& experiment, const Arguments& given) {
  std::vector<std::string> words{"experiment", experiment.account.name,
                                 fmt::format("--threads={}", given.threads), "--part-of-all"};
  if (given.quick) words.push_back("--quick");
  if (!given.seeds.empty() && experiment.seeds > 0)
    words.push_back(fmt::format("--seeds={}", fmt::join(given.seeds, ",")));
  if (!given.out.empty())
    words.push_back("--out=" + (fs::path(given.out) / experiment.account.name).string());
  const bool has_own =
      given.pages.empty() && !given.out.empty() && (given.quick || !fs::is_directory(clone_pages()));
  if (const std::string pages = has_own ? given.out : given.pages; !pages.empty())
    words.push_back("--pages=" + pages);
  for (const std::string& name : experiment.files)
    if (const auto file = given.files.find(name); file != given.files.end())
      words.push_back("--" + name + "=" + file->second);
  return words;
}

// Each in a process of its own: what one leaves in memory must not be counted for the next.
int run_all(const Arguments& given, const std::string& again) {
  check_given(given);
  Children children;
  for (const Experiment& experiment : experiments::experiments()) {
    fmt::print(stderr, "{}: {}\n", experiment.account.name, experiment.account.title);
    children.start(words_of(experiment, given), "", 0);
    const Ended ended = children.wait();
    if (children.asked()) return stopped_by(children.asked(), again);
    if (ended.killed_by)
      throw Error(fmt::format("{} was ended by signal {}", experiment.account.name, ended.killed_by));
    if (ended.code != 0) return ended.code;
  }
  return 0;
}

// Between commas; also where there is nothing.
std::vector<std::string> parts_of(const std::string& text) {
  std::vector<std::string> parts{""};
  for (const char c : text) {
    if (c == ',')
      parts.emplace_back();
    else
      parts.back() += c;
  }
  return parts;
}

// An empty text is a variable of a script that nobody set.
std::string not_empty(const std::string& text) { return text.empty() ? "is empty" : ""; }

void add_common(CLI::App& command, const std::shared_ptr<Arguments>& given, std::span<const Experiment> of) {
  command.add_flag("--quick", given->quick,
                   "a rehearsal in seconds: everything runs, the figures mean nothing");
  command.add_option_function<std::string>(
      "--seeds", [given](const std::string& text) { given->seeds = parts_of(text); },
      "one training or draw with each, such as 1,2,3");
  command
      .add_option("--threads", given->threads, "of what is timed, and trainings at a time; 0: one per core")
      ->capture_default_str();
  command
      .add_option("--out", given->out,
                  "folder of the trainings; with the same settings it goes on where it was")
      ->check(not_empty);
  command
      .add_option("--pages", given->pages,
                  "folder for NAME.md, NAME.csv and NAME.svg; docs/experiments where that is, else --out; "
                  "with --from where that is")
      ->check(not_empty);
  for (const Experiment& experiment : of)
    for (const std::string& name : experiment.files)
      command.add_option_function<std::string>(
          "--" + name, [given, name](const std::string& file) { given->files[name] = file; },
          "the file of these data, which do not come with Fovea (see the experiment's page); without it "
          "their table is left out");
}

}  // namespace

void add_experiment(CLI::App& app, const Call& call, Action& action) {
  CLI::App* command =
      app.add_subcommand("experiment", "measure what the field claims: a table, a plot, a page");
  command->require_subcommand(1);
  for (const Experiment& experiment : experiments::experiments()) {
    CLI::App* one = command->add_subcommand(experiment.account.name, experiment.account.title);
    const auto given = std::make_shared<Arguments>();
    add_common(*one, given, {&experiment, 1});
    CLI::Option* from =
        one->add_option("--from", given->from,
                        "a NAME.csv that was written before: tells its figures again, and measures nothing")
            ->check(not_empty);
    for (const char* measuring : {"--quick", "--threads", "--out"})
      from->excludes(one->get_option(measuring));
    if (experiment.seeds > 0) from->excludes(one->get_option("--seeds"));
    one->add_flag("--part-of-all", given->is_part)->group("");
    one->callback([&experiment, given, &call, &action] {
      action = [&experiment, given, &call] { return run_one(experiment, *given, call.line()); };
    });
  }
  CLI::App* all = command->add_subcommand("all", "all of them, one after the other");
  const auto given = std::make_shared<Arguments>();
  add_common(*all, given, experiments::experiments());
  all->callback(
      [given, &call, &action] { action = [given, &call] { return run_all(*given, call.line()); }; });
}

}  // namespace fovea
