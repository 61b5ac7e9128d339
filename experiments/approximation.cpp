#include <cmath>

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
  bool is_for_claim = true;
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
      // Both are scores of their own, in the place of scaled dot: asked for with another they are refused.
      {"linear",
       [](const std::string& score, std::size_t) {
         return HeadSettings{.score = score == "scaled_dot" ? "linear" : score + "_linear"};
       },
       [](const std::string&) -> Given {
         return {{"attention", "linear"}};
       }},
      {"random features",
       [](const std::string& score, std::size_t) {
         return HeadSettings{.score = score == "scaled_dot" ? "random_features" : score,
                             .features = width / heads};
       },
       [](const std::string&) -> Given {
         return {{"attention", "random_features"}};
       }}};
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

// Whether the program makes such a layer, by asking it.
bool is_there(const Kind& kind, const std::string& score) {
  try {
    check_heads(kind.layer(score, 1024), width, heads);
    return true;
  } catch (const ConfigError&) {
    return false;
  }
}

// ---- time and memory ----

// Longer than this a pass of exact heads takes more than some 10 s.
std::size_t longest_of(const Kind& kind, const std::string& score) {
  return kind.row != exact ? SIZE_MAX : score == "additive" ? 4'096 : 16'384;
}

std::function<void()> pass_of(const Kind& kind, const std::string& score, std::size_t T) {
  Rng rng(1);
  return [layer = std::make_shared<MultiHead>(width, heads, rng, kind.layer(score, T)),
          x = Variable::leaf(normal(rng, {1, T, width}, 0, 1))] {
    Pass pass{.training = true};
    backward(sum((*layer)(x, pass).context));
  };
}

template <class Take>
void each_layer(std::size_t T, const Take& take) {
  for (const Scored& scored : scores())
    for (const Kind& kind : kinds())
      if (T <= longest_of(kind, scored.score) && is_there(kind, scored.score)) take(kind, scored);
}

void measure_memory(std::size_t T, Figures& into) {
  each_layer(T, [&](const Kind& kind, const Scored& scored) {
    into.add("memory" + scored.table_end, fmt::format("{}", T), kind.row, 1,
             peak_mb_of([&] { pass_of(kind, scored.score, T)(); }));
  });
}

