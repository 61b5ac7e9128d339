#pragma once

#include <algorithm>
#include <memory>
#include <optional>

#include "autograd/gradcheck.hpp"
#include "cli/print.hpp"
#include "cli/report_file.hpp"
#include "cli/session.hpp"
#include "cli/tasks.hpp"
#include "cli/tensorboard.hpp"
#include "core/draw.hpp"
#include "core/onednn/onednn.hpp"
#include "training/about.hpp"
#include "training/fit.hpp"
#include "training/predictor_of.hpp"
#include "training/text.hpp"

// Makes a TaskEntry of a task. Beside the seam of training/task.hpp the task has
//
//     static constexpr const char* name = "cities";
//     static constexpr const char* about = "finds a city by name";
//     struct Config { …; void describe(Options&); };
//     static TrainConfig defaults();
//     MyTask(const Config&, std::uint64_t seed);        // reads data, builds the model from the seed
//
// and, where it makes sense,
//
//     std::string report(const Metrics&);               // a table for people
//     what answers, of which training/predictor_of.hpp tells
//     Metrics evaluate_fully(Split);                    // what is reported; evaluate may be quicker
//     static void use_preset(const std::string&, TrainConfig&, Config&);   // for a setting `preset`
//     std::vector<std::pair<std::string, std::string>> data_checksums() const;   // file → file_checksum
//     std::vector<report::Picture> pictures(const report::Wanted&) const;   // items, and what was looked at
//     static MyTask tiny(const Config&);                // small data and model, for gradcheck
//     double entropy_weight;                            // set from --entropy
//     std::vector<std::string> notes() const;           // what to know of the data before a run
//
// `data` among the settings is what `--data FILE` of evaluate and predict replaces. Everything lives in
// `namespace fovea::inline FOVEA_REAL`, because it stands in the program in both precisions.

