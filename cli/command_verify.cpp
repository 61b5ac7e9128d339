#include <algorithm>
#include <stdlib.h>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "cli/child.hpp"
#include "cli/commands.hpp"
#include "cli/flags.hpp"
#include "cli/print.hpp"
#include "core/check.hpp"
#include "training/diff.hpp"
#include "training/file.hpp"
#include "training/plan.hpp"
#include "training/run.hpp"
#include "training/text.hpp"

namespace fovea {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;

constexpr int interrupted = 130;  // the exit code of a training that SIGINT has stopped

struct Arguments {
  Given flags;  // of the training
  std::string config_file, out;
  std::vector<std::string> interrupts;
};

// A signal came to us.
struct Stopped {
  int signal;
};

// Where the runs are. One of our own making is removed, unless somebody should look at them.
class Place {
 public:
  explicit Place(const std::string& given) : path_(given), own_(given.empty()) {
    if (own_) {
      std::string name = (fs::temp_directory_path() / "fovea-verify-XXXXXX").string();
      if (!::mkdtemp(name.data())) throw Error("cannot make a folder " + name);
      path_ = name;
    }
    std::error_code reason;
    fs::create_directories(path_, reason);
    if (reason) throw Error("cannot create " + path_.string() + ": " + reason.message());
  }
  ~Place() {
    std::error_code nothing_to_do;
    if (own_) fs::remove_all(path_, nothing_to_do);
  }
  Place(const Place&) = delete;
  Place& operator=(const Place&) = delete;

  const fs::path& path() const { return path_; }
  void keep() { own_ = false; }

