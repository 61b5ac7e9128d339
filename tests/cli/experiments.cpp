#include "experiments/trials.hpp"

// The experiments of the program that the tests run: one that trains the made-up task, also in a way that
// diverges, and one that a training fails.

namespace fovea::experiments {
namespace {

void rates(Lab& lab, Figures& into) {
  std::vector<Trial> trials;
  for (const char* rate : {"0.01", "0.02", "1e30"})
    trials.push_back({rate,
                      "line",
                      {{"lr", rate},
                       {"optimizer", "sgd"},
                       {"clip-norm", "0"},
                       {"steps", lab.pick("30000", "9")},
                       {"eval-every", lab.pick("2000", "0")}},
                      {{"error", "error"}, {"parameters", "parameters"}}});
  run_trials(lab, "rates", trials, into);
  if (lab.files.contains("numbers")) into.add("own", "1", "x", 1, 1);
}

void broken(Lab& lab, Figures& into) {
  const std::vector<Trial> trials{{"all", "line", {{"data", "broken"}}, {{"error", "error"}}}};
  run_trials(lab, "broken", trials, into);
}

std::vector<Verdict> judge(const Figures& figures) {
  const double slow = figures.mean("rates", "0.01", "error"), fast = figures.mean("rates", "0.02", "error");
  return {
      {"a higher rate learns more", fast < slow ? Verdict::Held::yes : Verdict::Held::no, "see the table"}};
}

}  // namespace

std::span<const Experiment> experiments() {
  static const std::vector<Experiment> all{
      {{"rates",
        "which rate is best?",
        "Trained.",
        {{"rates", "errors", "rate"}, {"own", "own numbers", "x"}},
        {{"rates", "errors", Plot::Kind::lines, "rate", "", true, true, {"error"}}},
        judge},
       2,
       rates,
       {"numbers"}},
      {{"broken", "does it work?", "It does not.", {{"broken", "errors", "kind"}}, {}, judge}, 1, broken}};
  return all;
}

}  // namespace fovea::experiments
