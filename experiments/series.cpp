#include <algorithm>

#include <fmt/format.h>

#include "experiments/account/difference.hpp"
#include "experiments/all.hpp"
#include "experiments/trials.hpp"
#include "training/statistics.hpp"

namespace fovea::experiments {
namespace {

constexpr const char* alone = "LSTM alone";
constexpr const char* mean_row = "mean of all scores";
const std::vector<std::string> scores{"additive", "dot",           "scaled_dot", "general",
                                      "cosine",   "additive_norm", "hybrid"};

struct Series {
  std::string table;  // and its column of changes
  Given settings;
};

std::vector<Series> series_of(const Lab& lab) {
  std::vector<Series> all;  // the file first: what is wrong with it shows at once
  if (const auto file = lab.files.find("etth1"); file != lab.files.end())
    all.push_back({"etth1",
                   {{"data", file->second},
                    {"time", "date"},
                    {"target", "*"},
                    {"train-rows", "8640"},
                    {"validation-rows", "2880"},
                    {"test-rows", "2880"},
                    {"history", "96"},
                    {"horizon", "96"},
                    {"output", "point"},
                    {"calendar", "false"},
                    {"batch-size", "64"},
                    {"epochs", "2"}}});
  all.push_back({"seattle", {{"bundled", "seattle"}}});
  all.push_back({"co2", {{"bundled", "co2"}, {"history", "36"}, {"horizon", "12"}, {"epochs", "40"}}});
  if (lab.quick)
    for (Series& series : all) series.settings = with(series.settings, {{"epochs", "1"}, {"width", "4"}});
  return all;
}

// How much a training with attention errs more than the same seed's LSTM alone, per cent of that: one number
// for each score and seed, and one for the mean of all scores.
void add_changes(const Lab& lab, const std::string& series, const std::string& error, Figures& into) {
  for (const std::uint64_t seed : lab.seeds) {
    std::vector<double> changes;
    for (const std::string& score : scores) {
      changes.push_back(100 *
                        (into.at(series, score, error, seed) / into.at(series, alone, error, seed) - 1));
      into.add("change in " + error, score, series, seed, changes.back());
    }
    into.add("change in " + error, mean_row, series, seed, mean(changes));
  }
}

void measure(Lab& lab, Figures& into) {
  for (const Series& series : series_of(lab)) {
    lab.say(series.table);
    const std::vector<Recorded> recorded{{"mae", "MAE"}, {"mse", "MSE"}};
    std::vector<Trial> trials{{alone, "forecast", with(series.settings, {{"model", "lstm"}}), recorded}};
    for (const std::string& score : scores)
      trials.push_back({score, "forecast",
                        with(series.settings, {{"model", "lstm-attention"}, {"attention", score}}),
                        recorded});
    run_trials(lab, series.table, trials, into);
    for (const char* error : {"MAE", "MSE"}) add_changes(lab, series.table, error, into);
  }
}

constexpr const char* changes = "change in MAE";

Difference change_of(const Figures& figures, const std::string& row, const std::string& series) {
  return difference_of(figures.of(changes, row, series));
}

// About 15 %: a tenth or more.
bool is_large(const Difference& change) { return change.is_below() && change.mean <= -10; }

// The score with the greatest improvement.
std::string best_of(const Figures& figures, const std::string& series) {
  return *std::min_element(scores.begin(), scores.end(), [&](const std::string& a, const std::string& b) {
    return change_of(figures, a, series).mean < change_of(figures, b, series).mean;
  });
}

void judge_size(const Figures& figures, std::vector<Verdict>& verdicts) {
  std::size_t large = 0, worse = 0;
  std::string why;
  const std::vector<std::string> all = figures.columns(changes);
  if (all.empty()) return;
  for (const std::string& series : all) {
    const Difference change = change_of(figures, mean_row, series);
    large += is_large(change);
    worse += change.is_above();
    const std::string best = best_of(figures, series);
    why = joined(why, fmt::format("{}: MAE {} %{}, with {} {} %", series, told(change), doubt(change), best,
                                  told(change_of(figures, best, series))));
  }
  verdicts.push_back({"attention makes an LSTM's forecasts about 15 % better",
                      held_of(large, worse, all.size()),
                      fmt::format("{}: mean over {} scores and the best of them, against the LSTM alone. A "
                                  "tenth less or better, clearly and "
                                  "in the mean, on {} of {} series",
                                  why, scores.size(), large, all.size())});
}

void judge_any(const Figures& figures, std::vector<Verdict>& verdicts) {
  std::size_t better = 0, worse = 0, cells = 0;
  std::string why;
  for (const std::string& series : figures.columns(changes)) {
    std::size_t better_here = 0, worse_here = 0;
    for (const std::string& score : scores) {
      const Difference change = change_of(figures, score, series);
      better_here += change.is_below();
      worse_here += change.is_above();
    }
    why = joined(why, fmt::format("{}: {} of {} scores clearly better than the LSTM alone, {} clearly worse",
                                  series, better_here, scores.size(), worse_here));
    better += better_here;
    worse += worse_here;
    cells += scores.size();
  }
  if (cells > 0) verdicts.push_back({"any attention makes them better", held_of(better, worse, cells), why});
}

std::vector<Verdict> judge(const Figures& figures) {
  std::vector<Verdict> verdicts;
  judge_size(figures, verdicts);
  judge_any(figures, verdicts);
  return verdicts;
}

}  // namespace

Experiment series() {
  return {
      {"series",
       "does attention make an LSTM's forecasts better?",
       "`fovea train forecast` with an LSTM alone, whose last state makes the forecast, and with one whose "
       "last state looks for moments of the history like itself, by each score. Within a series all have "
       "the same width, epochs, learning rate (the task's default, tuned for none of them) and seeds; the "
       "model of the best evaluation on the validation rows is tested. Attention adds parameters: the LSTM "
       "alone is not made wider to make up for them.\n\n"
       "- `seattle`: the highest temperature of the next day from 28 days, quantiles, 20 epochs;\n"
       "- `co2`: the next 12 months from 36, quantiles, 40 epochs;\n"
       "- `etth1` (`--etth1 ETTh1.csv`, of github.com/zhouhaoyi/ETDataset): the usual protocol, all seven "
       "columns, 96 hours from 96, reduced: "
       "2 epochs of batches of 64.\n\n"
       "Errors are of the test rows, in deviations of the rows to learn from. A change is the error with "
       "attention by that of the LSTM alone with the same seed, less 1.",
       {{"change in MAE", "change of the MAE by attention", "attention", "%"},
        {"change in MSE", "change of the MSE by attention", "attention", "%"},
        {"seattle", "Seattle, next day", "model"},
        {"co2", "CO2, next 12 months", "model"},
        {"etth1", "ETTh1, next 96 hours", "model"}},
       {{"change in MAE", "change of the MAE by attention", Plot::Kind::dots, "", "%"}},
       judge},
      5,
      measure,
      {"etth1"}};
}

}  // namespace fovea::experiments
