#include <algorithm>
#include <cmath>
#include <numeric>

#include <fmt/format.h>

#include "autograd/engine.hpp"
#include "core/draw.hpp"
#include "core/parallel.hpp"
#include "experiments/account/difference.hpp"
#include "experiments/all.hpp"
#include "experiments/learn.hpp"
#include "experiments/trials.hpp"
#include "modules/attention/attend.hpp"
#include "modules/linear.hpp"
#include "training/text.hpp"

namespace fovea::experiments {
namespace {

constexpr std::size_t keys = 64;

using Scores = std::vector<std::pair<std::string, Score>>;

// Mean square of the scores, which is their variance, as their mean is 0; plain, and by √d.
void measure_variance(std::size_t d, std::size_t pairs, std::uint64_t seed, Figures& into) {
  Rng rng(seed);
  const Tensor q = normal(rng, {pairs, d}, 0, 1), k = normal(rng, {pairs, d}, 0, 1);
  double squares = 0, scaled_squares = 0;
  for (std::size_t i = 0; i < pairs; ++i) {
    double score = 0;
    for (std::size_t j = 0; j < d; ++j)
      score += static_cast<double>(q.data()[i * d + j]) * k.data()[i * d + j];
    const double scaled = score / std::sqrt(static_cast<double>(d));
    squares += score * score;
    scaled_squares += scaled * scaled;
  }
  const std::string row = fmt::format("{}", d);
  into.add("variance", row, "q·k", seed, squares / static_cast<double>(pairs));
  into.add("variance", row, "q·k/√d", seed, scaled_squares / static_cast<double>(pairs));
}

// ‖∂p/∂s‖ of p = softmax(s): of the matrix diag(p) - p pᵀ. The most that it can be is √½, of two even
// weights.
double slope(const Real* weights) {
  double squares = 0, cubes = 0;
  for (std::size_t i = 0; i < keys; ++i) {
    const double p = weights[i];
    squares += p * p;
    cubes += p * p * p;
  }
  return std::sqrt(std::max(0.0, squares - 2 * cubes + squares * squares));
}

// Over the rows of a tensor, the mean of their norms.
double mean_norm(const Tensor& rows) {
  const std::size_t width = rows.shape().back(), count = rows.size() / width;
  double sum = 0;
  for (std::size_t i = 0; i < count; ++i) {
    double squares = 0;
    for (std::size_t j = 0; j < width; ++j) {
      const double one = rows.data()[i * width + j];
      squares += one * one;
    }
    sum += std::sqrt(squares);
  }
  return sum / static_cast<double>(count);
}

void measure_softmax(const Score& score, const std::string& name, std::size_t d, std::size_t queries,
                     std::uint64_t seed, Figures& into) {
  constexpr std::size_t value_width = 16;
  Rng rng(seed);
  const Variable q = Variable::leaf(normal(rng, {1, queries, d}, 0, 1)), k = normal(rng, {1, keys, d}, 0, 1);
  const Variable v = normal(rng, {1, keys, value_width}, 0, 1),
                 cotangent = normal(rng, {1, queries, value_width}, 0, 1);
  Pass pass = Pass::evaluation();
  const Attended seen = attend(score, q, k, v, pass, {.want = {.weights = true, .entropy = true}});
  backward(sum(mul(seen.context, cotangent)));
  double entropy = 0, slopes = 0, largest = 0;
  for (std::size_t i = 0; i < queries; ++i) {
    const Real* weights = seen.weights.value().data() + i * keys;
    entropy += seen.entropy.value().data()[i];
    slopes += slope(weights);
    largest += *std::max_element(weights, weights + keys);
  }
  const double count = static_cast<double>(queries);
  const std::string row = fmt::format("{}", d);
  into.add("evenness", row, name, seed, entropy / count / std::log(static_cast<double>(keys)));
  into.add("largest", row, name, seed, largest / count);
  into.add("slope", row, name, seed, slopes / count);
  into.add("gradient", row, name, seed, mean_norm(*q.grad()));
}

// Queries and keys that see the same thing in two ways, behind projections to d whose outputs start with a
// variance of 1.
struct Finder {
  Linear query, key;
  Score score;
  FIELDS(query, key, score)

