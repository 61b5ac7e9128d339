#include "cli/session.hpp"

#include <algorithm>
#include <cctype>
#include <cstdio>

#include <fmt/format.h>

#include "cli/print.hpp"
#include "core/check.hpp"
#include "core/parallel.hpp"
#include "training/plan.hpp"
#include "training/text.hpp"

namespace fovea {
namespace {

void apply(Settings& settings, const TrainRequest& request) {
  if (!request.config_file.empty()) settings.options.read_toml_file(request.config_file);
  for (const auto& [name, text] : request.flags) settings.options.set(name, text);
  // A task may count in steps. Who asks for epochs means them.
  if (is_given(request.flags, "epochs") && !is_given(request.flags, "steps"))
    settings.options.set("steps", "0");
}

// The value that file and flags give a setting. All settings are as before then.
std::string requested(Settings& settings, const TrainRequest& request, std::string_view name) {
  const auto restore = settings.options.restorer();
  apply(settings, request);
  std::string value = settings.options.find(name)->value();
  restore();
  return value;
}

// The last checkpoint, or else the newest that is whole; `fallback` says why. A file that is not damaged but
// cannot be read (a newer version, no permission) is an error: to go on without it would replace it.
std::unique_ptr<Checkpoint> newest_checkpoint(const std::filesystem::path& folder, std::string& fallback) {
  const auto whole = [&](const std::filesystem::path& file) -> std::unique_ptr<Checkpoint> {
    try {
      if (std::filesystem::exists(file)) return std::make_unique<Checkpoint>(read_checkpoint(file));
      throw DamagedError(file.string() + " is not there");
    } catch (const DamagedError& error) {
      fallback += (fallback.empty() ? "" : "; ") + std::string(error.what());
      return nullptr;
    }
  };
  std::unique_ptr<Checkpoint> newest;
  for (const std::filesystem::path& file : to_resume_from(folder)) {
    std::unique_ptr<Checkpoint> one = whole(file);
    if (one && (!newest || one->position.step > newest->position.step)) newest = std::move(one);
    if (newest && file == Run::last_of(folder)) break;
  }
  if (!newest) throw CheckpointError(fallback);
  return newest;
}

// A run that goes on from before its best model was saved, or has lost it, has no best one yet.
void check_best(Session& session) {
  Position& at = session.from->position;
  const std::filesystem::path best = Run::best_of(session.folder);
  if (!at.has_best || session.from->origin == best.string()) return;
  std::string fault = best.string() + " is not there";
  try {
    if (std::filesystem::exists(best)) {
      const std::uint64_t step = read_checkpoint(best, Reading::to_predict).position.step;
      if (step == at.best_step) return;
      fault = fmt::format("{} is of step {}", best.string(), step);
    }
  } catch (const DamagedError& error) {
    fault = error.what();
  }
  session.fallback +=
      fmt::format("{}{}, where the best model so far is of step {}: the best one is chosen anew from here on",
                  session.fallback.empty() ? "" : "; ", fault, at.best_step);
  at.has_best = false;
  at.best = 0;
  at.best_ties.clear();
  at.best_step = 0;
}

void resume(Settings& settings, const std::string& task, const TrainRequest& request, Session& session) {
  session.how = Run::Open::resume;
  check<CheckpointError>(std::filesystem::exists(session.folder), "resume", "there is no run ",
                         session.folder.string(), "; --out names one, and without --resume a new one begins");
  session.from = newest_checkpoint(session.folder, session.fallback);
  check_best(session);
  const Checkpoint& from = *session.from;
  check<ConfigError>(from.label.task == task, "train", from.origin, " is of the task ", from.label.task,
                     ", not ", task);
  read_settings(settings, from, {});
  std::vector<std::string> before;
  for (const Option& option : settings.options.all()) before.push_back(option.value());
  const std::uint64_t planned = Plan(settings.train, from.position.items).total();
  apply(settings, request);
  std::size_t i = 0;
  for (const Option& option : settings.options.all()) {
    const std::string& was = before[i++];
    const bool same = !option.saved() || option.changes() || option.value() == was;
    check<ConfigError>(same, "resume", "--", option.name(), " is ", was, " in this run and cannot become ",
                       option.value(), "; leave it out, or start another run with --out");
  }
  const Plan plan(settings.train, from.position.items);
  const std::uint64_t total = plan.total();
  check<ConfigError>(
      !plan.schedule().spans_total() || total == planned, "resume", "the ", settings.train.schedule,
      " schedule was laid out over ", planned, " steps; ", total,
      " would change every rate. Leave --epochs and --steps as they were, or start another run");
}

void tell(Run& run, const std::string& text) {
  fmt::print(stderr, "{}\n", text);
  run.log(text);
}

}  // namespace

Session open_session(Settings& settings, const std::string& task, const TrainRequest& request) {
  check<ConfigError>(!(request.resume && request.overwrite), "train",
                     "--resume and --overwrite exclude each other");
  Session session;
  if (request.resume) {
    // What a run's own config does not hold has its default, not what was asked for this time.
    const std::string out = requested(settings, request, "out");
    session.folder = out.empty() ? newest_run(task) : std::filesystem::path(out);
    resume(settings, task, request, session);
  } else {
    if (settings.options.find("preset")) {
      settings.use_preset(requested(settings, request, "preset"));
      settings.options.take_as_own();
    }
    apply(settings, request);  // what was given wins
    settings.resolve();
    const std::string& out = settings.train.out;
    check<ConfigError>(!request.overwrite || !out.empty(), "train",
                       "--overwrite needs --out with the run to replace");
    session.folder = out.empty() ? next_run(task) : std::filesystem::path(out);
    if (request.overwrite) session.how = Run::Open::overwrite;
  }
  settings.options.check_used();
  set_threads(settings.train.threads);
  return session;
}

void check_continues(const Checkpoint& from, const Label& label, std::uint64_t items) {
  for (const auto& [file, sum] : label.data) {
    const auto& before = from.label.data;
    const auto was =
        std::find_if(before.begin(), before.end(), [&](const auto& pair) { return pair.first == file; });
    check<CheckpointError>(was != before.end() && was->second == sum, "resume", file,
                           " is not what this run was trained on; bring it back, or start another run");
  }
  check<CheckpointError>(items == from.position.items, "resume", "the training split has ", items,
                         " items; this run had ", from.position.items);
}

std::string rates_table(const Plan& plan) {
  check<ConfigError>(!plan.observes(), "--print-rates",
                     "the plateau's rates follow its evaluations; a run's metrics.csv has them");
  std::string text = "step,lr\n";
  std::uint64_t step = 0;
  for (const double rate : plan.schedule().rates()) text += fmt::format("{},{}\n", ++step, rate);
  return text;
}

void announce(const Session& session, Run& run, const std::vector<std::string>& notes) {
  if (!session.fallback.empty()) {
    run.warn(session.fallback);
    fmt::print(stderr, "fovea: {}; going on from {}\n", one_line(session.fallback), session.from->origin);
  }
  const std::string folder = run.folder().string();
  tell(run, session.from ? fmt::format("resuming {} at step {}", folder, session.from->position.step)
                         : fmt::format("training {} in {}", run.label().task, folder));
  for (const std::string& note : notes) tell(run, note);
}

int interrupted(const Session& session, Run& run, const TrainRequest& request, const Position& at,
                int signal) {
  tell(run,
       fmt::format("stopped by signal {} after step {}, saved {}", signal, at.step, run.last().string()));
  tell(run, fmt::format("go on with: {} train {} --resume --out {}", shell_quoted(request.program),
                        run.label().task, shell_quoted(session.folder.string())));
  return 128 + signal;
}

void conclude(Run& run, const Position& at, bool stopped_early, bool last_is_better) {
  std::string text = fmt::format("{} after step {}", stopped_early ? "stopped early" : "finished", at.step);
  if (at.has_best)
    text += fmt::format("; the best model is of step {}: {}", at.best_step, run.best().string());
  else
    text += fmt::format("; the model: {}", run.last().string());
  if (last_is_better)
    text += fmt::format(
        "; the last one is better, but was not evaluated by the schedule, by which the best is chosen: {}",
        run.last().string());
  tell(run, text);
}

void print_result(Run& run, const Position& at, std::uint64_t parameters, const Evaluation& result) {
  run.conclude(at, parameters, result.json());
  print(result.report);
  run.log(fmt::format("{} {}", to_string(result.split), result.metrics.json()));
}

}  // namespace fovea
