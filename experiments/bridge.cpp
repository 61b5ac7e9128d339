#include <algorithm>
#include <cmath>
#include <numeric>
#include <span>

#include <fmt/format.h>

#include "core/draw.hpp"
#include "core/parallel.hpp"
#include "experiments/account/difference.hpp"
#include "experiments/all.hpp"
#include "experiments/learn.hpp"
#include "experiments/matcher.hpp"
#include "experiments/turns.hpp"
#include "training/text.hpp"

namespace fovea::experiments {
namespace {

constexpr std::size_t query_width = 512, key_width = 2048, batch = 64;

// Items as two sensors see them, each a row.
struct World {
  Tensor queries, keys;  // [items, width]
};

// What a sensor makes of latent vectors [items, L]: numbers of mean square 1, a quarter of it the signal's.
Tensor sensed(const Tensor& latent, std::size_t width, bool is_linear, Rng rng) {
  constexpr std::size_t hidden = 128;
  const NoGrad no_graph;
  const Real by = Real(1) / std::sqrt(static_cast<Real>(latent.shape()[1]));
  Variable seen = latent;
  if (!is_linear) {
    const Tensor inner = normal(rng, {hidden, latent.shape()[1]}, 0, 3 * by);
    seen = tanh(linear(seen, Variable(inner)));
  }
  seen = linear(seen, Variable(normal(rng, {width, seen.shape()[1]}, 0, by)));
  const Real signal = std::sqrt(mean(mul(seen, seen)).item());
  const Variable noise = normal(rng, seen.shape(), 0, std::sqrt(Real(0.75)));
  return add(scale(seen, std::sqrt(Real(0.25)) / signal), noise).value();
}

World make_world(bool is_linear, std::size_t items, std::uint64_t seed) {
  constexpr std::size_t latent_width = 16;
  const Rng rng = Rng(seed).split(is_linear ? "linear" : "nonlinear");
  Rng of_items = rng.split("items");
  const Tensor latent = normal(of_items, {items, latent_width}, 0, 1);
  return {sensed(latent, query_width, is_linear, rng.split("queries")),
          sensed(latent, key_width, is_linear, rng.split("keys"))};
}

struct Rival {
  std::string name, score;
  std::size_t width;  // of the hidden layer, or what is projected to