  Finder(Score with, std::size_t d, Rng& rng)
      : query(normal(rng, {d, inputs}, 0, deviation), Bias::no),
        key(normal(rng, {d, inputs}, 0, deviation), Bias::no),
        score(std::move(with)) {}

  static constexpr std::size_t inputs = 32;
  static constexpr Real deviation = Real(0.17677669529663687);  // 1/√32
  // Scores of each query with each key, [items, items].
  Variable operator()(const Variable& asked, const Variable& there) const {
    const auto as_one = [](const Variable& rows) {
      return reshape(rows, {1, rows.length(0), rows.length(1)});
    };
    Pass pass = Pass::evaluation();
    const Variable scores =
        attend(score, as_one(query(asked)), as_one(key(there)), {}, pass, {.want = {.scores = true}}).scores;
    return reshape(scores, {asked.length(0), there.length(0)});
  }
};

// What is seen, turned by fixed matrices of N(0, 1/32) numbers, with noise.
struct Sights {
  Tensor query, key;
  explicit Sights(std::uint64_t seed) {
    Rng rng = Rng(seed).split("sights");
    query = normal(rng, {Finder::inputs, Finder::inputs}, 0, Finder::deviation);
    key = normal(rng, {Finder::inputs, Finder::inputs}, 0, Finder::deviation);
  }
  std::pair<Variable, Variable> operator()(std::size_t items, Rng& rng) const {
    const Variable seen = normal(rng, {items, Finder::inputs}, 0, 1);
    const auto through = [&](const Tensor& by) {
      return add(matmul(seen, by), Variable(normal(rng, {items, Finder::inputs}, 0, Real(0.3))));
    };
    Variable asked = through(query);
    return {asked, through(key)};
  }
};

// Per cent of the queries for which another key scores best.
double error_of(const Finder& finder, const Sights& sights, std::size_t batches, Rng rng) {
  const NoGrad no_graph;
  std::size_t wrong = 0;
  for (std::size_t batch = 0; batch < batches; ++batch) {
    const auto [asked, there] = sights(keys, rng);
    const Tensor scores = finder(asked, there).value();
    for (std::size_t i = 0; i < keys; ++i) {
      const Real* row = scores.data() + i * keys;
      wrong += std::max_element(row, row + keys) != row + i;
    }
  }
  return 100.0 * static_cast<double>(wrong) / static_cast<double>(batches * keys);
}

// A width, a score and a rate, and what came of them.
struct Attempt {
  std::size_t d;
  std::string name;
  Score score;
  double rate, chosen_by = 0, tested = 0;
};

void try_out(Attempt& attempt, const Sights& sights, std::size_t steps, std::uint64_t seed) {
  Rng start = Rng(seed).split("start"), data = Rng(seed).split("data");
  Finder finder(attempt.score, attempt.d, start);
  std::vector<std::int64_t> places(keys);
  std::iota(places.begin(), places.end(), 0);
  const Ids own({keys}, places);
  learn(finder, steps, attempt.rate, [&](Pass&, std::size_t) {
    const auto [asked, there] = sights(keys, data);
    return mean(cross_entropy(finder(asked, there), own));
  });
  attempt.chosen_by = error_of(finder, sights, 8, Rng(seed).split("validation"));
  attempt.tested = error_of(finder, sights, 8, Rng(seed).split("test"));
}

void measure_learning(const Scores& scores, const std::vector<double>& rates, std::size_t steps,
                      std::uint64_t seed, Figures& into) {
  const Sights sights(seed);
  std::vector<Attempt> attempts;
  for (std::size_t d = 8; d <= 1024; d *= 2)
    for (const auto& [name, score] : scores)
      for (const double rate : rates) attempts.push_back({d, name, score, rate});
  // Each training on one thread, which changes no result.
  parallel_for(attempts.size(), 1, [&](std::size_t first, std::size_t last) {
    for (std::size_t i = first; i < last; ++i) try_out(attempts[i], sights, steps, seed);
  });
  for (std::size_t i = 0; i < attempts.size(); i += rates.size()) {
    const auto best =
        std::min_element(attempts.begin() + static_cast<std::ptrdiff_t>(i),
                         attempts.begin() + static_cast<std::ptrdiff_t>(i + rates.size()),
                         [](const Attempt& a, const Attempt& b) { return a.chosen_by < b.chosen_by; });
    into.add("finding", fmt::format("{}", best->d), best->name, seed, best->tested);
    into.add("rate", fmt::format("{}", best->d), best->name, seed, best->rate);
  }
}

void measure(Lab& lab, Figures& into) {
  const Scores scores{{"dot", DotScore{}}, {"scaled dot", ScaledDotScore{}}};
  for (const std::uint64_t seed : lab.seeds) {
    for (std::size_t d = 8; d <= 1024; d *= 2) {
      measure_variance(d, lab.pick(20'000, 500), seed, into);
      for (const auto& [name, score] : scores) measure_softmax(score, name, d, lab.pick(512, 8), seed, into);
    }
    lab.say(fmt::format("seed {}: learning to find", seed));
    measure_learning(scores, lab.quick ? std::vector{1e-3} : std::vector{3e-4, 1e-3, 3e-3}, lab.pick(300, 2),
                     seed, into);
  }
  std::vector<Trial> trials;
  for (const char* width : lab.quick ? std::vector{"8"} : std::vector{"16", "64", "256"}) {
    for (const auto& [score, column] : {std::pair("dot", "dot"), std::pair("scaled_dot", "scaled dot")})
      trials.push_back({width,
                        "sort",
                        {{"model", "transformer"},
                         {"heads", "1"},
                         {"width", width},
                         {"attention", score},
                         {"warmup", "50"},
                         {"steps", lab.pick("400", "2")}},
                        {{"ter", column}}});
  }
  run_trials(lab, "sorting", trials, into);
}

// ---- verdicts ----

void judge_variance(const Figures& figures, std::vector<Verdict>& verdicts) {
  const std::vector<std::string> rows = figures.rows("variance");
  if (rows.empty()) return;
  bool holds = true;
  double furthest = 0;
  for (const std::string& d : rows) {
    const double off = std::abs(figures.mean("variance", d, "q·k/√d") - 1);
    holds = holds && off < 0.05;
    furthest = std::max(furthest, off);
  }
  verdicts.push_back({"the variance of q·k is d", holds ? Verdict::Held::yes : Verdict::Held::no,
                      fmt::format("the variance of q·k/√d is at most {} % from 1, for d from {} to {}",
                                  brief(100 * furthest, 2), rows.front(), rows.back())});
}

// A table's figures for a score from the least d to the greatest.
struct Course {
  double first, last;
  std::string text() const { return for_people(first) + " to " + for_people(last); }
};

Course course_of(const Figures& figures, const std::string& table, const std::string& score) {
  const std::vector<std::string> rows = figures.rows(table);
  if (rows.empty()) return {NAN, NAN};
  return {figures.mean(table, rows.front(), score), figures.mean(table, rows.back(), score)};
}

void judge_softmax(const Figures& figures, std::vector<Verdict>& verdicts) {
  const std::vector<std::string> rows = figures.rows("slope");
  if (rows.empty()) return;
  const std::string range = "from d = " + rows.front() + " to " + rows.back();
  const Course slope = course_of(figures, "slope", "dot"), scaled = course_of(figures, "slope", "scaled dot"),
               gradient = course_of(figures, "gradient", "dot");
  const bool saturates = slope.last<slope.first / 2, stays = scaled.last> 0.8 * scaled.first;
  verdicts.push_back(
      {"without the factor the softmax saturates as d grows", held_of(saturates + (saturates && stays), 2),
       fmt::format("{} the largest of 64 weights goes from {}, with the factor from {}; the slope of the "
                   "softmax from {}, with the factor from {}",
                   range, course_of(figures, "largest", "dot").text(),
                   course_of(figures, "largest", "scaled dot").text(), slope.text(), scaled.text())});
  if (!std::isfinite(gradient.first)) return;
  const bool vanishes = gradient.last < gradient.first / 2;
  verdicts.push_back({"without the factor its gradient vanishes",
                      held_of(saturates + (saturates && vanishes), 2),
                      fmt::format("{} what the softmax passes on to a score goes from {}; a query's gradient "
                                  "is that times keys, whose "
                                  "norms grow as √d: it goes from {}, with the factor from {}",
                                  range, slope.text(), gradient.text(),
                                  course_of(figures, "gradient", "scaled dot").text())});
}

void judge_training(const Figures& figures, std::vector<Verdict>& verdicts) {
  constexpr double converged = 50;  // per cent wrong
  std::size_t failed = 0, worse = 0, cells = 0;
  std::string why;
  for (const char* table : {"finding", "sorting"}) {
    std::string one;
    for (const std::string& d : figures.rows(table)) {
      const double without = figures.mean(table, d, "dot"), factor = figures.mean(table, d, "scaled dot");
      const Difference difference = between_columns(figures, table, d, "dot", "scaled dot");
      if (!std::isfinite(factor) && !(without <= converged)) continue;  // that both diverge tells nothing
      ++cells;
      failed += !(without <= converged);  // what diverged has not converged
      worse += difference.is_above() ||
               figures.diverged(table, d, "dot") > figures.diverged(table, d, "scaled dot");
      one += fmt::format("{}{} and {} at d = {}", one.empty() ? "" : ", ", for_people(without),
                         for_people(factor), d);
    }
    if (!one.empty())
      why = joined(why, fmt::format("{}: per cent wrong without and with it: {}", table, one));
  }
  if (cells == 0) return;
  verdicts.push_back(
      {"without the factor nothing converges", held_of(failed, cells),
       fmt::format("in {} of {} cases more than half stays wrong, in {} it is clearly worse than with the "
                   "factor; {}",
                   failed, cells, worse, why)});
}

std::vector<Verdict> judge(const Figures& figures) {
  std::vector<Verdict> verdicts;
  judge_variance(figures, verdicts);
  judge_softmax(figures, verdicts);
  judge_training(figures, verdicts);
  return verdicts;
}

}  // namespace

Experiment scaling() {
  return {
      {"scaling",
       "does attention need the factor 1/√d?",
       "Queries and keys of independent N(0, 1) numbers: the variance of their dot products; then, over 64 "
       "keys, how "
       "even the weights are (entropy / log 64), the largest weight, the slope of the softmax ‖∂p/∂s‖ (at "
       "most ½), and "
       "the norm of a query's gradient, for values and a cotangent of the context of N(0, 1) numbers.\n\n"
       "Two ways to learn. *Finding*: 32 numbers are seen in two ways (fixed random matrices, noise of 0.3), "
       "each is "
       "projected to d numbers that start with a variance of 1, and a query has to find its own of 64 keys; "
       "300 steps of "
       "Adam, with the best of the rates 0.0003, 0.001 and 0.003 by other draws, for each d, score and seed. "
       "*Sorting*: Transformers of one head and width d learn the task `sort` in 400 steps of the task's own "
       "rate, whose "
       "projections start as Xavier; tokens that are wrong, by edits over the length of what is right.\n\n"
       "The variance counts as d within 5 %, a way to learn as converged where at most half is wrong.",
       {{"variance", "variance of dot products", "d"},
        {"evenness", "evenness of the weights", "d"},
        {"largest", "largest weight", "d"},
        {"slope", "slope of the softmax", "d"},
        {"gradient", "norm of a query's gradient", "d"},
        {"finding", "queries that find another key", "d", "%"},
        {"rate", "the rate that found best", "d"},
        {"sorting", "tokens sorted wrong", "d", "%"}},
       {{"variance", "variance of scores", Plot::Kind::lines, "d", "", true, true},
        {"slope", "slope of the softmax", Plot::Kind::lines, "d", "", true, false},
        {"gradient", "norm of a query's gradient", Plot::Kind::lines, "d", "", true, true},
        {"finding", "queries that find another key", Plot::Kind::lines, "d", "%", true, false},
        {"sorting", "tokens sorted wrong", Plot::Kind::lines, "d", "%", true, false}},
       judge},
      5,
      measure};
}

}  // namespace fovea::experiments
