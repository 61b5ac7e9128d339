#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "core/draw.hpp"
#include "experiments/account/difference.hpp"
#include "experiments/all.hpp"
#include "experiments/learn.hpp"
#include "experiments/matcher.hpp"
#include "experiments/turns.hpp"
#include "modules/attention/attend.hpp"
#include "training/statistics.hpp"
#include "training/text.hpp"

namespace fovea::experiments {
namespace {

constexpr std::size_t query_width = 16, key_width = 64, width = 64;
constexpr double noise = 0.3;

// ---- worlds: how a query came from a key ----

struct World {
  std::string name;  // of its tables
  std::string told;
  bool rectified;
};

const std::vector<World>& worlds() {
  static const std::vector<World> all{{"linear", "q = A k + noise", false},
                                      {"rectified", "q = max(A k, 0) + noise", true}};
  return all;
}

// What a key tells a query, without noise: [N, 64] → [N, 16]. A is the world's, the same for all seeds.
Tensor image(const World& world, const Tensor& keys) {
  Rng rng(17);
  const NoGrad no_graph;
  const Variable A = normal(rng, {query_width, key_width}, 0, Real(1 / std::sqrt(double(key_width))));
  const Variable told = linear(keys, A);
  return (world.rectified ? relu(told) : told).value();
}

/// Queries, one key of which each is made of, and which.
struct Questions {
  Tensor keys, queries;  // [N, 64], [B, 16]
  Ids right;
};

Questions draw(const World& world, std::size_t N, std::size_t B, Rng& rng) {
  Questions drawn{normal(rng, {N, key_width}, 0, 1), normal(rng, {B, query_width}, 0, Real(noise)), {}};
  const Tensor told = image(world, drawn.keys);
  std::vector<std::int64_t> right(B);
  for (std::size_t b = 0; b < B; ++b) {
    right[b] = static_cast<std::int64_t>(rng.below(N));
    const Real* of = told.data() + static_cast<std::size_t>(right[b]) * query_width;
    for (std::size_t i = 0; i < query_width; ++i) drawn.queries.data()[b * query_width + i] += of[i];
  }
  drawn.right = Ids(std::move(right));
  return drawn;
}

// ---- who answers ----

struct Kind {
  std::string column, score;