  bool is_additive() const { return score == "additive"; }
  Matcher start(std::uint64_t seed) const {
    Rng rng = Rng(seed).split(name);
    return make_matcher(score, query_width, key_width, width, rng);
  }
};

const std::vector<Rival>& rivals() {
  static const std::vector<Rival> all{
      {"additive 128", "additive", 128},
      {"additive 256", "additive", 256},
      {"dot 256", "dot", 256},
      {"scaled dot 128", "scaled_dot", 128},
      {"scaled dot 256", "scaled_dot", 256},
      {"cosine 128", "cosine", 128},
      {"cosine 256", "cosine", 256},
      {"general", "general", query_width},
  };
  return all;
}

void train(Matcher& model, const World& world, std::size_t pairs, std::size_t steps, double rate,
           std::uint64_t seed) {
  const Variable queries = world.queries, keys = world.keys;
  const Rng rng = Rng(seed).split("batches");
  std::vector<std::int64_t> places(batch);
  std::iota(places.begin(), places.end(), 0);
  const Ids own(std::move(places));
  learn(model, steps, rate, [&](Pass& pass, std::size_t step) {
    const std::vector<std::size_t> order = rng.split(step).permutation(pairs);
    const Ids items(std::vector<std::int64_t>(order.begin(), order.begin() + batch));
    const Variable prepared = model.prepared(gather(keys, items));
    return mean(cross_entropy(model(gather(queries, items), prepared, pass), own));
  });
}

// Per cent of the items begin … end-1 whose own key is the best of theirs.
double recall(const Matcher& model, const World& world, std::size_t begin, std::size_t end) {
  const NoGrad no_graph;
  Pass pass = Pass::evaluation();
  const Variable queries = world.queries, keys = world.keys;
  const Variable scores =
      model(slice(queries, 0, begin, end), model.prepared(slice(keys, 0, begin, end)), pass);
  const std::size_t count = end - begin;
  std::size_t right = 0;
  for (std::size_t i = 0; i < count; ++i) {
    const Real* row = scores.value().data() + i * count;
    right += static_cast<std::size_t>(std::max_element(row, row + count) - row) == i;
  }
  return 100 * static_cast<double>(right) / static_cast<double>(count);
}

struct Sizes {
  std::vector<std::size_t> pairs;  // to learn from
  std::vector<double> rates;
  std::size_t steps, tested;
};

// What is tried in a world, and where it is told.
struct Trials {
  std::string table;
  std::vector<Rival> rivals;
  Sizes sizes;
};

// One world: its last items are tested with, those before them choose the rate.
void measure_world(bool is_linear, const Trials& trials, std::uint64_t seed, Figures& into) {
  const Sizes& sizes = trials.sizes;
  const std::size_t most = sizes.pairs.back(), end = most + 2 * sizes.tested;
  const World world = make_world(is_linear, end, seed);
  struct Run {
    std::size_t pairs;
    const Rival* rival;
    double rate, chosen_by = 0, tested = 0;
  };
  std::vector<Run> runs;
  for (const std::size_t pairs : sizes.pairs)
    for (const Rival& rival : trials.rivals)
      for (const double rate : sizes.rates) runs.push_back({pairs, &rival, rate});
  // Each training on one thread, which changes no result.
  parallel_for(runs.size(), 1, [&](std::size_t first, std::size_t last) {
    for (std::size_t i = first; i < last; ++i) {
      Matcher model = runs[i].rival->start(seed);
      train(model, world, runs[i].pairs, sizes.steps, runs[i].rate, seed);
      runs[i].chosen_by = recall(model, world, most, most + sizes.tested);
      runs[i].tested = recall(model, world, most + sizes.tested, end);
    }
  });
  for (std::size_t i = 0; i < runs.size(); i += sizes.rates.size()) {
    const auto of_rates = std::span(runs).subspan(i, sizes.rates.size());
    const Run& best = *std::max_element(of_rates.begin(), of_rates.end(),
                                        [](const Run& a, const Run& b) { return a.chosen_by < b.chosen_by; });
    const std::string column = fmt::format("{}, {} pairs", is_linear ? "linear" : "nonlinear",
                                           for_people(static_cast<double>(best.pairs)));
    into.add(trials.table, best.rival->name, column, seed, best.tested);
    into.add(trials.table + " validation", best.rival->name, column, seed, best.chosen_by);
    into.add(trials.table + " rate", best.rival->name, column, seed, best.rate);
  }
}

void measure_cost(std::size_t rounds, Figures& into) {
  constexpr std::size_t steps = 8;
  const World world = make_world(true, 4 * batch, 1);
  std::vector<Matcher> models;
  for (const Rival& rival : rivals()) models.push_back(rival.start(1));
  std::vector<Timed> timed;
  for (std::size_t i = 0; i < models.size(); ++i) {
    const std::string& name = rivals()[i].name;
    into.add("parameters", name, "thousand parameters", 1,
             static_cast<double>(parameter_count(models[i])) / 1000);
    timed.push_back({name, [&, i] { train(models[i], world, 4 * batch, steps, 1e-4, 1); }});
  }
  std::vector<std::vector<double>> times = time_in_turns(timed, rounds);
  for (std::size_t i = 0; i < times.size(); ++i) {
    for (double& milliseconds : times[i]) milliseconds /= steps;
    add_rounds(into, "step", timed[i].column, "ms", times[i]);
  }
}

void measure(Lab& lab, Figures& into) {
  const Trials same{
      "recall", rivals(),
      lab.quick ? Sizes{{100, 200}, {1e-3}, 2, 20} : Sizes{{1000, 10'000}, {3e-4, 1e-3, 3e-3}, 800, 500}};
  // Additive attention begins slowly: what becomes of it with almost four times the steps?
  const Trials longer{"longer",
                      {{"additive 256", "additive", 256}, {"scaled dot 256", "scaled_dot", 256}},
                      lab.quick ? Sizes{{200}, {1e-3}, 4, 20} : Sizes{{10'000}, {1e-3}, 3000, 500}};
  for (const bool is_linear : {true, false}) {
    for (const std::uint64_t seed : lab.seeds) {
      lab.say(fmt::format("{} sensors, seed {}", is_linear ? "linear" : "nonlinear", seed));
      for (const Trials& trials : {same, longer}) measure_world(is_linear, trials, seed, into);
    }
  }
  measure_cost(lab.pick<std::size_t>(15, 2), into);
}

// Of the additive ones, or of the others, the one that validation likes best; empty where there is none.
std::string best_of(const Figures& figures, const std::string& column, bool additive) {
  std::string best;
  double most = -1;
  for (const Rival& rival : rivals()) {
    const double recalled = figures.mean("recall validation", rival.name, column);
    if (rival.is_additive() != additive || !(recalled > most)) continue;
    most = recalled;
    best = rival.name;
  }
  return best;
}

void judge_quality(const Figures& figures, std::vector<Verdict>& verdicts) {
  std::size_t better = 0, worse = 0, all = 0;
  std::string why;
  for (const std::string& column : figures.columns("recall")) {
    const std::string own = best_of(figures, column, true), other = best_of(figures, column, false);
    const Difference by = between_rows(figures, "recall", own, other, column);
    if (by.pairs == 0) continue;
    ++all;
    better += by.is_above();
    worse += by.is_below();
    why = joined(why, fmt::format("{}: {} {:.1f} %, {} {:.1f} % ({} points)", column, own,
                                  figures.mean("recall", own, column), other,
                                  figures.mean("recall", other, column), told(by)));
  }
  if (all == 0) return;
  verdicts.push_back({"additive attention is better when queries and keys differ in width",
                      held_of(better, worse, all),
                      fmt::format("{}. Additive is clearly better in {} of {} cases, clearly worse in {}",
                                  why, better, all, worse)});
}

void judge_cost(const Figures& figures, std::vector<Verdict>& verdicts) {
  std::size_t dearer = 0, all = 0;
  std::string why;
  for (const char* width : {"128", "256"}) {
    const std::string own = fmt::format("additive {}", width), other = fmt::format("scaled dot {}", width);
    const Difference by = between_rows(figures, "step", own, other, "ms");
    if (by.pairs < 2) continue;  // one round alone tells nothing
    ++all;
    dearer += by.is_above();
    why = joined(why, fmt::format("a training step of width {} takes {} ms in place of {} ms, with {} in "
                                  "place of {} thousand parameters",
                                  width, brief(figures.median("step", own, "ms"), 3),
                                  brief(figures.median("step", other, "ms"), 3),
                                  brief(figures.mean("parameters", own, "thousand parameters")),
                                  brief(figures.mean("parameters", other, "thousand parameters"))));
  }
  if (all == 0) return;
  verdicts.push_back(
      {"an additive score takes different widths at no extra cost: a dot needs projections, too",
       held_of(all - dearer, all), why});
}

std::vector<Verdict> judge(const Figures& figures) {
  std::vector<Verdict> verdicts;
  judge_quality(figures, verdicts);
  judge_cost(figures, verdicts);
  return verdicts;
}

}  // namespace

Experiment bridge() {
  const auto dots = [](const char* table, const char* title, const char* unit) {
    return Plot{table, title, Plot::Kind::dots, "", unit};
  };
  return {{"bridge",
           "does additive attention win where queries and keys differ in width?",
           "Each item is 16 independent N(0, 1) numbers, which two random sensors turn into a query of 512 "
           "and a key of 2,048 numbers. A linear sensor is a random matrix; a nonlinear one a random layer "
           "of 128 saturated tanh units before it. Three quarters of the variance of every "
           "number are noise. Which key is a query's is known.\n\n"
           "`additive H` has H hidden units over the widths as they are; `dot`, `scaled dot` and `cosine` "
           "stand behind linear projections of both sides to the width that is named, dot at 256 alone; "
           "`general` is q W k. All learn by Adam for the same 800 steps from the same batches of 64 pairs, "
           "with the cross entropy of a query's own key against the batch's others, out of 1,000 or 10,000 "
           "pairs. Of the learning rates 0.0003, 0.001 and 0.003 each takes, for each seed, the one that is "
           "best on 500 other items. Tested are 500 more: per cent of the queries whose own key is the best "
           "of 500; chance is 0.2 %. The verdict compares, for each column, the additive width and the other "
           "model that those validation items like best. As additive attention is slow to begin, two models "
           "are also trained for 3,000 steps, at 0.001 alone.",
           {{"recall", "own key found, best of 500 unseen", "score", "%"},
            {"recall validation", "the same of the 500 items that choose", "score", "%"},
            {"recall rate", "rate that was chosen", "score", "", Summary::median},
            {"longer", "own key found, best of 500 unseen, after 3,000 steps", "score", "%"},
            {"longer validation", "the same of the 500 items that choose, after 3,000 steps", "score", "%"},
            {"longer rate", "rate of 3,000 steps", "score", "", Summary::median},
            {"parameters", "size", "score"},
            {"step", "a training step of 64 pairs", "score", "ms", Summary::median}},
           {dots("recall", "own key is the best of 500 unseen", "%"),
            dots("step", "a training step of 64 pairs", "ms")},
           judge},
          3,
          measure};
}

}  // namespace fovea::experiments
