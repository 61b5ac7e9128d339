#include <array>
#include <optional>

#include <fmt/format.h>

#include "core/draw.hpp"
#include "examples/cities/catalogue.hpp"
#include "experiments/account/difference.hpp"
#include "experiments/all.hpp"
#include "experiments/excerpt.hpp"
#include "experiments/trials.hpp"
#include "experiments/turns.hpp"
#include "modules/attention/attention.hpp"
#include "training/text.hpp"

namespace fovea::experiments {
namespace {

constexpr std::size_t places = 26'416, width = 128;

// By the names of `fovea train cities --attention`.
constexpr std::array<const char*, 5> attentions{"dot", "scaled_dot", "cosine", "additive", "hybrid"};
// The columns that claims are judged by.
constexpr std::array<const char*, 2> judged{"unseen names, MRR", "unseen cities, MRR"};

void measure_matching(Lab& lab, Figures& into) {
  const std::string few = lab.quick ? excerpt(cities::bundled_catalogue(), 300, lab.folder) : "";
  std::vector<Trial> trials;
  for (const std::string attention : attentions) {
    if (lab.quick && (attention == "scaled_dot" || attention == "additive")) continue;  // hybrid has both
    Given settings{{"attention", attention},
                   {"steps", lab.pick("500", "1")},
                   {"warmup", lab.pick("100", "1")},
                   {"eval-every", lab.pick("250", "1")},
                   {"negatives", lab.pick("256", "16")}};
    if (lab.quick) settings = with(settings, {{"data", few}});
    trials.push_back({attention,
                      "cities",
                      settings,
                      {{"top1", "unseen names, top-1"},
                       {"mrr", judged[0]},
                       {"unseen_cities.top1", "unseen cities, top-1"},
                       {"unseen_cities.mrr", judged[1]}}});
  }
  run_trials(lab, "found", trials, into);
}

// Thousands of answers a second: scores of queries against keys that have been prepared, and weights of
// those.
void measure_speed(std::size_t queries, std::size_t count, std::size_t rounds, Figures& into) {
  struct Rival {
    ScoredAttention attention;
    std::vector<Variable> prepared;
  };
  const NoGrad no_graph;
  Rng rng(1);
  const Variable keys = normal(rng, {1, count, width}, 0, 1);
  const Variable asked = normal(rng, {1, queries, width}, 0, 1);
  std::vector<Rival> rivals;
  for (const char* attention : attentions) {
    rivals.push_back({make_attention({.score = attention}, {width, width, width, width}, rng), {}});
    rivals.back().prepared = rivals.back().attention.prepare(keys);
  }
  std::vector<Timed> timed;
  for (std::size_t i = 0; i < rivals.size(); ++i) {
    timed.push_back({attentions[i], [&, i] {
                       Pass pass = Pass::evaluation();
                       rivals[i].attention(asked, rivals[i].prepared, {}, pass, {.want = {.weights = true}});
                     }});
  }
  const std::string column = queries == 1 ? "one at a time" : fmt::format("{} at a time", queries);
  std::vector<std::vector<double>> rates = time_in_turns(timed, rounds);
  for (std::size_t i = 0; i < rates.size(); ++i) {
    for (double& rate : rates[i]) rate = static_cast<double>(queries) / rate;
    add_rounds(into, "speed", attentions[i], column, rates[i]);
  }
}

void measure(Lab& lab, Figures& into) {
  measure_matching(lab, into);
  const std::size_t count = lab.pick<std::size_t>(places, 500);
  measure_speed(1, count, lab.pick<std::size_t>(101, 2), into);
  measure_speed(64, count, lab.pick<std::size_t>(15, 2), into);
}

constexpr double near_enough = 1;  // points of MRR

// How one attention stands to others in the columns that count.
struct Standing {
  std::size_t pairs = 0, above = 0, below = 0;  // of those that can be told
  std::size_t near = 0;                         // not clearly worse, and the mean not further behind
  std::string text;
};

Standing standing(const Figures& figures, const std::string& of, std::span<const std::string> others) {
  Standing made;
  for (const char* column : judged) {
    if (figures.of("found", of, column).empty()) continue;
    made.text += fmt::format("{}{}: {} {}", made.text.empty() ? "" : "; ", column, of,
                             brief(figures.mean("found", of, column)));
    for (const std::string& other : others) {
      const Difference by = between_rows(figures, "found", of, other, column);
      if (by.pairs < 2) continue;
      ++made.pairs;
      made.above += by.is_above();
      made.below += by.is_below();
      made.near += !by.is_below() && by.mean >= -near_enough;
      made.text += fmt::format(", by {} from {}", told(by), other);
    }
  }
  return made;
}

std::string speed_of(const Figures& figures, const std::string& attention) {
  std::string text;
  for (const std::string& column : figures.columns("speed"))
    text += fmt::format("{}{} ({})", text.empty() ? "" : ", ",
                        brief(figures.median("speed", attention, column), 3), column);
  return text.empty() ? "–" : text;
}

void judge_enough(const Figures& figures, std::vector<Verdict>& verdicts) {
  const Standing dot =
      standing(figures, "dot", std::array<std::string, 4>{"scaled_dot", "cosine", "additive", "hybrid"});
  if (dot.pairs == 0) return;
  verdicts.push_back({"a dot product is enough to match queries with items", held_of(dot.near, dot.pairs),
                      fmt::format("{}. Within {} point of the other, or ahead, in {} of {} comparisons, "
                                  "clearly worse in {}. Thousands of queries "
                                  "answered in a second: {}; by additive {}",
                                  dot.text, near_enough, dot.near, dot.pairs, dot.below,
                                  speed_of(figures, "dot"), speed_of(figures, "additive"))});
}

void judge_better(const Figures& figures, const std::string& claim, const std::string& of,
                  std::span<const std::string> others, std::vector<Verdict>& verdicts) {
  const Standing made = standing(figures, of, others);
  if (made.pairs == 0) return;
  verdicts.push_back(
      {claim, held_of(made.above, made.below, made.pairs),
       fmt::format("{}. Clearly better in {} of {} comparisons, clearly worse in {}. It answers {} thousand "
                   "queries a second",
                   made.text, made.above, made.pairs, made.below, speed_of(figures, of))});
}

std::vector<Verdict> judge(const Figures& figures) {
  std::vector<Verdict> verdicts;
  judge_enough(figures, verdicts);
  judge_better(figures, "normalising queries and items (cosine) helps", "cosine",
               std::array<std::string, 2>{"dot", "scaled_dot"}, verdicts);
  judge_better(figures, "the mean of both, dot and additive, does best", "hybrid",
               std::array<std::string, 4>{"additive", "scaled_dot", "dot", "cosine"}, verdicts);
  return verdicts;
}

}  // namespace

Experiment match() {
  return {
      {"match",
       "which score matches queries with items?",
       "`fovea train cities`: a query, as a user types it (another name of a place, perhaps with a typing "
       "error, with rough coordinates, with the country), is matched with one of 26,416 places, each an "
       "item of different fields. 500 steps of 128 queries and 256 random negatives for every attention, "
       "in place of the task's 1,000 steps and negatives by attention; the rate rises over 100 steps and "
       "falls to 0, and the better of the models after 250 and 500 steps by validation is tested. Rate "
       "(0.002) and start values are the task's own: the start values of the n-gram table depend on the "
       "attention, as it was found for 1,000 steps on validation queries. `dot`, `scaled_dot` and "
       "`cosine` stand behind linear projections to 128 numbers, `additive` has 128 hidden units, and "
       "`hybrid` averages the weights of scaled dot and additive (the hybrid `by-dims` is additive wherever "
       "widths "
       "differ, as here). MRR is the mean of 1 / place of the answer among all 26,416; top-1 "
       "how often it comes first. Unseen names ask for places that training asked for by other names; "
       "unseen cities were no part of training. Dot counts as enough against another where it is not clearly "
       "worse "
       "and in the mean at most 1 point behind.\n\n"
       "Speed: scores and weights over a prepared catalogue of 26,416 random keys of width 128 (128 "
       "hidden units), one query at a time and 64 at a time, all in turns.",
       {{"found", "places found", "attention", "%"},
        {"speed", "queries answered over 26,416 prepared keys", "attention", "thousand queries a second",
         Summary::median}},
       {{"found", "places found: MRR", Plot::Kind::dots, "", "%", false, false, {judged[0], judged[1]}},
        {"speed", "queries answered over 26,416 prepared keys", Plot::Kind::dots, "",
         "thousand queries a second", false, true}},
       judge},
      3,
      measure};
}

}  // namespace fovea::experiments