// Layers of both scores in one round, then a table for each.
void measure_time(std::size_t T, std::size_t rounds, Figures& into) {
  const std::string row = fmt::format("{}", T), between = ", ";
  std::vector<Timed> all;
  each_layer(T, [&](const Kind& kind, const Scored& scored) {
    all.push_back({kind.row + between + scored.column, pass_of(kind, scored.score, T)});
  });
  Figures both;
  time_in_turns(all, rounds, "time", row, both);
  each_layer(T, [&](const Kind& kind, const Scored& scored) {
    std::uint64_t round = 0;
    for (const double milliseconds : both.of("time", row, kind.row + between + scored.column))
      into.add("time" + scored.table_end, row, kind.row, ++round, milliseconds);
    if (kind.row != exact)
      add_ratios(into, "time" + scored.table_end, row, exact, kind.row, "faster" + scored.table_end,
                 kind.row);
  });
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
  for (const Scored& scored : scores())
    for (const Kind& kind : kinds())
      into.add("there", kind.row, scored.column, 1, is_there(kind, scored.score) ? 1 : 0);
  for (const Learned& learned : tasks(lab)) {
    std::vector<Trial> trials;
    for (const Kind& kind : kinds())
      for (const Scored& scored : scores())
        if (is_there(kind, scored.score))
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
  const auto of = [&](const std::string& row, const std::string& column) {
    return figures.of(task, row, column);
  };
  const std::vector<double> a = of(kind, "additive"), a0 = of(exact, "additive"), d = of(kind, "scaled dot"),
                            d0 = of(exact, "scaled dot");
  std::vector<double> extra;
  if (a.size() == a0.size() && a.size() == d.size() && a.size() == d0.size())
    for (std::size_t i = 0; i < a.size(); ++i) extra.push_back((a[i] - a0[i]) - (d[i] - d0[i]));
  return difference_of(extra);
}

// The longest sequences that exact heads of this score were timed with.
std::string longest_row(const Figures& figures, const std::string& table) {
  const std::vector<std::string> rows = figures.rows(table);
  return rows.empty() ? "" : rows.back();
}

void judge_application(const Figures& figures, std::vector<Verdict>& verdicts) {
  const std::string row = longest_row(figures, "faster_additive");
  std::vector<std::string> fine, slow, lossy, refused;
  for (const Kind& kind : kinds()) {
    if (!kind.is_for_claim || figures.of("there", kind.row, "additive").empty()) continue;
    if (figures.mean("there", kind.row, "additive") == 0) {
      refused.push_back(kind.row);
      continue;
    }
    const std::vector<double> faster = figures.of("faster_additive", row, kind.row);
    const bool is_slow = !faster.empty() && median(faster) <= 1;
    bool is_lossy = false;
    for (const char* task : {"sort", "g2p"})
      is_lossy = is_lossy || extra_loss(figures, task, kind.row).is_above();
    const std::string with_factor =
        faster.empty() ? kind.row : fmt::format("{} ({} times)", kind.row, brief(median(faster), 3));
    (is_slow ? slow : is_lossy ? lossy : fine).push_back(with_factor);
  }
  const std::size_t all = fine.size() + slow.size() + lossy.size() + refused.size();
  if (all == 0) return;
  std::string why = fmt::format("{} of {} can be had with additive scores", all - refused.size(), all);
  const auto tell = [&](const std::vector<std::string>& which, const std::string& what) {
    if (!which.empty()) why += fmt::format("; {}: {}", what, list(which));
  };
  tell(fine, fmt::format("faster than exact additive at T = {}, and no clearly greater loss than with scaled "
                         "dot in any task",
                         row));
  tell(lossy, "faster, but with a clearly greater loss than with scaled dot in a task");
  tell(slow, fmt::format("not faster at T = {}", row));
  tell(refused, "refused by the program");
  verdicts.push_back(
      {"approximations (local, sparse, low-rank, linear) are hard to apply to additive attention",
       fine.size() == all ? Verdict::Held::no
       : fine.empty()     ? Verdict::Held::yes
                          : Verdict::Held::in_part,
       why});
}

void judge_speed(const Figures& figures, std::vector<Verdict>& verdicts) {
  std::size_t measured = 0, faster = 0;
  std::string why;
  for (const Scored& scored : scores()) {
    const std::string table = "faster" + scored.table_end, row = longest_row(figures, table);
    std::vector<std::string> told;
    for (const std::string& column : figures.columns(table)) {
      const std::vector<double> ratios = figures.of(table, row, column);
      if (ratios.empty()) continue;
      ++measured;
      faster += median(ratios) > 1 ? 1 : 0;
      told.push_back(fmt::format("{} {}", column, brief(median(ratios), 3)));
    }
    if (!told.empty())
      why += fmt::format("{}{}, T = {}: exact takes so many times as long: {}", why.empty() ? "" : "; ",
                         scored.column, row, list(told));
  }
  if (measured == 0) return;
  verdicts.push_back({"approximations save time in long sequences", held_of(faster, measured), why});
}

void judge_errors(const Figures& figures, const std::string& task, const std::string& claim,
                  std::vector<Verdict>& verdicts) {
  std::size_t compared = 0, worse = 0;
  std::string why;
  for (const Scored& scored : scores()) {
    if (figures.of(task, exact, scored.column).empty()) continue;
    std::vector<std::string> told_of;
    for (const Kind& kind : kinds()) {
      const Difference loss = between_rows(figures, task, kind.row, exact, scored.column);
      if (kind.row == exact || loss.pairs == 0) continue;
      ++compared;
      worse += loss.is_above() ? 1 : 0;
      told_of.push_back(fmt::format("{} {}{}", kind.row, told(loss), loss.is_clear() ? "" : " (not clear)"));
    }
    why += fmt::format("{}{}: exact {} %; {}", why.empty() ? "" : "; ", scored.column,
                       brief(figures.mean(task, exact, scored.column), 3), list(told_of));
  }
  if (compared == 0) return;
  verdicts.push_back({claim, held_of(worse, compared),
                      fmt::format("clearly worse in {} of {} comparisons; {}", worse, compared, why)});
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
           "129; `strided`, each "
           "(T/128)th; `blocks` of 128; `hashed` into T/128 buckets; `low-rank`, keys and values projected "
           "along time to 128 "
           "slots. `linear` (φ = elu + 1) and `random features` (32 for each head) have no weights; they are "
           "scores of their "
           "own, forms of a dot, and stand in the column of scaled dot. That additive scores have no such "
           "form is the program's "
           "answer: it has no heads that are additive and linear, and refuses additive heads with a number "
           "of features.\n\n"
           "Time is of a forward and a backward pass of one multi-head self-attention layer with its "
           "projections, all in turns; "
           "memory is what a process of its own with one thread holds at its peak for it, parameters, input "
           "and gradients "
           "included. Exact heads are streamed, and take memory that grows with T alone, too. Exact additive "
           "heads are left out at "
           "T = 16,384, where a pass takes long.\n\n"
           "Transformers (width 64, one layer on each side, 4 heads, 400 steps of the task's own schedule) "
           "learn to sort 12 to 24 "
           "symbols, which needs all positions, and to pronounce words, which needs near ones most. There "
           "approximations are so narrow "
           "that they leave something out: a window of 7, a stride of 4, blocks of 6, 4 buckets, 6 slots. "
           "They hold for the look of "
           "the source at itself, and but for low-rank for that of the target at itself; the look of the "
           "target at the source is exact (of "
           "linear and random features scaled dot). Errors are of the test part, greedy; the same steps, "
           "rate and seeds for all.",
           {{"there", "whether heads can be made so (1: yes)", "heads"},
            {"time_dot", "scaled dot: forward and backward, " + layer, "T", "ms", Summary::median},
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
