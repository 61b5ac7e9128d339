#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "experiments/account/difference.hpp"
#include "experiments/all.hpp"
#include "experiments/trials.hpp"

namespace fovea::experiments {
namespace {

using Names = std::vector<std::string>;

const Names rivals{"dot", "scaled_dot", "general", "cosine", "hybrid"};
constexpr const char* own = "additive";

struct Task {
  std::string table;
  double sign;  // 1: higher is better, -1: lower
};
const std::vector<Task> tasks{{"names", 1}, {"sort", -1}};

// The two smallest sizes, where there are more: the rows of small data.
Names small_of(const Figures& figures, const Task& task) {
  Names sizes = figures.rows(task.table);
  if (!sizes.empty()) sizes.resize(std::clamp<std::size_t>(sizes.size() - 1, 1, 2));
  return sizes;
}

struct Swept {
  std::string table, task, metric, size;  // `size` is the setting whose values are the rows
  Names sizes;
  Given settings;
};

std::vector<Swept> swept(const Lab& lab) {
  const Given quick = lab.quick ? Given{{"steps", "1"}, {"eval-every", "1"}, {"width", "4"}} : Given{};
  return {
      {"names", "classify", "accuracy", "train-size",
       lab.pick(Names{"0.02", "0.05", "0.2", "1"}, Names{"0.02"}),  // a second to read, each
       with({{"evidence", "none"},
             {"model", "embedding"},
             {"grams", "4"},
             {"width", "64"},
             {"lr", "0.006"},
             {"steps", "300"},
             {"eval-every", "100"}},
            quick)},
      {"sort", "sort", "ter", "sequences", lab.pick(Names{"100", "250", "1000", "8000"}, Names{"100", "250"}),
       with({{"width", "64"}, {"steps", "300"}, {"warmup", "50"}, {"eval-every", "100"}, {"beam", "1"}},
            quick)}};
}

void measure(Lab& lab, Figures& into) {
  Names scores{own};
  scores.insert(scores.end(), rivals.begin(), rivals.end());
  for (const Swept& one : swept(lab)) {
    std::vector<Trial> trials;
    for (const std::string& size : one.sizes)
      for (const std::string& score : scores)
        if (!lab.quick || one.table == "sort" || score == own)
          trials.push_back({size,
                            one.task,
                            with(one.settings, {{one.size, size}, {"attention", score}}),
                            {{one.metric, score}}});
    run_trials(lab, one.table, trials, into);
  }
}

// By how much additive is better than the mean of some rivals, in points of the table's measure: a number for
// each seed, the mean over some sizes. NaN of a seed for which one diverged.
std::vector<double> advantage(const Figures& figures, const Task& task, const Names& over,
                              const Names& sizes) {
  std::vector<double> pairs;
  for (const std::uint64_t seed : figures.seeds(task.table)) {
    double sum = 0;
    for (const std::string& size : sizes)
      for (const std::string& rival : over)
        sum +=
            task.sign * (figures.at(task.table, size, own, seed) - figures.at(task.table, size, rival, seed));
    pairs.push_back(sum / static_cast<double>(sizes.size() * over.size()));
  }
  return pairs;
}

Difference of_finite(std::vector<double> pairs) {
  std::erase_if(pairs, [](double one) { return !std::isfinite(one); });
  return difference_of(pairs);
}

bool has_diverged_of(const Figures& figures, const Task& task, const std::string& score, const Names& sizes) {
  return std::any_of(sizes.begin(), sizes.end(),
                     [&](const std::string& size) { return figures.diverged(task.table, size, score) > 0; });
}

void judge_best(const Figures& figures, std::vector<Verdict>& verdicts) {
  std::size_t beaten = 0, better = 0, cells = 0;
  std::string why;
  for (const Task& task : tasks) {
    const Names small = small_of(figures, task);
    if (small.empty()) continue;
    std::string one;
    for (const std::string& rival : rivals) {
      const std::vector<double> pairs = advantage(figures, task, {rival}, small);
      const Difference difference = of_finite(pairs);
      const bool has_diverged = has_diverged_of(figures, task, own, small);
      beaten += difference.is_above() && !has_diverged;
      better += difference.is_below() || has_diverged;
      cells += !pairs.empty();
      one += (one.empty() ? "" : ", ") + rival + " " + told(difference);
    }
    why = joined(why, fmt::format("{}: additive is better by so many points at {}, than {}", task.table,
                                  fmt::join(small, " and "), one));
  }
  if (cells == 0) return;
  verdicts.push_back({"additive attention suits small data", held_of(beaten, better, cells),
                      fmt::format("{}. Clearly better than {} of {} rivals, clearly worse than {}", why,
                                  beaten, cells, better)});
}

void judge_growth(const Figures& figures, std::vector<Verdict>& verdicts) {
  std::size_t shrinks = 0, measured = 0;
  std::string why;
  for (const Task& task : tasks) {
    const Names sizes = figures.rows(task.table), small = small_of(figures, task);
    if (sizes.size() < 2) continue;
    const std::vector<double> here = advantage(figures, task, rivals, small),
                              there = advantage(figures, task, rivals, {sizes.back()});
    std::vector<double> pairs;
    for (std::size_t i = 0; i < here.size(); ++i) pairs.push_back(here[i] - there[i]);
    const Difference difference = of_finite(pairs);
    if (!of_finite(here).is_above()) continue;  // there is nothing to make up for
    shrinks += difference.is_above();
    ++measured;
    why = joined(why, fmt::format("{}: ahead of the rivals' mean by {} points at {}, by {} at {}: {} more",
                                  task.table, told(of_finite(here)), fmt::join(small, " and "),
                                  told(of_finite(there)), sizes.back(), told(difference)) +
                          doubt(difference));
  }
  if (measured > 0)
    verdicts.push_back({"more data make up for its advantage", held_of(shrinks, measured), why});
}

std::vector<Verdict> judge(const Figures& figures) {
  std::vector<Verdict> verdicts;
  judge_best(figures, verdicts);
  judge_growth(figures, verdicts);
  return verdicts;
}

}  // namespace

Experiment small_data() {
  return {
      {"small-data",
       "which attention learns most from few data?",
       "The same model, by each score, learns from fewer and fewer texts. All have the same number of "
       "steps, so that with few data each text is seen more often, and the same learning rate; the model of "
       "the best of three evaluations on the validation part is tested. Validation and test parts are "
       "whole. Which texts are left is drawn by the seed, the same for all scores.\n\n"
       "- `names`: `fovea train classify --model embedding --grams 4 --evidence none`, width 64, 300 steps "
       "of "
       "64 names, rate 0.006: which country a place's name is from;\n"
       "- `sort`: an LSTM of width 64 with attention sorts 3 to 12 symbols, 300 steps of 64.\n\n"
       "Small data are the two smallest sizes. Rates were not tuned for each score.",
       {{"names", "names whose country is found, by the part of 18,000 texts to learn from", "part", "%"},
        {"sort", "symbols sorted wrong, by the sequences to learn from", "sequences", "%"}},
       {{"names", "names whose country is found", Plot::Kind::lines, "part of the texts", "%", true, false},
        {"sort", "symbols sorted wrong", Plot::Kind::lines, "sequences", "%", true, false}},
       judge},
      5,
      measure};
}

}  // namespace fovea::experiments
