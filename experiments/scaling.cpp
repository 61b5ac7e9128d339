#include <algorithm>
#include <cmath>
#include <numeric>

#include <fmt/format.h>

#include "core/draw.hpp"
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

void measure_softmax(const Score& score, const std::string& name, std::size_t d, std::size_t queries,
                     std::uint64_t seed, Figures& into) {
  Rng rng(seed);
  const Variable q = normal(rng, {1, queries, d}, 0, 1), k = normal(rng, {1, keys, d}, 0, 1);
  const NoGrad no_graph;
  Pass pass = Pass::evaluation();
  const Attended seen = attend(score, q, k, {}, pass, {.want = {.weights = true, .entropy = true}});
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

void measure_learning(const Score& score, const std::string& name, std::size_t d, std::size_t steps,
                      std::uint64_t seed, Figures& into) {
  const Sights sights(seed);
  Rng start = Rng(seed).split("start"), data = Rng(seed).split("data"), test = Rng(seed).split("test");
  Finder finder(score, d, start);
  std::vector<std::int64_t> places(keys);
  std::iota(places.begin(), places.end(), 0);
  const Ids own({keys}, places);
  learn(finder, steps, 1e-3, [&](Pass&, std::size_t) {
    const auto [asked, there] = sights(keys, data);
    return mean(cross_entropy(finder(asked, there), own));
  });
  const NoGrad no_graph;
  std::size_t wrong = 0;
  constexpr std::size_t batches = 8;
  for (std::size_t batch = 0; batch < batches; ++batch) {
    const auto [asked, there] = sights(keys, test);
    const Tensor scores = finder(asked, there).value();
    for (std::size_t i = 0; i < keys; ++i) {
      const Real* row = scores.data() + i * keys;
      wrong += std::max_element(row, row + keys) != row + i;
    }
  }
  into.add("finding", fmt::format("{}", d), name, seed,
           100.0 * static_cast<double>(wrong) / (batches * keys));
}

void measure(Lab& lab, Figures& into) {
  const std::vector<std::pair<std::string, Score>> scores{{"dot", DotScore{}},
                                                          {"scaled dot", ScaledDotScore{}}};
  for (const std::uint64_t seed : lab.seeds) {
    for (std::size_t d = 8; d <= 1024; d *= 2) {
      measure_variance(d, lab.pick(20'000, 500), seed, into);
      for (const auto& [name, score] : scores) measure_softmax(score, name, d, lab.pick(512, 8), seed, into);
    }
    lab.say(fmt::format("seed {}: learning to find", seed));
    for (std::size_t d = 8; d <= 1024; d *= 2)
      for (const auto& [name, score] : scores) measure_learning(score, name, d, lab.pick(300, 2), seed, into);
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
                         {"steps", lab.pick("400", "2")}},
                        {{"ter", column}}});
  }
  run_trials(lab, "sorting", trials, into);
}

Verdict judge_variance(const Figures& figures) {
  double furthest = 0;
  for (const std::string& d : figures.rows("variance"))
    furthest = std::max(furthest, std::abs(figures.mean("variance", d, "q·k/√d") - 1));
  return {"the variance of q·k is d", furthest < 0.05 ? Verdict::Held::yes : Verdict::Held::no,
          fmt::format("the variance of q·k/√d is at most {} % from 1, for d from 8 to 1024",
                      brief(100 * furthest, 2))};
}

Verdict judge_softmax(const Figures& figures) {
  const auto of = [&](const char* table, const char* d, const char* score) {
    return brief(figures.mean(table, d, score), 2);
  };
  const bool falls =
      figures.mean("slope", "1024", "dot")<0.5 * figures.mean("slope", "8", "dot"),
                                           stays = figures.mean("slope", "1024", "scaled dot")> 0.8 *
      figures.mean("slope", "8", "scaled dot");
  return {
      "without the factor the softmax saturates as d grows, and its gradient vanishes",
      falls && stays ? Verdict::Held::yes : Verdict::Held::in_part,
      fmt::format(
          "from d = 8 to 1024 the largest of 64 weights goes from {} to {} (with the factor {} to {}), the "
          "softmax's slope from {} to {} ({} to {})",
          of("largest", "8", "dot"), of("largest", "1024", "dot"), of("largest", "8", "scaled dot"),
          of("largest", "1024", "scaled dot"), of("slope", "8", "dot"), of("slope", "1024", "dot"),
          of("slope", "8", "scaled dot"), of("slope", "1024", "scaled dot"))};
}

Verdict judge_training(const Figures& figures) {
  constexpr double converged = 50;  // per cent wrong
  std::string why;
  bool none = true, any_worse = false;
  for (const char* table : {"finding", "sorting"}) {
    for (const std::string& d : figures.rows(table)) {
      const Difference difference = between_columns(figures, table, d, "dot", "scaled dot");
      none = none && figures.mean(table, d, "dot") > converged;
      any_worse = any_worse || difference.is_above();
      if (d != figures.rows(table).back()) continue;
      why += fmt::format("{}{}, d = {}: {} % wrong without, {} % with the factor ({})",
                         why.empty() ? "" : "; ", table, d, brief(figures.mean(table, d, "dot"), 3),
                         brief(figures.mean(table, d, "scaled dot"), 3), told(difference));
    }
  }
  return {"without the factor nothing converges",
          none        ? Verdict::Held::yes
          : any_worse ? Verdict::Held::in_part
                      : Verdict::Held::no,
          why};
}

std::vector<Verdict> judge(const Figures& figures) {
  return {judge_variance(figures), judge_softmax(figures), judge_training(figures)};
}

}  // namespace

Experiment scaling() {
  return {{"scaling",
           "does attention need the factor 1/√d?",
           "Queries and keys of independent N(0, 1) numbers: the variance of their dot products; then, over "
           "64 keys, how "
           "even the weights are (entropy / log 64), the largest weight, and the slope of the softmax, "
           "‖∂p/∂s‖, which is "
           "all that its gradient passes on.\n\n"
           "Two ways to learn. *Finding*: 32 numbers are seen in two ways (fixed random matrices, noise of "
           "0.3), each is "
           "projected to d numbers of variance 1, and a query has to find its own of 64 keys; 300 steps of "
           "Adam at 0.001. "
           "*Sorting*: Transformers of one head and width d learn the task `sort` in 400 steps; tokens that "
           "are wrong.",
           {{"variance", "variance of dot products", "d"},
            {"evenness", "evenness of the weights", "d"},
            {"largest", "largest weight", "d"},
            {"slope", "slope of the softmax", "d"},
            {"finding", "queries that find another key", "d", "%"},
            {"sorting", "tokens sorted wrong", "d", "%"}},
           {{"variance", "variance of scores", Plot::Kind::lines, "d", "", true, true},
            {"slope", "slope of the softmax", Plot::Kind::lines, "d", "", true, false},
            {"finding", "queries that find another key", Plot::Kind::lines, "d", "%", true, false},
            {"sorting", "tokens sorted wrong", Plot::Kind::lines, "d", "%", true, false}},
           judge},
          5,
          measure};
}

}  // namespace fovea::experiments
