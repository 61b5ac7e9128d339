#include "training/run.hpp"

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <map>
#include <sys/file.h>
#include <unistd.h>

#include <fmt/format.h>
#include <spdlog/sinks/basic_file_sink.h>
#include <spdlog/spdlog.h>

#include "core/check.hpp"
#include "training/file.hpp"

namespace fovea {
namespace fs = std::filesystem;
namespace {

constexpr const char* checkpoints = "checkpoints";
constexpr const char* own_files[] = {"config.toml", "run.json",  "metrics.csv", "metrics.jsonl",
                                     "watch.jsonl", "train.log", "report.html", "result.json"};

fs::path run_name(const std::string& task, std::uint64_t number) {
  return fs::path("runs") / (number == 1 ? task : fmt::format("{}-{}", task, number));
}

// The number of a run of this task by its folder's name; 0 for any other name.
std::uint64_t run_number(const std::string& task, const std::string& name) {
  if (name == task) return 1;
  if (!name.starts_with(task + "-")) return 0;
  std::uint32_t number = 0;  // leaves room for one more
  std::from_chars(name.data() + task.size() + 1, name.data() + name.size(), number);
  return number > 1 && run_name(task, number).filename() == name ? number : 0;
}

// The highest number that `counts(entry)`; 0 when none does.
template <class Counts>
std::uint64_t highest_run(const std::string& task, const Counts& counts) {
  std::uint64_t highest = 0;
  std::error_code reason;  // no folder, no runs
  for (const fs::directory_entry& entry : fs::directory_iterator("runs", reason)) {
    if (counts(entry)) highest = std::max(highest, run_number(task, entry.path().filename().string()));
  }
  return highest;
}

[[noreturn]] void fail(const std::string& what, const std::error_code& reason) {
  throw Error(fmt::format("{}: {}; choose another folder with --out", what, reason.message()));
}

bool holds_anything(const fs::path& folder) {
  std::error_code reason;
  if (!fs::exists(folder, reason)) return false;
  if (!fs::is_directory(folder, reason))
    fail("cannot use " + folder.string(), std::make_error_code(std::errc::not_a_directory));
  const bool empty = fs::is_empty(folder, reason);
  if (reason) fail("cannot look into " + folder.string(), reason);
  return !empty;
}

void make_folders(const fs::path& folder) {
  std::error_code reason;
  fs::create_directories(folder / checkpoints, reason);
  if (reason) fail("cannot create " + (folder / checkpoints).string(), reason);
  for (const fs::path& place : {folder, folder / checkpoints}) {
    if (::access(place.c_str(), W_OK | X_OK) != 0)
      fail("cannot write to " + place.string(), {errno, std::system_category()});
  }
}

void remove_file(const fs::path& file) {
  std::error_code reason;
  fs::remove(file, reason);
  if (reason) fail("cannot remove " + file.string(), reason);
}

fs::path step_file(const fs::path& folder, std::uint64_t step) {
  return folder / checkpoints / fmt::format("step-{}.fovea", step);
}

// The saves that are kept beside the last one, by step.
std::map<std::uint64_t, fs::path> kept_steps(const fs::path& folder) {
  constexpr std::string_view prefix = "step-";
  std::map<std::uint64_t, fs::path> found;
  std::error_code reason;  // no folder, no files
  for (const fs::directory_entry& entry : fs::directory_iterator(folder / checkpoints, reason)) {
    const std::string name = entry.path().filename().string();
    if (!name.starts_with(prefix)) continue;
    std::uint64_t step = 0;
    std::from_chars(name.data() + prefix.size(), name.data() + name.size(), step);
    if (entry.path() == step_file(folder, step)) found.emplace(step, entry.path());
  }
  return found;
}

// What saves that were killed have left.
void remove_leftovers(const fs::path& folder) {
  std::vector<fs::path> found;
  const auto look = [&](const fs::path& place, const auto& is_own) {
    for (const fs::directory_entry& entry : fs::directory_iterator(place)) {
      const std::optional<fs::path> saved = name_behind(entry.path());
      if (saved && is_own(saved->filename())) found.push_back(entry.path());
    }
  };
  look(folder, [](const fs::path& name) {
    return std::find(std::begin(own_files), std::end(own_files), name) != std::end(own_files);
  });
  look(folder / checkpoints, [](const fs::path& name) { return name.extension() == ".fovea"; });
  for (const fs::path& file : found) remove_file(file);
}

// `to` becomes another name of `from`, or a copy where the file system has no such names. Error when neither
// can be.
void keep_as(const fs::path& from, const fs::path& to) {
  if (::link(from.c_str(), to.c_str()) == 0) return;
  if (errno == EEXIST) {  // of a save at that step by an earlier session
    remove_file(to);
    return keep_as(from, to);
  }
  replace_file(to, read_file(from));
}

}  // namespace

struct Run::Log {
  explicit Log(const fs::path& path)
      : logger("train", std::make_shared<spdlog::sinks::basic_file_sink_mt>(path.string())) {
    logger.set_pattern("%Y-%m-%d %H:%M:%S  %l  %v");
    logger.flush_on(spdlog::level::info);
    logger.set_error_handler([](const std::string& reason) { throw Error(reason); });
  }
  spdlog::logger logger;
};

fs::path Run::last_of(const fs::path& folder) { return folder / checkpoints / "last.fovea"; }
fs::path Run::best_of(const fs::path& folder) { return folder / checkpoints / "best.fovea"; }

Run::Run(fs::path folder, Open how, Label label) : folder_(std::move(folder)), label_(std::move(label)) {
  const bool taken = holds_anything(folder_);
  check<ConfigError>(
      !taken || how != Open::fresh, "run", folder_.string(),
      " is not empty; --resume goes on with it, --overwrite starts anew, --out names another folder");
  make_folders(folder_);
  lock_ = Descriptor(folder_, O_RDONLY | O_DIRECTORY);
  if (!lock_.is_open()) fail("cannot open " + folder_.string(), {errno, std::system_category()});
  // On a file system without locks it goes without.
  if (::flock(lock_.number(), LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK) {
    throw Error(folder_.string() +
                " is in use by another process; wait for it, or choose another folder with --out");
  }
  if (how == Open::overwrite) {
    for (const char* name : own_files) remove_file(folder_ / name);
    for (const fs::path& file : {last(), best()}) remove_file(file);
    for (const auto& [step, file] : kept_steps(folder_)) remove_file(file);
  }
  if (how == Open::resume) remove_file(folder_ / "result.json");  // until it comes to its end again
  remove_leftovers(folder_);
  try {
    log_ = std::make_unique<Log>(folder_ / "train.log");
  } catch (const spdlog::spdlog_ex& error) {
    throw Error(error.what());
  }
}

Run::~Run() = default;

void Run::save_last(std::uint64_t step, std::uint64_t keep,
                    const std::function<void(const fs::path&)>& write) {
  const std::optional<std::uint64_t> before = last_step();
  if (before && *before < step && keep > 1) {
    try {
      keep_as(last(), step_file(folder_, *before));
    } catch (const Error& error) {  // what is new counts more
      warn(fmt::format("the save of step {} is not kept: {}", *before, error.what()));
    }
  }
  write(last());
  last_step_ = step;
  std::map<std::uint64_t, fs::path> kept = kept_steps(folder_);
  for (auto at = kept.lower_bound(step); at != kept.end(); at = kept.erase(at)) remove_file(at->second);
  while (kept.size() + 1 > keep) {
    remove_file(kept.begin()->second);
    kept.erase(kept.begin());
  }
}

std::optional<std::uint64_t> Run::last_step() {
  if (last_step_ || !fs::exists(last())) return last_step_;
  try {  // of an earlier session
    last_step_ = read_checkpoint(last(), Reading::to_predict).position.step;
  } catch (const CheckpointError&) {  // it cannot be kept then
  }
  return last_step_;
}

std::vector<fs::path> to_resume_from(const fs::path& folder) {
  std::vector<fs::path> files{Run::last_of(folder)};
  const std::map<std::uint64_t, fs::path> kept = kept_steps(folder);
  for (auto at = kept.rbegin(); at != kept.rend(); ++at) files.push_back(at->second);
  if (fs::exists(Run::best_of(folder))) files.push_back(Run::best_of(folder));
  return files;
}

void Run::log(const std::string& text) { log_->logger.info(text); }
void Run::warn(const std::string& text) {
  try {
    log_->logger.warn(text);
  } catch (const Error&) {  // what is warned of is told elsewhere too, and must not be replaced by this
  }
}

fs::path next_run(const std::string& task) {
  return run_name(task, highest_run(task, [](const fs::directory_entry&) { return true; }) + 1);
}

fs::path newest_run(const std::string& task) {
  const std::uint64_t number = highest_run(task, [](const fs::directory_entry& entry) {
    std::error_code reason;
    return entry.is_directory(reason);
  });
  check<ConfigError>(number > 0, "run", "there is no ", run_name(task, 1).string(),
                     " to go on with; --out names another");
  return run_name(task, number);
}

}  // namespace fovea