 private:
  fs::path path_;
  bool own_;
};

// A training in a process of its own, with these words beside those of all. Its exit code.
int train(const TaskEntry& task, const Arguments& given, const fs::path& folder,
          const std::vector<std::string>& more) {
  std::vector<std::string> words{"train", task.name, "--out=" + folder.string()};
  if (!given.config_file.empty()) words.insert(words.end(), {"--config", given.config_file});
  for (const auto& [name, value] : given.flags) words.push_back("--" + name + "=" + value);
  words.insert(words.end(), more.begin(), more.end());  // the last of two flags counts
  const fs::path log = folder.string() + ".log";
  Children children;
  children.start(words, log, 0);
  const Ended ended = children.wait();
  if (children.asked()) throw Stopped{children.asked()};
  check<Error>(ended.killed_by == 0, "verify-resume", "a training was ended by signal ", ended.killed_by,
               "; it said: ", one_line(read_file(log)));
  if (ended.code != 0 && ended.code != interrupted) fmt::print(stderr, "{}", read_file(log));
  return ended.code;
}

// Two interrupts where none was asked for, at a third and two thirds of the way, in the middle of a step that
// has several batches if there is one.
std::vector<std::string> usual_interrupts(const TaskEntry& task, const Checkpoint& whole) {
  const std::unique_ptr<Settings> settings = task.settings();
  settings->options.read_toml(whole.label.config, whole.origin);
  const Plan plan(settings->train, whole.position.items);
  const std::uint64_t steps = whole.position.step;
  std::vector<std::string> all;
  for (std::uint64_t step : {(steps + 2) / 3, (2 * steps + 2) / 3}) {
    if (step > 1 && plan.batches(step - 1) == 1 && plan.batches(step - 2) > 1) --step;
    // A step that may be left out need not come to its second batch.
    const bool inside = plan.batches(step - 1) > 1 && plan.may_skip() == 0;
    const std::string at = join(step, inside ? ":2" : "");
    if (step < steps && (all.empty() || all.back() != at)) all.push_back(at);
  }
  check<ConfigError>(!all.empty(), "verify-resume", "a training of ", steps,
                     " steps has no middle; give it more --steps");
  return all;
}

// The rows of a run without the times they were made at.
std::vector<std::string> rows_of(const fs::path& folder) {
  std::vector<std::string> rows;
  const std::string text = read_file(folder / "metrics.jsonl");
  for (std::size_t begin = 0, end; (end = text.find('\n', begin)) != text.npos; begin = end + 1) {
    Json row = Json::parse(text.substr(begin, end - begin));
    row.erase("seconds");
    rows.push_back(row.dump());
  }
  return rows;
}

// A line for people; true when the two are the same.
bool compare_files(const fs::path& a, const fs::path& b, const std::string& name) {
  check<Error>(fs::exists(a) == fs::exists(b), "verify-resume", "only one of the runs has a ", name);
  if (!fs::exists(a)) return true;
  const Entries whole = comparable(read_checkpoint(a)), resumed = comparable(read_checkpoint(b));
  std::vector<std::string> differing;
  for (const EntryDifference& one : differences(whole, resumed))
    if (one.name != "config/threads") differing.push_back(one.name);  // which is meant to differ
  print(differing.empty() ? fmt::format("{}: all {} entries are equal", name, whole.all().size())
                          : fmt::format("{}: {} of {} entries differ: {}", name, differing.size(),
                                        whole.all().size(), list(differing)));
  return differing.empty();
}

bool compare_runs(const fs::path& whole, const fs::path& resumed) {
  bool same = compare_files(Run::last_of(whole), Run::last_of(resumed), "last.fovea");
  same = compare_files(Run::best_of(whole), Run::best_of(resumed), "best.fovea") && same;
  const bool rows = rows_of(whole) == rows_of(resumed);
  print(
      fmt::format("metrics.jsonl: {}", rows ? "the rows are equal, but for their times" : "the rows differ"));
  return same && rows;
}

// Trains with a stop at each interrupt, each session with another number of threads. The exit code.
int train_with_stops(const TaskEntry& task, const Arguments& given, const fs::path& folder) {
  constexpr int most_threads = 3;
  std::vector<std::string> words;
  for (const std::string& at : given.interrupts) words.push_back("--interrupt-at=" + at);
  std::size_t session = 0;
  int code = interrupted;
  for (; code == interrupted && session <= given.interrupts.size(); ++session) {
    std::vector<std::string> more = words;
    more.push_back(fmt::format("--threads={}", session % most_threads + 1));
    if (session) more.push_back("--resume");
    code = train(task, given, folder, more);
  }
  check<ConfigError>(code != 0 || session == given.interrupts.size() + 1, "--interrupt-at",
                     given.interrupts.size(), " stops were asked for and ", session - 1,
                     " came; expected steps and batches of this training");
  return code;
}

// What can be seen to be wrong before an hour of training.
void check_arguments(const TaskEntry& task, const Arguments& given) {
  const std::unique_ptr<Settings> settings = task.settings();
  if (!given.config_file.empty()) settings->options.read_toml_file(given.config_file);
  check<ConfigError>(settings->train.interrupt_at.empty(), "verify-resume", given.config_file,
                     " has interrupt-at, which would stop both runs; give it as a flag");
  settings->train.interrupt_at = given.interrupts;
  Plan(settings->train, 1);
}

int verify(const TaskEntry& task, Arguments given) {
  check_arguments(task, given);
  Place place(given.out);
  const fs::path whole = place.path() / "whole", stopped = place.path() / "interrupted";
  fmt::print(stderr, "training without a stop …\n");
  if (const int code = train(task, given, whole, {})) return code;
  const Checkpoint last = read_checkpoint(Run::last_of(whole));
  if (given.interrupts.empty()) given.interrupts = usual_interrupts(task, last);
  fmt::print(stderr, "training with a stop at {} …\n", list(given.interrupts));
  if (const int code = train_with_stops(task, given, stopped)) return code;
  if (compare_runs(whole, stopped)) {
    print(fmt::format("{} steps, stopped at {}: the resumed run is the uninterrupted one, bit for bit",
                      last.position.step, list(given.interrupts)));
    return 0;
  }
  place.keep();
  print(fmt::format("the resumed run is NOT the uninterrupted one; both are in {}", place.path().string()));
  return 1;
}

int verify_until_stopped(const TaskEntry& task, const Arguments& given) {
  try {
    return verify(task, given);
  } catch (const Stopped& stopped) {
    fmt::print(stderr, "stopped\n");
    return 128 + stopped.signal;
  }
}

}  // namespace

void add_verify(CLI::App& app, Action& action) {
  CLI::App* verify_command = app.add_subcommand(
      "verify-resume", "train a task with and without stops, and compare the two runs bit for bit");
  verify_command->require_subcommand(1);
  for (const TaskEntry& task : tasks()) {
    CLI::App* command = verify_command->add_subcommand(task.name, task.about);
    const auto given = std::make_shared<Arguments>();
    const std::shared_ptr<Settings> settings = task.settings();
    add_flags(*command, settings->options, given->flags);
    for (const char* own : {"--interrupt-at", "--out"}) command->remove_option(command->get_option(own));
    command->add_option("--config", given->config_file, "TOML file whose keys are these options' names");
    command
        ->add_option("--interrupt-at", given->interrupts,
                     "STEP or STEP:BATCH of each stop; by itself two, a third and two thirds of the way")
        ->delimiter(',');
    command->add_option("--out", given->out,
                        "folder of both runs; by itself one that is removed when they are equal");
    command->callback([&task, given, settings, &action] {
      action = [&task, given] { return verify_until_stopped(task, *given); };
    });
  }
}

}  // namespace fovea
