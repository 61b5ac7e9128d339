#pragma once

#include "core/precision.hpp"
#include "training/journal.hpp"
#include "training/look.hpp"
#include "training/signals.hpp"
#include "training/step.hpp"

namespace fovea::inline FOVEA_REAL {

struct FitResult {
  int signal = 0;               // that ended training before its time, else 0
  bool stopped_early = false;   // by patience
  bool last_is_better = false;  // than the best one, but its evaluation was not due: see Journal::evaluated
};

/// A new run's state. ConfigError for settings that the method cannot honour.
inline FitState start_state(const TrainConfig& config) {
  for (const ParamGroup& group : config.groups) {
    check<ConfigError>(config.optimizer != "adam" || group.decay.value_or(0) == 0, "groups", group.glob,
                       " has a decay, and adam takes none; adamw does");
  }
  FitState state{{}, make_optimizer(config.optimizer, config.weight_decay)};
  if (config.ema > 0) state.average.emplace(config.ema);
  return state;
}

/// The plan of a task's training. Where the task has a `length`, batches are made of items of like length.
template <Task T>
Plan plan_of(const T& task, const TrainConfig& config) {
  const std::size_t items = task.size(Split::train);
  std::vector<std::size_t> lengths;
  if constexpr (requires { task.length(Split::train, items); }) {
    for (std::size_t i = 0; i < items; ++i) lengths.push_back(task.length(Split::train, i));
  }
  return Plan(config, items, std::move(lengths));
}

/// ConfigError when the task cannot be trained like this: a group that matches no parameter, nothing left to
/// train, a schedule that needs evaluations where there are none, a precision that this machine has not.
template <Task T>
void check_trains(T& task, const TrainConfig& config) {
  const Precision precision = precision_of(config.precision);
  check<ConfigError>(precision == Precision::f32 || sizeof(Real) == sizeof(float), "--precision",
                     config.precision, " is for training in single precision, and this is the double build");
  check_available(precision);
  const Plan plan = plan_of(task, config);
  check<ConfigError>(!grouped(parameters(task.model), config.all_groups()).empty(), "--freeze",
                     "every parameter is frozen; nothing is left to train");
  check<ConfigError>(!plan.observes() || task.size(Split::validation) > 0, "--schedule",
                     "plateau follows evaluations, and the validation split is empty; choose another");
}

/// Trains from `state` to the end that `config` names, or until nothing has got better for `patience`
/// evaluations, or until a signal. With a run directory: `last` is saved on the way and at the end, `best`
/// after each evaluation that is due and better than all before, and at the end where none was due yet. The
/// model is left as after the last step.
/// DivergedError leaves model and `state` at the last good step, and saves it. With --on-nonfinite skip:N a
/// step that comes to such an end is left out instead, up to N in a row: no parameter and no moment changes
/// by it. A signal waits for the end of a step, so that no file ever holds half of an accumulated gradient.
/// `config.precision` is that of the steps, forward and backward; all between them, evaluations too, is f32.
/// With an average of the weights, evaluations and what a checkpoint gives to `load_task` are of the average.
template <Task T>
FitResult fit(T& task, const TrainConfig& config, FitState& state, Run* run = nullptr) {
  check_trains(task, config);
  Plan plan = plan_of(task, config);
  const std::vector<ParamGroup> groups = config.all_groups();
  Position& at = state.position;
  Journal journal(plan, at, run);
  const bool untrained = at.step == 0 && config.init_from.empty();
  Watcher watcher(config.watch, at.step, groups,
                  Findings(untrained, run ? run->first_watched_loss() : std::nullopt));
  const Signals signals;
  const bool evaluates = task.size(Split::validation) > 0;
  const auto tired = [&] { return config.patience > 0 && at.stale >= config.patience; };
  const auto write = [&](const std::filesystem::path& path) {
    const std::vector<NamedParam> params = parameters(task.model);
    const NamedParam* bad = first_not_finite(params);
    check<DivergedError>(!bad, "training", "step ", at.step, " left ", bad ? bad->path : "",
                         " not finite, so the model is not saved; try a lower --lr");
    save_checkpoint(path, task, state, run->label());
  };
  const auto save_last = [&] { run->save_last(at.step, config.keep, write); };

  bool last_is_better = false;
  while (at.step < plan.total() && !tired()) {
    try {
      watcher.before(task, plan, at.step);
      const double rate = plan.rate(at.step) * at.plateau.scale;
      const bool blames =
          at.skipped == 0 || at.skipped >= plan.may_skip();  // once in a row of steps, and at the end
      journal.step([&] {
        const WithPrecision of_products(precision_of(config.precision));
        return train_step(task, plan, at.step, {*state.optimizer, rate, config.clip_norm, groups}, blames);
      }());
      if (state.average) state.average->update(parameters(task.model));
      watcher.after(task, journal);
    } catch (const DivergedError& error) {
      watcher.after(task, journal);
      const bool whole = !first_not_finite(parameters(task.model));
      if (!whole || at.skipped >= plan.may_skip()) {
        if (run && whole) save_last();
        throw;
      }
      journal.skipped(error.what());
    }
    if (plan.evaluates(at.step) && !evaluates) journal.summed();
    if (plan.evaluates(at.step) && evaluates) {
      const NoGrad no_graph;
      const Metrics metrics = [&] {
        const Averaged averaged(state.average, parameters(task.model));
        return task.evaluate(Split::validation);
      }();
      const bool better = journal.evaluated(metrics);
      plan.observe(at.step, metrics, at.plateau);
      if (run && better && (plan.due(at.step) || !at.has_best)) write(run->best());
      last_is_better = better && !plan.due(at.step) && at.has_best;
    }
    if (run && run->sink() && plan.evaluates(at.step)) {
      show_parameters(*run->sink(), at.step, parameters(task.model));
      const NoGrad no_graph;
      const Averaged averaged(state.average, parameters(task.model));
      run->sink()->evaluated(at.step);
    }
    const int signal = signals.received();
    if (run && (plan.saves(at.step) || signal || tired())) save_last();
    if (signal && at.step < plan.total()) return {signal};
  }
  if (run && run->last_step() != at.step)
    save_last();  // it was at its end, and its last checkpoint is damaged
  return {0, at.step < plan.total(), last_is_better};
}

}  // namespace fovea::inline FOVEA_REAL
