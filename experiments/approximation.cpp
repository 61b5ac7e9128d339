#include <cmath>
#include <map>
#include <memory>

#include <fmt/format.h>

#include "autograd/engine.hpp"
#include "core/draw.hpp"
#include "experiments/account/difference.hpp"
#include "experiments/all.hpp"
#include "experiments/trials.hpp"
#include "experiments/turns.hpp"
#include "modules/attention/multi_head.hpp"
#include "training/statistics.hpp"
#include "training/text.hpp"

namespace fovea::experiments {
namespace {

constexpr std::size_t width = 128, heads = 4;
constexpr std::size_t seen = 128;  // positions, or slots, that each position looks at

// ---- the approximations ----

struct Kind {
  std::string row;
  HeadSettings (*layer)(const std::string& score, std::size_t T);
  Given (*flags)(const std::string& score);  // of a training, where sequences have up to 24 symbols
  bool is_claimed = true;                    // one of those that the claim names
  bool has_additive = true;                  // not what needs a score that is a product
};

const std::string exact = "exact";

const std::vector<Kind>& kinds() {
  static const std::vector<Kind> all{
      {exact, [](const std::string& score, std::size_t) { return HeadSettings{.score = score}; },
       [](const std::string& score) -> Given {
         return {{"attention", score}};
       },
       false},
      {"local",
       [](const std::string& score, std::size_t) {
         return HeadSettings{.score = score, .pattern = {.window = seen + 1}};
       },
       [](const std::string& score) -> Given {
         return {{"attention", score}, {"window", "7"}};
       }},
      {"strided",
       [](const std::string& score, std::size_t T) {
         return HeadSettings{.score = score, .pattern = {.stride = T / seen}};
       },
       [](const std::string& score) -> Given {
         return {{"attention", score}, {"stride", "4"}};
       }},
      {"blocks",
       [](const std::string& score, std::size_t) {
         return HeadSettings{.score = score, .pattern = {.block = seen}};
       },
       [](const std::string& score) -> Given {
         return {{"attention", score}, {"block", "6"}};
       }},
      {"hashed",
       [](const std::string& score, std::size_t T) {
         return HeadSettings{.score = score, .buckets = T / seen};
       },
       [](const std::string& score) -> Given {
         return {{"attention", score}, {"buckets", "4"}};
       }},
      {"low-rank",
       [](const std::string& score, std::size_t T) {
         return HeadSettings{.score = score, .rank = seen, .longest = T};
       },
       [](const std::string& score) -> Given {
         return {{"attention", score}, {"rank", "6"}};
       }},
      // Both are scores of their own, products of φ(q) and φ(k).
      {"linear", [](const std::string&, std::size_t) { return HeadSettings{.score = "linear"}; },
       [](const std::string&) -> Given {
         return {{"attention", "linear"}};
       },
       true, false},
      {"random features",
       [](const std::string&, std::size_t) {
         return HeadSettings{.score = "random_features", .features = width / heads};
       },
       [](const std::string&) -> Given {
         return {{"attention", "random_features"}};
       },
       false, false}};
  return all;
}

struct Scored {
  std::string score, column, table_end;
};

const std::vector<Scored>& scores() {
  static const std::vector<Scored> all{{"scaled_dot", "scaled dot", "_dot"},
                                       {"additive", "additive", "_additive"}};
  return all;
}

bool exists(const Kind& kind, const Scored& scored) {
  return kind.has_additive || scored.score != "additive";
}

// ---- time and memory ----

std::function<void()> pass_of(const Kind& kind, const std::string& score, std::size_t T) {
  Rng rng(1);
  return [layer = std::make_shared<MultiHead>(width, heads, rng, kind.layer(score, T)),
          x = Variable::leaf(normal(rng, {1, T, width}, 0, 1))] {
    Pass pass{.training = true};
    backward(sum((*layer)(x, pass).context));
  };
}

struct Made {
  const Kind* kind;
  const Scored* scored;
};

// Every kind of heads with every score that it can have.
std::vector<Made> layers() {
  std::vector<Made> all;
  for (const Scored& scored : scores())
    for (const Kind& kind : kinds())
      if (exists(kind, scored)) all.push_back({&kind, &scored});
  return all;
}

void measure_memory(std::size_t T, Figures& into) {
  for (const auto& [kind, scored] : layers())
    into.add("memory" + scored->table_end, fmt::format("{}", T), kind->row, 1,
             peak_mb_of([&kind = kind, &scored = scored, T] { pass_of(*kind, scored->score, T)(); }));
}

// Layers of both scores in one round, then a table for each.
void measure_time(std::size_t T, std::size_t rounds, Figures& into) {
  const std::string row = fmt::format("{}", T);
  const std::vector<Made> made = layers();
  std::vector<Timed> all;
  for (const auto& [kind, scored] : made) all.push_back({kind->row, pass_of(*kind, scored->score, T)});
  const std::vector<std::vector<double>> times = time_in_turns(all, rounds);
  for (std::size_t i = 0; i < made.size(); ++i) {
    const auto& [kind, scored] = made[i];
    add_rounds(into, "time" + scored->table_end, row, kind->row, times[i]);
    if (kind->row != exact)
      add_ratios(into, "time" + scored->table_end, row, exact, kind->row, "faster" + scored->table_end,
                 kind->row);
  }
}

// ---- trainings ----

struct Learned {
  std::string table, task, metric;
  Given settings;
};

std::vector<Learned> tasks(const Lab& lab) {
  const Given small{{"model", "transformer"},
                    {"width", lab.pick("64", "16")},
                    {"inner", lab.pick("128", "16")},
                    {"steps", lab.pick("400", "1")},
                    {"beam", "1"}};
  const Given symbols{{"shortest", lab.pick("12", "2")},
                      {"longest", lab.pick("24", "6")},
                      {"sequences", lab.pick("26000", "100")}};
  const Learned sort{"sort", "sort", "ter", with(small, symbols)};
  // A rehearsal has no time for thousands of words to test with.
  return {sort, lab.quick ? Learned{"g2p", "copy", "ter", with(small, symbols)}
                          : Learned{"g2p", "g2p", "per", small}};
}

void measure(Lab& lab, Figures& into) {
  const std::vector<std::size_t> lengths =
      lab.pick<std::vector<std::size_t>>({1'024, 4'096, 16'384}, {128, 256});
  for (const std::size_t T : lengths) {
    lab.say(fmt::format("memory at T = {}", T));
    measure_memory(T, into);
  }
  for (const std::size_t T : lengths) {
    lab.say(fmt::format("time at T = {}", T));
    measure_time(T, lab.pick<std::size_t>(T < 10'000 ? 5 : 3, 2), into);
  }
  for (const Learned& learned : tasks(lab)) {
    std::vector<Trial> trials;
    for (const Kind& kind : kinds())
      for (const Scored& scored : scores())
        if (exists(kind, scored))
          trials.push_back({kind.row,
                            learned.task,
                            with(learned.settings, kind.flags(scored.score)),
                            {{learned.metric, scored.column}}});
    run_trials(lab, learned.table, trials, into);
  }
}

// ---- verdicts ----

// How much more additive heads lose by an approximation than scaled dot heads do, by seeds.
Difference extra_loss(const Figures& figures, const std::string& task, const std::string& kind) {
  std::vector<double> extra;
  for (const Figure& figure : figures.all()) {
    if (figure.table != task || figure.row != kind || figure.column != "additive") continue;
    const auto loss = [&](const std::string& column) {
      return figures.at(task, kind, column, figure.seed) - figures.at(task, exact, column, figure.seed);
    };
    const double more = loss("additive") - loss("scaled dot");
    if (std::isfinite(more)) extra.push_back(more);
  }
  return difference_of(extra);
}

// The longest sequences.
std::string longest_row(const Figures& figures, const std::string& table) {
  const std::vector<std::string> rows = figures.rows(table);
  return rows.empty() ? "" : rows.back();
}

enum class Fate { fine, lossy, slow, unknown, impossible };

// What becomes of an approximation with additive scores.
Fate fate_of(const Figures& figures, const std::string& row, const Kind& kind) {
  if (!kind.has_additive) return Fate::impossible;
  const std::vector<double> faster = figures.of("faster_additive", row, kind.row);
  if (faster.size() < 2) return Fate::unknown;
  if (median(faster) <= 1) return Fate::slow;
  bool is_trained = false;
  for (const char* task : {"sort", "g2p"}) {
    const Difference loss = extra_loss(figures, task, kind.row);
    if (figures.diverged(task, kind.row, "additive") > 0 || loss.is_above()) return Fate::lossy;
    is_trained = is_trained || loss.pairs > 1;
  }
  return is_trained ? Fate::fine : Fate::unknown;
}

void judge_application(const Figures& figures, std::vector<Verdict>& verdicts) {
  const std::string row = longest_row(figures, "faster_additive");
  std::map<Fate, std::vector<std::string>> kinds_of;
  std::size_t all = 0;
  for (const Kind& kind : kinds()) {
    if (!kind.is_claimed) continue;
    const double faster = figures.median("faster_additive", row, kind.row);
    kinds_of[fate_of(figures, row, kind)].push_back(
        std::isfinite(faster) ? fmt::format("{} ({} times)", kind.row, brief(faster, 3)) : kind.row);
    ++all;
  }
  const auto count = [&](Fate fate) { return kinds_of[fate].size(); };
  if (count(Fate::fine) + count(Fate::slow) + count(Fate::lossy) == 0) return;
  std::string why =
      fmt::format("{} of {} can be had with additive scores", all - count(Fate::impossible), all);
  const auto tell = [&](Fate fate, const std::string& what) {
    if (count(fate) > 0) why = joined(why, fmt::format("{}: {}", what, list(kinds_of[fate])));
  };
  tell(Fate::fine, fmt::format("faster than exact additive at T = {}, and no clearly greater loss than with "
                               "scaled dot in any task",
                               row));
  tell(Fate::lossy, "faster, but with a diverged training or a clearly greater loss than with scaled dot");
  tell(Fate::slow, fmt::format("not faster at T = {}", row));
  tell(Fate::unknown, "not both timed and trained more than once");
  tell(Fate::impossible, "cannot be had");
  const bool none = count(Fate::fine) + count(Fate::unknown) == 0;
  verdicts.push_back(
      {"approximations (local, sparse, low-rank, linear) are hard to apply to additive attention",
       count(Fate::fine) == all ? Verdict::Held::no
       : none                   ? Verdict::Held::yes
                                : Verdict::Held::in_part,
       why});
}

void judge_speed(const Figures& figures, std::vector<Verdict>& verdicts) {
  std::size_t measured = 0, faster = 0, slower = 0;
  std::string why;
  for (const Scored& scored : scores()) {
    const std::string table = "faster" + scored.table_end, row = longest_row(figures, table);
    std::vector<std::string> told;
    for (const std::string& column : figures.columns(table)) {
      const std::vector<double> ratios = figures.of(table, row, column);
      if (ratios.size() < 2) continue;  // one round alone tells nothing
      ++measured;
      faster += median(ratios) > 1;
      slower += median(ratios) < 1;
      told.push_back(fmt::format("{} {}", column, brief(median(ratios), 3)));
    }
    if (!told.empty())
      why = joined(why, fmt::format("{}, T = {}: exact takes so many times as long: {}", scored.column, row,
                                    list(told)));
  }
  if (measured == 0) return;
  verdicts.push_back({"approximations save time in long sequences", held_of(faster, slower, measured), why});
}

void judge_errors(const Figures& figures, const std::string& task, const std::string& claim,
                  std::vector<Verdict>& verdicts) {
  std::size_t compared = 0, worse = 0, better = 0;
  std::string why;
  for (const Scored& scored : scores()) {
    std::vector<std::string> told_of;
    for (const Kind& kind : kinds()) {
      const Difference loss = between_rows(figures, task, kind.row, exact, scored.column);
      if (kind.row == exact || loss.pairs == 0) continue;
      ++compared;
      worse += loss.is_above();
      better += loss.is_below();
      told_of.push_back(fmt::format("{} {}{}", kind.row, told(loss), loss.is_clear() ? "" : " (not clear)"));
    }
    if (!told_of.empty())
      why = joined(why, fmt::format("{}: exact {} %, {}", scored.column,
                                    brief(figures.mean(task, exact, scored.column), 3), list(told_of)));
  }
  if (compared == 0) return;
  verdicts.push_back({claim, held_of(worse, better, compared),
                      fmt::format("clearly worse in {} of {} comparisons, clearly better in {}; {}", worse,
                                  compared, better, why)});
}

std::vector<Verdict> judge(const Figures& figures) {
  std::vector<Verdict> verdicts;
  judge_application(figures, verdicts);
  judge_speed(figures, verdicts);
  judge_errors(figures, "sort", "approximations cost accuracy where all positions matter (sort)", verdicts);
  judge_errors(figures, "g2p", "approximations cost accuracy where near ones matter most (g2p)", verdicts);
  return verdicts;
}

}  // namespace

Experiment approximation() {
  const std::string layer = "width 128, 4 heads, B = 1, by T";
  return {{"approximation",
           "which approximations of attention can additive scores have, and at what price?",
           "Each position looks at about 128 others, or slots, whatever the length: `local`, a window of "
           "129; `strided`, each (T/128)th; `blocks` of 128; `hashed` into T/128 buckets; `low-rank`, keys "
           "and values projected along time to 128 slots. `linear` (φ = elu + 1) and `random features` (32 "
           "for each head) have no weights. Both need a score that is a product of a part of the query and a "
           "part of the key, φ(q)·φ(k), which tanh(a + b) is not: there is none of additive, "
           "so both stand in the column of scaled dot alone, and linear counts as not applicable "
           "to additive scores. Random features approximate exp of scaled dot; linear with elu + 1 does not: "
           "it is another function in the place of softmax.\n\n"
           "Time is of a forward and a backward pass of one multi-head self-attention layer with its "
           "projections, all in turns, five rounds (three at T = 16,384); memory is what a process of its "
           "own with one thread holds at its peak for it, parameters, input and gradients included. Exact "
           "heads are streamed, and take memory that grows with T alone, too.\n\n"
           "Transformers (width 64, one layer on each side, 4 heads, 400 steps of the task's own schedule) "
           "learn to sort 12 to 24 symbols, which needs all positions, and to pronounce words, which needs "
           "near ones most. There approximations are so narrow that they leave something out: a window of 7, "
           "a stride of 4, blocks of 6, 4 buckets, 6 slots. They hold for the look of the source at itself, "
           "and but for low-rank for that of the target at itself; the look of the target at the source is "
           "exact (of linear and random features scaled dot). Errors are of the test part, greedy; the same "
           "steps, rate and seeds for all.",
           {{"time_dot", "scaled dot: forward and backward, " + layer, "T", "ms", Summary::median},
            {"time_additive", "additive: forward and backward, " + layer, "T", "ms", Summary::median},
            {"faster_dot", "scaled dot: time of exact heads, by that of these, " + layer, "T", "",
             Summary::median},
            {"faster_additive", "additive: time of exact heads, by that of these, " + layer, "T", "",
             Summary::median},
            {"memory_dot", "scaled dot: peak memory, " + layer, "T", "MB"},
            {"memory_additive", "additive: peak memory, " + layer, "T", "MB"},
            {"sort", "wrong symbols, sort", "heads", "%"},
            {"g2p", "wrong sounds, g2p", "heads", "%"}},
           {{"time_dot", "scaled dot: time", Plot::Kind::lines, "T", "ms", true, true},
            {"time_additive", "additive: time", Plot::Kind::lines, "T", "ms", true, true},
            {"sort", "sort: wrong symbols", Plot::Kind::dots, "", "%"},
            {"g2p", "g2p: wrong sounds", Plot::Kind::dots, "", "%"}},
           judge},
          3,
          measure};
}

}  // namespace fovea::experiments
