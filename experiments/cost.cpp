#include <algorithm>
#include <cmath>
#include <memory>

#include <fmt/format.h>

#include "autograd/engine.hpp"
#include "core/draw.hpp"
#include "experiments/all.hpp"
#include "experiments/turns.hpp"
#include "modules/attention/hybrid.hpp"
#include "modules/attention/multi_head.hpp"
#include "modules/seq2seq/seq2seq.hpp"
#include "optim/optimizer.hpp"
#include "training/statistics.hpp"
#include "training/text.hpp"

namespace fovea::experiments {
namespace {

constexpr std::size_t items = 4;

// ---- one attention, forward and backward ----

Variable leaf(const Shape& shape, std::uint64_t seed) {
  Rng rng(seed);
  return Variable::leaf(normal(rng, shape, 0, 1));
}

template <class Find>
std::function<void()> passes_of(std::size_t T, std::size_t d, const Find& find) {
  return [find, q = leaf({items, T, d}, 1), k = leaf({items, T, d}, 2), v = leaf({items, T, d}, 3)] {
    Pass pass{.training = true};
    backward(sum(find(q, k, v, pass).context));
  };
}

std::function<void()> scored(const Score& score, std::size_t T, std::size_t d, bool composed = false) {
  return passes_of(T, d,
                   [score, composed](const Variable& q, const Variable& k, const Variable& v, Pass& pass) {
                     return attend(score, q, k, v, pass, {.composed = composed});
                   });
}

struct Rival {
  std::string name;
  std::function<void()> (*work)(std::size_t T, std::size_t d);
};

constexpr const char *additive_name = "additive", *composed_name = "additive, composed", *dot_name = "dot",
                     *scaled_name = "scaled dot", *projected_name = "scaled dot, projected",
                     *hybrid_name = "hybrid";

const std::vector<Rival>& rivals() {
  static const std::vector<Rival> all{
      {dot_name, [](std::size_t T, std::size_t d) { return scored(DotScore{}, T, d); }},
      {scaled_name, [](std::size_t T, std::size_t d) { return scored(ScaledDotScore{}, T, d); }},
      {projected_name,
       [](std::size_t T, std::size_t d) {
         Rng rng(1);
         return passes_of(T, d,
                          [query = Linear(d, d, rng), key = Linear(d, d, rng)](
                              const Variable& q, const Variable& k, const Variable& v, Pass& pass) {
                            return attend(ScaledDotScore{}, query(q), key(k), v, pass);
                          });
       }},
      {additive_name,
       [](std::size_t T, std::size_t d) {
         Rng rng(1);
         return scored(AdditiveScore(d, d, d, rng), T, d);
       }},
      {hybrid_name,
       [](std::size_t T, std::size_t d) {
         Rng rng(1);
         return passes_of(T, d, Hybrid(HybridKind::mean, d, d, d, rng));
       }},
      {composed_name, [](std::size_t T, std::size_t d) {
         Rng rng(1);
         return scored(AdditiveScore(d, d, d, rng), T, d, true);
       }}};
  return all;
}

// The composed form holds several arrays [B, T, T, H]; of one of 256 MB they come to about 1.5 GB.
bool fits(const Rival& rival, std::size_t T, std::size_t d) {
  return rival.name != composed_name || items * T * T * d * sizeof(Real) <= std::size_t(256) << 20;
}

struct Size {
  std::size_t T, d;
};

void measure_memory(const std::string& table, const std::string& row, const Size& size, Figures& into) {
  for (const Rival& rival : rivals())
    if (fits(rival, size.T, size.d))
      into.add(table, row, rival.name, 1, peak_mb_of([&] { rival.work(size.T, size.d)(); }));
}

void measure_time(const std::string& table, const std::string& row, const Size& size, std::size_t rounds,
                  Figures& into) {
  std::vector<Timed> all;
  for (const Rival& rival : rivals())
    if (fits(rival, size.T, size.d)) all.push_back({rival.name, rival.work(size.T, size.d)});
  time_in_turns(all, rounds, table, row, into);
  const auto add = [&](const std::string& name, const std::string& by) {
    add_ratios(into, table, row, name, by, table + "_ratio", name + " / " + by);
  };
  add(additive_name, scaled_name);
  add(additive_name, projected_name);
  add(composed_name, scaled_name);
  add(composed_name, additive_name);
  add(hybrid_name, scaled_name);
}

// ---- a training step ----

struct Lengths {
  std::size_t source, target;
};

std::function<void()> training_step(const std::string& model, const std::string& score, std::size_t sequences,
                                    const Lengths& lengths) {
  struct Held {
    Rng rng{1};
    Seq2Seq model;
    std::vector<NamedParam> params;
    std::unique_ptr<Optimizer> optimizer = adam();
    Padded sources, inputs;
    Ids targets;
  };
  constexpr std::size_t letters = 30, sounds = 42;
  const auto held = std::make_shared<Held>();
  held->model = make_seq2seq({.model = model,
                              .attention = {.score = score},
                              .source_vocabulary = letters,
                              .target_vocabulary = sounds,
                              .dropout = 0},
                             held->rng);
  held->params = std::visit([](auto& kind) { return parameters(kind); }, held->model);
  const auto draw = [&](std::size_t length, std::uint64_t vocabulary) {
    std::vector<std::int64_t> ids(sequences * length);
    for (std::int64_t& id : ids) id = 1 + static_cast<std::int64_t>(held->rng.below(vocabulary - 1));
    return Padded{Ids({sequences, length}, std::move(ids)), std::vector<std::size_t>(sequences, length)};
  };
  held->sources = draw(lengths.source, letters);
  held->inputs = draw(lengths.target, sounds);
  held->targets = draw(lengths.target, sounds).ids;
  return [held] {
    for (const NamedParam& named : held->params) named.param->clear_grad();
    Pass pass{.training = true};
    backward(mean(cross_entropy(forward(held->model, held->sources, held->inputs, pass), held->targets)));
    held->optimizer->step(held->params, 1e-3);
  };
}

void measure_training(const std::string& model, const Lengths& lengths, std::size_t rounds, Figures& into) {
  constexpr std::size_t sequences = 64;
  const std::string row = fmt::format("{}, {} → {}", model, lengths.source, lengths.target);
  std::vector<Timed> all;
  for (const auto& [score, column] : {std::pair("additive", additive_name), std::pair("dot", dot_name),
                                      std::pair("scaled_dot", scaled_name)})
    all.push_back({column, training_step(model, score, sequences, lengths)});
  std::vector<std::vector<double>> rates = time_in_turns(all, rounds);
  for (std::size_t i = 0; i < rates.size(); ++i) {
    for (double& rate : rates[i]) rate = sequences / rate;
    add_rounds(into, "throughput", row, all[i].column, rates[i]);
  }
  for (const char* other : {dot_name, scaled_name})
    add_ratios(into, "throughput", row, other, additive_name, "throughput_ratio",
               std::string(other) + " / additive");
}

// ---- parameters ----

void count_parameters(Figures& into) {
  constexpr std::size_t width = 256, D = 64, heads = width / D;
  Rng rng(1);
  const auto count = [&](const std::string& row, std::size_t parameters, std::size_t shared) {
    into.add("parameters", row, "thousands", 1, static_cast<double>(parameters) / 1000);
    into.add("parameters", row, "/ dot, shared projection", 1,
             static_cast<double>(parameters) / static_cast<double>(shared));
  };
  const std::size_t one = parameter_count(Linear(width, D, rng, Bias::no)),
                    additive = parameter_count(AdditiveScore(width, width, D, rng));
  count("score: dot, shared projection", one, one);
  count("score: dot, a projection each", 2 * one, one);
  count("score: additive", additive, one);
  count("score and values: dot, shared projection", 2 * one, 2 * one);
  count("score and values: dot, a projection each", 3 * one, 2 * one);
  count("score and values: additive", additive + one, 2 * one);
  const std::size_t shared =
      parameter_count(MultiHead(width, heads, rng)) - parameter_count(Linear(width, width, rng));
  count("layer of 4 heads: dot, shared projection", shared, shared);
  count("layer of 4 heads: dot, a projection each", parameter_count(MultiHead(width, heads, rng)), shared);
  count("layer of 4 heads: additive", parameter_count(MultiHead(width, heads, rng, HeadScore::additive)),
        shared);
}

void measure(Lab& lab, Figures& into) {
  const std::vector<std::size_t> lengths =
      lab.pick<std::vector<std::size_t>>({32, 64, 128, 256, 512, 1024}, {16, 64});
  const std::vector<std::size_t> widths =
      lab.pick<std::vector<std::size_t>>({16, 32, 64, 128, 256}, {16, 32});
  const std::size_t fixed_d = 64, fixed_T = lab.pick<std::size_t>(256, 32);
  // Memory first: its processes are made before there are threads.
  for (const std::size_t T : lengths) measure_memory("memory_T", fmt::format("{}", T), {T, fixed_d}, into);
  for (const std::size_t d : widths) measure_memory("memory_d", fmt::format("{}", d), {fixed_T, d}, into);
  const std::size_t rounds = lab.pick<std::size_t>(9, 2);
  for (const std::size_t T : lengths) {
    lab.say(fmt::format("T = {}", T));
    measure_time("time_T", fmt::format("{}", T), {T, fixed_d}, rounds, into);
  }
  for (const std::size_t d : widths) {
    lab.say(fmt::format("d = {}", d));
    measure_time("time_d", fmt::format("{}", d), {fixed_T, d}, rounds, into);
  }
  for (const char* model : {"lstm", "gru", "transformer"}) {
    lab.say(fmt::format("training steps: {}", model));
    measure_training(model, {12, 10}, rounds, into);
    if (!lab.quick) measure_training(model, {100, 80}, rounds, into);
  }
  count_parameters(into);
}

// ---- verdicts ----

// The row that a claim names, or the last where it was not measured; "" where there is nothing.
std::string row_near(const Figures& figures, const std::string& table, const std::string& row) {
  const std::vector<std::string> rows = figures.rows(table);
  if (rows.empty()) return "";
  return std::find(rows.begin(), rows.end(), row) != rows.end() ? row : rows.back();
}

std::string range_told(const std::vector<double>& values) {
  const auto [least, greatest] = std::minmax_element(values.begin(), values.end());
  return fmt::format("{} ({}–{})", brief(fovea::median(values), 3), brief(*least, 3), brief(*greatest, 3));
}

bool is_within(double value, double claimed, double part) {
  return std::abs(value - claimed) <= part * claimed;
}

void judge_time(const Figures& figures, std::vector<Verdict>& verdicts) {
  const std::string table = "time_T_ratio", row = row_near(figures, table, "512");
  const auto ratio = [&](const std::string& column) { return figures.of(table, row, column); };
  const std::vector<double> ours = ratio("additive / scaled dot"),
                            fair = ratio("additive / scaled dot, projected"),
                            theirs = ratio("additive, composed / scaled dot");
  if (ours.size() < 2 || fair.size() < 2) return;  // one round alone tells nothing
  const auto holds = [](const std::vector<double>& ratios) {
    return is_within(fovea::median(ratios), 3, 0.25);
  };
  const bool all = holds(ours) && holds(fair), some = holds(ours) || holds(fair) || holds(theirs);
  std::string why = fmt::format(
      "at T = {}: streamed it takes {} times as long as scaled dot, and {} times as long as scaled dot "
      "behind projections of its own",
      row, range_told(ours), range_told(fair));
  if (!theirs.empty())
    why = joined(why, fmt::format("composed of plain operations {} times", range_told(theirs)));
  verdicts.push_back({"additive attention is 3 times slower than dot at T = 512",
                      all    ? Verdict::Held::yes
                      : some ? Verdict::Held::in_part
                             : Verdict::Held::no,
                      why});
}

void judge_memory(const Figures& figures, std::vector<Verdict>& verdicts) {
  // The longest for which the composed form was measured.
  std::string row;
  for (const std::string& one : figures.rows("memory_T"))
    if (!figures.of("memory_T", one, composed_name).empty()) row = one;
  const double ours = figures.mean("memory_T", row, additive_name),
               theirs = figures.mean("memory_T", row, composed_name),
               dot = figures.mean("memory_T", row, projected_name);
  if (!(ours > 0) || !(theirs > 0) || !(dot > 0)) return;
  const bool theirs_more = theirs > 1.5 * dot, ours_more = ours > 1.5 * dot;
  verdicts.push_back({"additive attention needs more memory than dot",
                      ours_more     ? Verdict::Held::yes
                      : theirs_more ? Verdict::Held::in_part
                                    : Verdict::Held::no,
                      fmt::format("at T = {}, peak of forward and backward: scaled dot with projections {} "
                                  "MB, additive streamed {} MB, composed of plain operations {} MB",
                                  row, brief(dot, 3), brief(ours, 3), brief(theirs, 3))});
}

void judge_throughput(const Figures& figures, std::vector<Verdict>& verdicts) {
  std::size_t measured = 0, near = 0;
  std::string why;
  for (const std::string& row : figures.rows("throughput_ratio")) {
    const std::vector<double> ratios = figures.of("throughput_ratio", row, "scaled dot / additive");
    if (ratios.size() < 2) continue;  // one round alone tells nothing
    ++measured;
    near += is_within(fovea::median(ratios), 1.7, 0.2) ? 1 : 0;
    why = joined(why, fmt::format("{}: {} times", row, range_told(ratios)));
  }
  if (measured == 0) return;
  verdicts.push_back({"training with additive attention has 1.7 times less throughput",
                      held_of(near, measured),
                      "sequences per second with scaled dot, by those with additive: " + why});
}

void judge_parameters(const Figures& figures, std::vector<Verdict>& verdicts) {
  const auto times = [&](const std::string& row) {
    return figures.mean("parameters", row, "/ dot, shared projection");
  };
  const double score = times("score: additive"), head = times("score and values: additive"),
               layer = times("layer of 4 heads: additive");
  if (!std::isfinite(score) || !std::isfinite(head) || !std::isfinite(layer)) return;
  const bool some = is_within(score, 3, 0.1) || is_within(head, 3, 0.1) || is_within(layer, 3, 0.1);
  const bool all = is_within(score, 3, 0.1) && is_within(head, 3, 0.1) && is_within(layer, 3, 0.1);
  const double separate = score / times("score: dot, a projection each");
  verdicts.push_back(
      {"additive heads have about 3 times the parameters of dot heads with a shared projection",
       all    ? Verdict::Held::yes
       : some ? Verdict::Held::in_part
              : Verdict::Held::no,
       fmt::format("{} times of the score alone, {} times with the values' projection, {} times of a "
                   "whole layer; against dot with a projection each, {} times of the score",
                   brief(score, 3), brief(head, 3), brief(layer, 3), brief(separate, 4))});
}

std::vector<Verdict> judge(const Figures& figures) {
  std::vector<Verdict> verdicts;
  judge_time(figures, verdicts);
  judge_memory(figures, verdicts);
  judge_throughput(figures, verdicts);
  judge_parameters(figures, verdicts);
  return verdicts;
}

}  // namespace

Experiment cost() {
  const std::string of_T = "B = 4, d = H = 64, by T", of_d = "B = 4, T = 256, by d = H";
  return {
      {"cost",
       "what does additive attention cost?",
       "Time of a forward and a backward pass, with gradients of queries, keys, values and parameters, in "
       "f32. Additive attention contains its projections W_q and W_k; dot and scaled dot have none, which is "
       "how they are usually compared; `scaled dot, projected` has two of the same size. `hybrid` is the "
       "mean of scaled dot and additive. All of these are streamed: no array of all pairs is kept. "
       "`additive, composed` is the same function made of plain operations, with arrays [B, T, T, H], as it "
       "is usually written; it is measured as long as one such array takes at most 256 MB. All of a row are "
       "timed in turns, and a ratio is one of a round.\n\n"
       "Memory is what a process of its own with one thread holds at its peak in one forward and backward "
       "pass, inputs and gradients included, above what it held before; some 2 MB of it are the program's "
       "own.\n\n"
       "Training steps are those of `fovea train seq2seq`'s models (width 128, one layer, no dropout, 64 "
       "sequences of equal length, Adam), without reading data. The step of an lstm with additive attention "
       "is one operation; all others of the recurrent models go through the target step by step, so the "
       "gru's row compares like with like. Heads of the transformer (4 of 32) have the same projections with "
       "all scores.\n\n"
       "Parameters are counted from the modules: a head of D = 64 in a width of 256. Projections of dot "
       "heads have no bias where a single head is counted; additive has one, b. In a layer all projections "
       "have biases, and there is an output's projection, too; with a shared projection it is the same layer "
       "less one projection.\n\n"
       "A claimed ratio counts as found within 25 % (time), 20 % (throughput) and 10 % (parameters), more "
       "memory as more than "
       "half again as much as scaled dot with projections of its own.",
       {{"time_T", "forward and backward, " + of_T, "T", "ms", Summary::median},
        {"time_T_ratio", "ratios of times, " + of_T, "T", "", Summary::median},
        {"time_d", "forward and backward, " + of_d, "d", "ms", Summary::median},
        {"time_d_ratio", "ratios of times, " + of_d, "d", "", Summary::median},
        {"memory_T", "peak memory, " + of_T, "T", "MB"},
        {"memory_d", "peak memory, " + of_d, "d", "MB"},
        {"throughput", "training, source → target tokens", "model", "1,000 sequences/s", Summary::median},
        {"throughput_ratio", "throughput, by that of additive", "model", "", Summary::median},
        {"parameters", "parameters, D = 64, width 256", "head", ""}},
       {{"time_T", "time of forward and backward", Plot::Kind::lines, "T", "ms", true, true},
        {"time_T_ratio", "ratios of times", Plot::Kind::lines, "T", "", true, true},
        {"memory_T", "peak memory", Plot::Kind::lines, "T", "MB", true, true},
        {"time_d_ratio", "ratios of times", Plot::Kind::lines, "d", "", true, true}},
       judge},
      0,
      measure};
}

}  // namespace fovea::experiments