namespace fovea::inline FOVEA_REAL {

namespace detail {

template <class T>
void set_entropy(T& task, double weight) {
  if constexpr (requires { task.entropy_weight = weight; }) {
    if constexpr (requires { task.has_attention(); })
      check<ConfigError>(weight == 0 || task.has_attention(), "--entropy",
                         "the model has no attention whose entropy could count");
    task.entropy_weight = weight;
  } else {
    check<ConfigError>(weight == 0, "--entropy", "the task ", T::name,
                       " has no attention whose entropy could count");
  }
}

template <class T>
Label label_of(const T& task, const Settings& settings) {
  Label label{T::name, settings.options.toml(), {}};
  if constexpr (requires { task.data_checksums(); }) label.data = task.data_checksums();
  return label;
}

template <class T>
std::string report_of(T& task, const Metrics& metrics) {
  if constexpr (requires { task.report(metrics); }) {
    return task.report(metrics);
  } else {
    return metrics.table();
  }
}

/// What to know of the data before a run: how much there is of each split, and what the task itself has to
/// say.
template <class T>
std::vector<std::string> notes_of(const T& task, const TrainConfig& config) {
  const std::size_t chosen_by = task.size(Split::validation);
  std::vector<std::string> notes{
      join("data: ", task.size(Split::train), " items to train on, ",
           chosen_by ? join(chosen_by, " to choose the model by, ")
                     : "none to choose it by, so the last model is the result (there is no best.fovea), ",
           task.size(Split::test), " to test with")};
  if constexpr (requires { task.notes(); })
    for (std::string& note : task.notes()) notes.push_back(std::move(note));
  if (config.precision != "f32")
    notes.push_back(
        join("products of training steps in ", config.precision,
             config.precision == "bf16" ? join(" by oneDNN ", onednn::description()) : std::string()));
  constexpr std::uint64_t few_steps = 100;
  const std::uint64_t steps = plan_of(task, config).total();
  if (steps < few_steps && config.steps == 0)
    notes.push_back(
        join("only ", steps, " steps will be taken, in ", config.epochs,
             " epochs: with so little data more --epochs, or --steps, give a model time to learn"));
  return notes;
}

template <class T>
Evaluation evaluate(T& task, Split split) {
  check<ConfigError>(task.size(split) > 0, "evaluate", "the ", to_string(split), " split of ", T::name,
                     " is empty");
  const NoGrad no_graph;
  const Metrics metrics = [&] {
    if constexpr (requires { task.evaluate_fully(split); }) {
      return task.evaluate_fully(split);
    } else {
      return task.evaluate(split);
    }
  }();
  const std::size_t items = task.size(split);
  return {split, items, metrics,
          join(to_string(split), " split, ", items, " items\n", report_of(task, metrics))};
}

/// Gives a new run the parameters that --init-from asks for. What to know of it goes to `notes`.
template <class T>
void start_from(T& task, const TrainConfig& config, std::vector<std::string>& notes) {
  check<ConfigError>(config.match.empty() || !config.init_from.empty(), "--match",
                     "chooses what --init-from takes; name a checkpoint there");
  if (config.init_from.empty()) return;
  const Checkpoint from = read_checkpoint(config.init_from, Reading::to_predict);
  const std::vector<NamedParam> all = parameters(task.model);
  const std::vector<NamedBuffer> kept = buffers(task.model);
  const std::size_t taken = load_part(from, all, kept, config.match);
  notes.push_back(join("starting from ", from.origin, " (", from.label.task, ", step ", from.position.step,
                       "): ", taken, " of ", all.size() + kept.size(), " arrays"));
  const NamedParam* bad = first_not_finite(all);
  check<CheckpointError>(!bad, "--init-from", from.origin, " holds values that are not finite, in ",
                         bad ? bad->path : "");
  Entries own;
  StateWriter writer(own);
  task.state(writer);
  std::vector<std::string> others;
  for (const Entry& entry : own.all()) {
    const Entry* theirs = from.entries.find(entry.name);
    if (theirs && (kind_name(entry) != kind_name(*theirs) || checksum(*theirs) != checksum(entry)))
      others.push_back(entry.name);
  }
  if (!others.empty())
    notes.push_back(join("its ", list(others),
                         " is not that of this training: rows of an embedding may stand for other "
                         "words, and numbers be on another scale; --match can leave parameters out"));
}

template <class T>
std::vector<report::Picture> pictures_of(const T& task, const report::Wanted& wanted) {
  if constexpr (requires { task.pictures(wanted); }) {
    const NoGrad no_graph;
    return task.pictures(wanted);
  } else {
    return {};
  }
}

template <class T>
int train(Settings& settings, const TrainRequest& request) {
  const Session session = open_session(settings, T::name, request);
  T task(static_cast<SettingsOf<T>&>(settings).config, settings.train.seed);
  set_entropy(task, settings.train.entropy);
  FitState state = start_state(settings.train);
  check_trains(task, settings.train);
  if (request.print_rates) {
    print(rates_table(plan_of(task, settings.train)));
    return 0;
  }
  const Label label = label_of(task, settings);
  std::vector<std::string> notes = notes_of(task, settings.train);
  if (session.from) {
    check_continues(*session.from, label, task.size(Split::train));
    load_checkpoint(*session.from, task, state);
  } else {
    start_from(task, settings.train, notes);
  }
  Run run(session.folder, session.how, label);
  run.describe(about(), settings.train.seed, parameter_count(task.model), request.command);
  if (settings.train.tensorboard) {
    // The same items at every step, so that one sees what becomes of them.
    const report::Wanted few{.items = {}, .worst = 0, .typical = 2};
    run.follow(tensorboard_sink(run.folder() / "tensorboard", state.position.step,
                                [&task, few] { return pictures_of(task, few); }));
  }
  announce(session, run, notes);
  const FitResult result = guarded(run, [&] { return fit(task, settings.train, state, &run); });
  if (result.signal) return interrupted(session, run, request, state.position, result.signal);
  conclude(run, state.position, result.stopped_early, result.last_is_better);
  // What is reported is the model that was chosen, not the one after the last step.
  std::optional<Averaged> averaged;
  if (state.position.has_best) {
    load_task(read_checkpoint(run.best(), Reading::to_predict),
              task);  // holds averages already, where there are any
  } else {
    averaged.emplace(state.average, parameters(task.model));
  }
  const std::uint64_t parameters = parameter_count(task.model);
  const Split measured = task.size(Split::test) > 0 ? Split::test : Split::validation;
  if (task.size(measured) > 0) {
    print_result(run, state.position, parameters, evaluate(task, measured));
  } else {
    run.conclude(state.position, parameters, "{}");
  }
  write_report(run, [&] { return pictures_of(task, {}); });
  return 0;
}

template <class T>
Evaluation evaluate_checkpoint(const Checkpoint& from, const EvaluateRequest& request) {
  // A file of its own to test with is all that is read.
  const bool alone = request.split == Split::test && is_given(request.flags, "test");
  return evaluate(alone ? *restore_without_data<T>(from, request) : *restore<T>(from, request),
                  request.split);
}

/// The pictures of a checkpoint's task. Items that are named need no data, where the task can do without.
template <class T>
auto picture_maker()
    -> std::vector<report::Picture> (*)(const Checkpoint&, const UseRequest&, const report::Wanted&) {
  if constexpr (requires(const T& task, const report::Wanted& wanted) { task.pictures(wanted); }) {
    return [](const Checkpoint& from, const UseRequest& use, const report::Wanted& wanted) {
      const bool needs_data = wanted.items.empty() || !use.data.empty();
      return pictures_of(needs_data ? *restore<T>(from, use) : *restore_without_data<T>(from, use), wanted);
    };
  } else {
    return nullptr;
  }
}

template <class T>
bool check_gradients(Settings& settings, std::string& report) {
  if constexpr (requires(const typename T::Config& config) { T::tiny(config); }) {
    check<ConfigError>(settings.train.precision == "f32", "gradcheck",
                       "--precision rounds, and differences would show nothing but that; leave it out");
    T task = T::tiny(static_cast<SettingsOf<T>&>(settings).config);
    set_entropy(task, settings.train.entropy);
    const std::vector<std::size_t> items =
        Rng(1).permutation(std::min<std::size_t>(task.size(Split::train), 4));
    // A layer that starts at zero would hide what lies behind it.
    Rng moving(4);
    for (const NamedParam& one : parameters(task.model)) {
      Rng own = moving.split(one.path);
      const Tensor away = normal(own, one.param->shape(), 0, Real(0.1));
      one.param->update([&](Tensor& value) {
        for (std::size_t i = 0; i < value.size(); ++i) value.data()[i] += away.data()[i];
      });
    }
    Rng rng(2);
    const auto batch = std::as_const(task).batch(Split::train, items, rng);
    const GradcheckReport result = gradcheck(parameters(task.model),
                                             [&] {
                                               Pass pass{.training = true, .rng = Rng(3)};
                                               return task.loss(batch, pass).value;
                                             },
                                             {});
    report = result.text();
    return result.passed;
  } else {
    throw ConfigError(join("[gradcheck] the task ", T::name, " has no tiny model to check"));
  }
}

}  // namespace detail

template <Task T>
TaskEntry entry() {
  return {T::name,
          T::about,
          []() -> std::unique_ptr<Settings> { return std::make_unique<SettingsOf<T>>(); },
          &detail::train<T>,
          &detail::evaluate_checkpoint<T>,
          &predictor_of<T>,
          AnswersData<T>,
          detail::picture_maker<T>(),
          &detail::check_gradients<T>};
}

}  // namespace fovea::inline FOVEA_REAL
