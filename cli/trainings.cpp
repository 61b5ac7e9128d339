#include "cli/trainings.hpp"

#include <algorithm>
#include <csignal>

#include <fmt/format.h>

#include "cli/child.hpp"
#include "training/file.hpp"

namespace fovea {
namespace fs = std::filesystem;
namespace {

constexpr int diverged = 5;  // the exit code of a training

fs::path log_of(const Job& job) { return job.place.string() + ".log"; }

std::string last_line(const fs::path& log) {
  std::string text = read_file(log);
  while (text.ends_with('\n')) text.pop_back();
  return text.substr(text.rfind('\n') + 1);
}

void start(Children& children, const Job& job, std::size_t number) {
  std::vector<std::string> words = job.words;
  words.push_back("--out=" + job.place.string());
  if (fs::exists(job.place / "checkpoints" / "last.fovea"))
    words.push_back("--resume");
  else if (fs::exists(job.place))
    words.push_back("--overwrite");
  children.start(words, log_of(job), number);
}

// Whether it diverged.
bool result_of(const Ended& ended, const Job& job) {
  if (ended.killed_by)
    throw Error(join(job.name, " was ended by signal ", ended.killed_by,
                     ended.killed_by == SIGKILL ? " (is there too little memory?)" : "", "; see ",
                     log_of(job).string()));
  if (ended.code == 0) return false;
  const std::string line = last_line(log_of(job));
  if (ended.code != diverged) throw TrainingFailed(ended.code, ended.number, line);
  fmt::print(stderr, "{}\n", line);
  return true;
}

}  // namespace

fs::path result_file(const Job& job) { return job.place / "result.json"; }

int stopped_by(int signal, const std::string& again) {
  fmt::print(stderr, "stopped; go on with: {}\n", again);
  return 128 + signal;
}

void claim(const fs::path& folder, const std::string& name, const std::string& record) {
  const fs::path file = folder / (name + ".json");
  if (!fs::exists(file)) {
    std::error_code reason;
    const bool taken = fs::exists(folder, reason) && !fs::is_empty(folder, reason);
    check<ConfigError>(!taken, name, folder.string(), " is not empty; --out names another folder");
    fs::create_directories(folder, reason);
    if (reason) throw Error("cannot create " + folder.string() + ": " + reason.message());
    replace_file(file, record);
    return;
  }
  check<ConfigError>(read_file(file) == record, name, folder.string(),
                     " was begun with other settings, other files or another version: see ", file.string(),
                     "; --out names another folder");
}

std::vector<bool> train_all(std::span<const Job> jobs, std::size_t at_once) {
  std::vector<bool> all(jobs.size());
  Children children;
  at_once = std::min(at_once, Children::most);
  std::size_t next = 0;
  while (true) {
    while (next < jobs.size() && children.running() < at_once && !children.asked()) {
      fmt::print(stderr, "{} of {}: {}\n", next + 1, jobs.size(), jobs[next].name);
      if (!fs::exists(result_file(jobs[next]))) start(children, jobs[next], next);
      ++next;
    }
    if (children.running() == 0) break;
    const Ended ended = children.wait();
    // Even where a training came to its end: who asks wants no other one.
    if (children.asked() == 0) all[ended.number] = result_of(ended, jobs[ended.number]);
  }
  if (children.asked()) throw Stopped{children.asked()};
  return all;
}

}  // namespace fovea
