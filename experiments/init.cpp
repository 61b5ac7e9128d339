#include <array>

#include <fmt/format.h>

#include "experiments/account/difference.hpp"
#include "experiments/all.hpp"
#include "experiments/trials.hpp"
#include "training/text.hpp"

namespace fovea::experiments {
namespace {

constexpr const char* base = "orthogonal";  // additive as it is by itself

struct Variant {
  const char* row;
  Given settings;
};

const std::array<Variant, 4>& variants() {
  static const std::array<Variant, 4> all{{
      {base, {}},
      {"Xavier", {{"additive-start", "xavier"}}},
      {"value transform", {{"value-transform", "true"}}},
      {"layer norm", {{"attention", "additive_norm"}}},
  }};
  return all;
}

struct Task {
  std::string name, metric, told;  // and what the metric is called
  bool more_is_better;
  std::size_t steps;
  Given settings;
};

const std::vector<Task>& tasks() {
  static const std::vector<Task> all{
      {"g2p", "per", "phones wrong, %", false, 300, {{"width", "96"}, {"beam", "1"}}},
      {"classify",
       "accuracy",
       "labels right, %",
       true,
       400,
       {{"evidence", "none"}, {"grams", "4"}, {"width", "96"}, {"dropout", "0.3"}}},
      {"forecast", "pinball", "pinball loss", false, 600, {}},
  };
  return all;
}

constexpr const char *early = "half the steps", *late = "all steps";

void measure(Lab& lab, Figures& into) {
  for (const Task& task : tasks()) {
    if (lab.quick && task.name != "forecast") continue;  // they read and test for many seconds, however short
    std::vector<Trial> trials;
    for (const Variant& variant : variants()) {
      for (const char* column : {early, late}) {
        const std::size_t steps = column == late ? task.steps : task.steps / 2;
        const std::string count = fmt::format("{}", lab.pick<std::size_t>(steps, column == late ? 2 : 1));
        const Given common{{"steps", count}, {"eval-every", count}};
        trials.push_back({variant.row,
                          task.name,
                          with(with(task.settings, common), variant.settings),
                          {{task.metric, column}}});
      }
    }
    run_trials(lab, task.name, trials, into);
  }
}

void judge_claim(const Figures& figures, const std::string& claim, const std::string& with_it,
                 const std::string& without, std::vector<Verdict>& verdicts) {
  std::size_t better = 0, worse = 0, all = 0;
  std::string why;
  for (const Task& task : tasks()) {
    for (const char* column : {early, late}) {
      const Difference by = between_rows(figures, task.name, with_it, without, column);
      if (figures.diverged(task.name, with_it, column) > figures.diverged(task.name, without, column)) {
        ++all;
        ++worse;
        why = joined(why, fmt::format("{}, {}: it diverged", task.name, column));
        continue;
      }
      if (by.pairs == 0) continue;
      ++all;
      better += task.more_is_better ? by.is_above() : by.is_below();
      worse += task.more_is_better ? by.is_below() : by.is_above();
      why = joined(why, fmt::format("{}, {}: {} in place of {} ({})", task.name, column,
                                    brief(figures.mean(task.name, with_it, column), 3),
                                    brief(figures.mean(task.name, without, column), 3), told(by)));
    }
  }
  if (all == 0) return;
  verdicts.push_back(
      {claim, held_of(better, worse, all),
       fmt::format("{}. Clearly better in {} of {} cases, clearly worse in {}", why, better, all, worse)});
}

std::vector<Verdict> judge(const Figures& figures) {
  std::vector<Verdict> verdicts;
  judge_claim(figures, "projections of an additive score had better start orthogonal than as Xavier", base,
              "Xavier", verdicts);
  judge_claim(figures, "a value transform helps additive attention", "value transform", base, verdicts);
  judge_claim(figures, "layer norm on the projections helps additive attention", "layer norm", base,
              verdicts);
  return verdicts;
}

}  // namespace

Experiment init() {
  Account account{"init", "what do start values, a value transform and layer norm do for additive attention?",
                  "",     {},
                  {},     judge};
  account.how =
      "`orthogonal` is additive attention as it is by itself: projections start orthogonal, values are taken "
      "as they are. Each other row changes one thing: `Xavier` is `--additive-start xavier`, `value "
      "transform` `--value-transform` (a matrix of parameters more), `layer norm` `--attention "
      "additive_norm`, which norms each of the two "
      "projections.";
  for (const Task& task : tasks()) {
    account.tables.push_back({task.name, task.name + " of the test part: " + task.told, "additive"});
    account.plots.push_back({task.name, task.name, Plot::Kind::dots, "", task.told});
    account.how += fmt::format("\n\n`fovea train {} --steps {}", task.name, task.steps);
    for (const auto& [name, value] : task.settings) account.how += fmt::format(" --{} {}", name, value);
    account.how += "`, " + task.told + ".";
  }
  account.how +=
      "\n\nAll else is the task's own, also the learning rate, which was chosen for the additive score with "
      "an orthogonal start. How far a variant has come early is told by trainings of half the steps, whose "
      "rate falls within those; the last model is tested. Seeds draw other start values, orders and, where "
      "the model draws, dropout; the data are the same.";
  return {account, 4, measure};
}

}  // namespace fovea::experiments