  Matcher start(Rng& rng) const { return make_matcher(score, query_width, key_width, width, rng); }
};

const std::vector<Kind>& kinds() {
  static const std::vector<Kind> all{{"additive", "additive"},
                                     {"dot, projected", "dot"},
                                     {"scaled dot, projected", "scaled_dot"},
                                     {"general", "general"},
                                     {"cosine, projected", "cosine"}};
  return all;
}

std::size_t best_of(const Real* scores, std::size_t N) {
  return static_cast<std::size_t>(std::max_element(scores, scores + N) - scores);
}

// Per cent of questions whose highest score is not the right key's.
template <class Scores>
double error_of(const World& world, std::size_t N, std::size_t sets, Rng rng, const Scores& scores_of) {
  constexpr std::size_t B = 64;
  std::size_t wrong = 0;
  for (std::size_t i = 0; i < sets; ++i) {
    const Questions asked = draw(world, N, B, rng);
    const Tensor scores = scores_of(asked);
    for (std::size_t b = 0; b < B; ++b)
      wrong += best_of(scores.data() + b * N, N) != static_cast<std::size_t>(asked.right.values[b]) ? 1 : 0;
  }
  return 100.0 * static_cast<double>(wrong) / static_cast<double>(sets * B);
}

double error_of(const Matcher& model, const World& world, std::size_t N, std::size_t sets, Rng rng) {
  return error_of(world, N, sets, rng, [&](const Questions& asked) {
    const NoGrad no_graph;
    Pass pass;
    return model(asked.queries, model.prepared(asked.keys), pass).value();
  });
}

// Who knows the world answers with the key that most likely made the query: the nearest, -‖q - f(k)‖².
double least_error(const World& world, std::size_t N, std::size_t sets, Rng rng) {
  return error_of(world, N, sets, rng, [&](const Questions& asked) {
    const NoGrad no_graph;
    const Variable told = image(world, asked.keys);
    const Variable norms = sum(pow(told, 2), -1);
    return sub(scale(matmul(asked.queries, told, false, true), 2), norms).value();
  });
}

// ---- training ----

struct Schooling {
  std::size_t N, steps;
};

Matcher trained(const Kind& kind, const World& world, const Schooling& schooling, double rate,
                std::uint64_t seed) {
  constexpr std::size_t B = 32;
  Rng start = Rng(seed).split("start"), questions = Rng(seed).split("questions");
  Matcher model = kind.start(start);
  learn(model, schooling.steps, rate, [&](Pass& pass, std::size_t) {
    const Questions asked = draw(world, schooling.N, B, questions);
    return mean(cross_entropy(model(asked.queries, model.prepared(asked.keys), pass), asked.right));
  });
  return model;
}

// The rate with the fewest errors in questions that neither training nor test has, with the first seed.
double best_rate(const Lab& lab, const Kind& kind, const World& world, const Schooling& schooling) {
  double best = 0, least = INFINITY;
  for (const double rate : {0.001, 0.003, 0.01}) {
    const Rng validation = Rng(lab.seeds.front()).split("validation");
    const double error =
        error_of(trained(kind, world, schooling, rate, lab.seeds.front()), world, schooling.N, 8, validation);
    if (error < least) {
      least = error;
      best = rate;
    }
  }
  return best;
}

std::string table_of(const World& world, std::size_t N) { return fmt::format("{}_{}", world.name, N); }

void measure_errors(const Lab& lab, const World& world, const Schooling& schooling, Figures& into) {
  const std::string table = table_of(world, schooling.N);
  const std::vector<std::size_t> tested =
      lab.pick<std::vector<std::size_t>>({10, 100, 1'000, 10'000}, {10, 100});
  const auto sets = [&](std::size_t N) -> std::size_t { return lab.quick ? 1 : N < 10'000 ? 16 : 8; };
  const auto questions = [](std::uint64_t seed) { return Rng(seed).split("test"); };
  for (const Kind& kind : kinds()) {
    lab.say(fmt::format("{}: {}", table, kind.column));
    const double rate = lab.quick ? 0.01 : best_rate(lab, kind, world, schooling);
    into.add("rate", kind.column, table, 1, rate);
    for (const std::uint64_t seed : lab.seeds) {
      const Matcher model = trained(kind, world, schooling, rate, seed);
      for (const std::size_t N : tested)
        into.add(table, fmt::format("{}", N), kind.column, seed,
                 error_of(model, world, N, sets(N), questions(seed)));
    }
  }
  for (const std::uint64_t seed : lab.seeds)
    for (const std::size_t N : tested)
      into.add(table, fmt::format("{}", N), "least possible", seed,
               least_error(world, N, sets(N), questions(seed)));
}

// ---- time ----

constexpr const char* short_by_long = "1 × 10,000";
constexpr const char* square = "100 × 100";

void measure_time(const Lab& lab, const std::string& row, std::size_t queries, std::size_t keys,
                  Figures& into) {
  constexpr int repeats = 10;
  Rng rng(1);
  const Variable q = normal(rng, {queries, query_width}, 0, 1), k = normal(rng, {keys, key_width}, 0, 1);
  const NoGrad no_graph;
  std::vector<Timed> all;
  for (const Kind& kind : kinds()) {
    const Matcher model = kind.start(rng);
    all.push_back({kind.column, [model, prepared = model.prepared(k), q, k] {
                     const NoGrad none;
                     Pass pass;
                     for (int i = 0; i < repeats; ++i)
                       attend_prepared(model.score, model.projected(q), prepared, k, pass);
                   }});
  }
  std::vector<std::vector<double>> times = time_in_turns(all, lab.pick<std::size_t>(31, 2));
  for (std::size_t i = 0; i < times.size(); ++i) {
    for (double& milliseconds : times[i]) milliseconds /= repeats;
    add_rounds(into, "time", row, all[i].column, times[i]);
  }
  for (const Kind& kind : kinds())
    if (kind.column != "additive")
      add_ratios(into, "time", row, "additive", kind.column, "ratio", "additive / " + kind.column);
}

void measure(Lab& lab, Figures& into) {
  measure_time(lab, short_by_long, 1, 10'000, into);
  measure_time(lab, square, 100, 100, into);
  for (const World& world : worlds()) {
    measure_errors(lab, world, {100, lab.pick<std::size_t>(800, 5)}, into);
    measure_errors(lab, world, {1'000, lab.pick<std::size_t>(500, 2)}, into);
  }
}

// ---- verdicts ----

struct Standing {
  std::size_t compared = 0, better = 0, worse = 0;
};

// Of additive against each other model, with the most keys that were tested.
Standing standing_of(const Figures& figures, const World& world, std::size_t N, std::string& why) {
  const std::string table = table_of(world, N);
  Standing standing;
  const std::vector<std::string> rows = figures.rows(table);
  if (rows.empty()) return standing;
  const std::string& row = rows.back();
  std::string told = fmt::format("{} keys after training with {}: additive {} %", row, N,
                                 brief(figures.mean(table, row, "additive"), 3));
  for (const Kind& kind : kinds()) {
    if (kind.column == "additive") continue;
    const Difference difference = between_columns(figures, table, row, "additive", kind.column);
    if (difference.pairs == 0) continue;
    ++standing.compared;
    standing.better += difference.is_below() ? 1 : 0;
    standing.worse += difference.is_above() ? 1 : 0;
    told += fmt::format(", {} {} %{}", kind.column, brief(figures.mean(table, row, kind.column), 3),
                        doubt(difference));
  }
  if (standing.compared > 0) why = joined(why, told);
  return standing;
}

void judge_errors(const Figures& figures, const World& world, std::vector<Verdict>& verdicts) {
  Standing all;
  std::string why;
  for (const std::size_t N : {std::size_t(100), std::size_t(1'000)}) {
    const Standing one = standing_of(figures, world, N, why);
    all.compared += one.compared;
    all.better += one.better;
    all.worse += one.worse;
  }
  if (all.compared == 0) return;
  verdicts.push_back(
      {fmt::format("additive attention suits queries and keys of unequal lengths: fewer errors, where {}",
                   world.told),
       held_of(all.better, all.worse, all.compared), "wrong answers with " + why});
}

void judge_time(const Figures& figures, std::vector<Verdict>& verdicts) {
  const std::string column = "additive / scaled dot, projected";
  const std::vector<double> unequal = figures.of("ratio", short_by_long, column),
                            equal = figures.of("ratio", square, column);
  if (unequal.size() < 2 || equal.size() < 2) return;  // one round alone tells nothing
  const double at_unequal = median(unequal), at_equal = median(equal);
  verdicts.push_back(
      {"additive attention suits queries and keys of unequal lengths: time",
       at_unequal <= 1               ? Verdict::Held::yes
       : at_unequal < at_equal / 1.1 ? Verdict::Held::in_part
                                     : Verdict::Held::no,
       fmt::format("of as many pairs it takes {} times as long as scaled dot for 1 query and 10,000 keys "
                   "({} against {} ms), and {} times for 100 and 100",
                   brief(at_unequal, 3), brief(figures.median("time", short_by_long, "additive"), 3),
                   brief(figures.median("time", short_by_long, "scaled dot, projected"), 3),
                   brief(at_equal, 3))});
}

std::vector<Verdict> judge(const Figures& figures) {
  std::vector<Verdict> verdicts;
  for (const World& world : worlds()) judge_errors(figures, world, verdicts);
  judge_time(figures, verdicts);
  return verdicts;
}

Table errors(const std::string& world, const std::string& N, const std::string& told) {
  return {world + "_" + N, "wrong answers, " + told + ", trained with " + N + " keys", "keys", "%"};
}

Plot drawn(const std::string& table, const std::string& title) {
  return {table, title, Plot::Kind::lines, "keys", "%", true, false};
}

}  // namespace

Experiment length() {
  return {
      {"length",
       "one short query, ten thousand keys: does additive attention suit unequal lengths?",
       "Keys are 64 independent N(0, 1) numbers. A query is 16 numbers, made of one of the keys by a fixed "
       "random matrix A [16, 64] (entries N(0, 1/64)), as it is or with what is below 0 cut off, with noise "
       "of deviation 0.3. The model has to give that key the highest score. `least possible` is the error of "
       "who knows A and takes the nearest key: several keys may fit as well, the more the more keys there "
       "are.\n\n"
       "Each model is trained by cross entropy of its softmax over the keys (Adam, constant rate, 32 queries "
       "a step, new keys in each; 800 steps with 100 keys, 500 with 1,000), and tested with 10 to 10,000 "
       "keys: 1,024 queries for each seed (512 with 10,000 keys), in 16 (8) sets of keys. Its rate is one of "
       "0.001, 0.003, 0.01, chosen for each table by 512 other queries with the first seed. Dot, scaled dot "
       "and cosine stand behind projections of both sides to 64 numbers with biases; additive has H = 64; "
       "general is one matrix. Queries are answered independently of each other, so for errors it makes no "
       "difference how many there are: the unequal length is that of the keys, and that training saw "
       "fewer.\n\n"
       "Time is of one forward pass without gradients (a mean of ten), with keys that were prepared before, "
       "and with the projection of the query, whether the score has its own or stands behind one; 10,000 "
       "pairs of a query and a key in both rows. Time holds in part where additive falls behind by a tenth "
       "less than for 100 and 100.",
       {errors("linear", "100", worlds()[0].told),
        errors("linear", "1000", worlds()[0].told),
        errors("rectified", "100", worlds()[1].told),
        errors("rectified", "1000", worlds()[1].told),
        {"rate", "learning rate that was chosen", "score"},
        {"time", "forward pass, queries × keys", "lengths", "ms", Summary::median},
        {"ratio", "ratios of times", "lengths", "", Summary::median}},
       {drawn("linear_100", "wrong answers, q = A k + noise, trained with 100 keys"),
        drawn("linear_1000", "wrong answers, q = A k + noise, trained with 1,000 keys"),
        drawn("rectified_100", "wrong answers, q = max(A k, 0) + noise, trained with 100 keys"),
        drawn("rectified_1000", "wrong answers, q = max(A k, 0) + noise, trained with 1,000 keys")},
       judge},
      5,
      measure};
}

}  // namespace fovea::experiments
