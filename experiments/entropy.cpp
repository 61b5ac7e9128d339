#include <algorithm>
#include <cmath>
#include <cstdlib>

#include <fmt/format.h>

#include "experiments/account/difference.hpp"
#include "experiments/all.hpp"
#include "experiments/trials.hpp"
#include "training/text.hpp"

namespace fovea::experiments {
namespace {

using Names = std::vector<std::string>;
using Held = Verdict::Held;

// Columns.
constexpr const char* words_wrong = "words wrong, %";
constexpr const char* tokens_wrong = "tokens wrong, %";
constexpr const char* found = "found, %";
constexpr const char* entropy_of = "entropy, nats";
constexpr const char* diagonal = "near the diagonal, %";

constexpr double as_good_as = 2;    // points
constexpr std::size_t length = 12;  // of the sequences of toy tasks

// λ, hops and guide stand in all of these, so that the trainings that tables have in common are made once.
Trial pronounce(const Lab& lab, const std::string& row, const Given& changed) {
  const Given plain{{"width", "96"},  {"steps", "400"}, {"eval-every", "200"}, {"beam", "1"},
                    {"entropy", "0"}, {"hops", "1"},    {"guide", "none"}};
  // To read the dictionary takes a second, which is too much for a rehearsal: it reverses letters.
  const Given toy{
      {"width", "4"}, {"steps", "2"}, {"eval-every", "2"}, {"longest", "4"}, {"sequences", "200"}};
  return {row,
          lab.pick("g2p", "reverse"),
          with(lab.quick ? with(plain, toy) : plain, changed),
          {{lab.pick("wer", "ser"), words_wrong}, {"entropy.attention", entropy_of}, {"diagonal", diagonal}}};
}

Given toy(const Lab& lab, const char* steps, const char* width) {
  const std::string symbols = fmt::format("{}", length);
  return {{"shortest", symbols},
          {"longest", symbols},
          {"beam", "1"},
          {"warmup", "50"},
          {"steps", lab.pick(steps, "2")},
          {"width", lab.pick(width, "4")},
          {"sequences", lab.pick("40000", "200")}};
}

std::string lambda_row(const std::string& lambda) { return "λ = " + lambda; }

// The settings with each λ, and at last, as `rival`, with another score and without a λ.
std::vector<Trial> cures(const Names& lambdas, const std::string& rival, const std::string& task,
                         const Given& settings, const std::vector<Recorded>& recorded) {
  std::vector<Trial> trials;
  for (const std::string& lambda : lambdas)
    trials.push_back({lambda_row(lambda), task, with(settings, {{"entropy", lambda}}), recorded});
  trials.push_back({rival, task, with(settings, {{"attention", rival}}), recorded});
  return trials;
}

void measure(Lab& lab, Figures& into) {
  const Names lambdas{"-0.1", "0", "0.01", "0.1", "0.5"};
  std::vector<Trial> words, places, hops, guides;
  for (const std::string& lambda : lambdas) {
    words.push_back(pronounce(lab, lambda, {{"entropy", lambda}}));
    places.push_back({lambda,
                      "cities",
                      {{"steps", "300"}, {"eval-every", "300"}, {"entropy", lambda}},
                      {{"top1", found}, {"entropy", entropy_of}}});
  }
  for (const char* count : {"1", "2", "3"}) hops.push_back(pronounce(lab, count, {{"hops", count}}));
  for (const char* guide : {"none", "diagonal:100", "diagonal:400"})
    guides.push_back(pronounce(lab, guide, {{"guide", guide}}));
  run_trials(lab, "g2p", words, into);
  if (!lab.quick) run_trials(lab, "cities", places, into);  // to test there takes many seconds
  run_trials(lab, "uniform",
             cures({"0", "0.01", "0.1", "0.5"}, "general", "reverse",
                   with(toy(lab, "600", "64"), {{"attention", "scaled_dot"}}),
                   {{"ter", tokens_wrong}, {"entropy.attention", entropy_of}}),
             into);
  run_trials(lab, "collapsed",
             cures({"0", "-0.1", "-0.5", "-2"}, "scaled_dot", "sort",
                   with(toy(lab, "200", "256"), {{"model", "transformer"},
                                                 {"heads", "1"},
                                                 {"inner", lab.pick("256", "4")},
                                                 {"attention", "dot"}}),
                   {{"ter", tokens_wrong},
                    {"entropy.decoder.layers.0.cross_attention", entropy_of},
                    {"entropy.encoder.layers.0.self_attention", "the encoder's, nats"}}),
             into);
  run_trials(lab, "hops", hops, into);
  run_trials(lab, "guide", guides, into);
}

// A sweep of λ, in which less or more of a column is better.
struct Sweep {
  std::string table, column;
  double better;  // -1: less
};
const std::vector<Sweep> sweeps{{"g2p", words_wrong, -1}, {"cities", found, 1}};

Names positive_lambdas(const Figures& figures, const std::string& table) {
  Names rows = figures.rows(table);
  std::erase_if(rows, [](const std::string& row) { return std::strtod(row.c_str(), nullptr) <= 0; });
  return rows;
}

void judge_sharpness(const Figures& figures, std::vector<Verdict>& verdicts) {
  std::size_t sharper = 0, blunter = 0, tables = 0;
  std::string why;
  for (const Sweep& sweep : sweeps) {
    const Names lambdas = positive_lambdas(figures, sweep.table);
    if (lambdas.empty()) continue;
    const Difference change = between_rows(figures, sweep.table, lambdas.back(), "0", entropy_of);
    sharper += change.is_below();
    blunter += change.is_above();
    ++tables;
    why = joined(why, fmt::format("{}: λ = {} changes the entropy by {} nats from {}{}", sweep.table,
                                  lambdas.back(), told(change),
                                  for_people(figures.mean(sweep.table, "0", entropy_of)), doubt(change)));
  }
  if (tables > 0)
    verdicts.push_back(
        {"entropy regularisation (λ > 0) sharpens attention", held_of(sharper, blunter, tables), why});
}

void judge_accuracy(const Figures& figures, std::vector<Verdict>& verdicts) {
  std::size_t improved = 0, worsened = 0, tables = 0;
  std::string why;
  for (const Sweep& sweep : sweeps) {
    const Names lambdas = positive_lambdas(figures, sweep.table);
    if (lambdas.empty()) continue;
    bool better = false, worse = false;
    std::string one;
    for (const std::string& lambda : lambdas) {
      const Difference change = between_rows(figures, sweep.table, lambda, "0", sweep.column);
      better |= change.is_clear() && change.mean * sweep.better > 0;
      worse |= change.is_clear() && change.mean * sweep.better < 0;
      one += fmt::format("{}{} with λ = {}{}", one.empty() ? "" : ", ", told(change), lambda, doubt(change));
    }
    improved += better;
    worsened += worse && !better;
    ++tables;
    why = joined(why, fmt::format("{}, {}: {}", sweep.table, sweep.column, one));
  }
  if (tables > 0)
    verdicts.push_back(
        {"sharper attention (λ > 0) is more accurate", held_of(improved, worsened, tables), why});
}

// Whether a λ makes attention that is at one extreme err less, and as little as another score does.
// `towards`: -1 where the entropy should become less.
void judge_cure(const Figures& figures, const std::string& claim, const std::string& table,
                const std::string& rival, double towards, std::vector<Verdict>& verdicts) {
  const std::string base = lambda_row("0");
  const double evenness = figures.mean(table, base, entropy_of) / std::log(static_cast<double>(length));
  const bool is_ill = towards < 0 ? evenness > 0.9 : evenness < 0.2;
  if (!is_ill) return;  // there is nothing to be cured
  bool better = false, as_good = false;
  std::string why =
      fmt::format("without a λ the entropy is {} of at most {:.3g} nats, and {} % of the tokens are wrong",
                  for_people(figures.mean(table, base, entropy_of)), std::log(static_cast<double>(length)),
                  for_people(figures.mean(table, base, tokens_wrong)));
  for (const std::string& row : figures.rows(table)) {
    if (row == base || row == rival) continue;
    const Difference entropy = between_rows(figures, table, row, base, entropy_of),
                     error = between_rows(figures, table, row, base, tokens_wrong),
                     to_rival = between_rows(figures, table, row, rival, tokens_wrong);
    const bool cures = entropy.is_clear() && entropy.mean * towards > 0 && error.is_below();
    better |= cures;
    as_good |= cures && to_rival.pairs > 1 && !to_rival.is_above() && to_rival.mean < as_good_as;
    why += fmt::format("; {}: entropy {}{}, wrong {} points{}", row, told(entropy), doubt(entropy),
                       told(error), doubt(error));
  }
  why += fmt::format("; {} in its place, without a λ: entropy {}, {} % wrong", rival,
                     for_people(figures.mean(table, rival, entropy_of)),
                     for_people(figures.mean(table, rival, tokens_wrong)));
  verdicts.push_back({claim, as_good ? Held::yes : better ? Held::in_part : Held::no, why});
}

// Whether each row has fewer words wrong than the first.
void judge_rows(const Figures& figures, const std::string& claim, const std::string& table,
                std::vector<Verdict>& verdicts) {
  const Names rows = figures.rows(table);
  if (rows.size() < 2) return;
  std::size_t better = 0, worse = 0;
  std::string why;
  for (std::size_t i = 1; i < rows.size(); ++i) {
    const Difference change = between_rows(figures, table, rows[i], rows[0], words_wrong);
    better += change.is_below();
    worse += change.is_above();
    why = joined(why, fmt::format("{} in place of {}: {} points of words wrong{}", rows[i], rows[0],
                                  told(change), doubt(change)));
  }
  verdicts.push_back({claim, held_of(better, worse, rows.size() - 1), why});
}

std::vector<Verdict> judge(const Figures& figures) {
  std::vector<Verdict> verdicts;
  judge_sharpness(figures, verdicts);
  judge_accuracy(figures, verdicts);
  judge_cure(figures, "λ > 0 cures uniform attention", "uniform", "general", -1, verdicts);
  judge_cure(figures, "λ < 0 cures collapsed attention", "collapsed", "scaled_dot", 1, verdicts);
  judge_rows(figures, "more hops are more accurate", "hops", verdicts);
  judge_rows(figures, "a guide along the diagonal makes learning faster", "guide", verdicts);
  return verdicts;
}

}  // namespace

Experiment entropy() {
  return {
      {"entropy",
       "does a penalty on the attention's entropy help?",
       "λ times the mean entropy of the attention is added to the loss (`--entropy λ`): above 0 it sharpens "
       "the weights, below 0 it evens them out. Within a table all have the same steps, rate and seeds; "
       "entropies and errors are of the test part.\n\n"
       "- `g2p`: an LSTM of width 96 with additive attention learns pronunciations, 400 steps, greedy;\n"
       "- `cities`: scaled dot attention over a catalogue, 300 steps; places found at once by unseen names;\n"
       "- uniform: an LSTM of width 64 with scaled dot attention, whose first scores are small, reverses 12 "
       "symbols, 600 "
       "steps;\n"
       "- collapsed: a Transformer of one head and width 256 with dot attention without √d, whose first "
       "scores are large, "
       "sorts 12 symbols, 200 steps. λ acts on all of its attentions; the entropy is that of the decoder's "
       "look at the "
       "source, and the encoder's own;\n"
       "- beside them, for g2p, two and three looks (`--hops`; the last is measured), and a guide that leads "
       "attention along "
       "the diagonal in the first 100 or in all steps (`--guide`).\n\n"
       "In both toy tasks the rate rises over the first 50 steps. Attention counts as uniform where its "
       "entropy is above "
       "0.9 ln 12 nats without a λ, as collapsed below 0.2 ln 12; else there is nothing to be cured, and no "
       "verdict. A cure "
       "must bring the entropy in the wanted direction and make fewer errors, both clearly; it is whole if "
       "the errors are at "
       "most 2 points more than with a score that has not the fault. The λ with which a claim does best is "
       "taken from the "
       "same figures, in the claim's favour.",
       {{"g2p", "pronunciations, by λ", "λ"},
        {"cities", "places, by λ", "λ"},
        {"uniform", "attention that stays uniform (entropy at most ln 12 = 2.48)", "model"},
        {"collapsed", "attention that collapses", "model"},
        {"hops", "pronunciations, by looks", "hops"},
        {"guide", "pronunciations, by guide", "guide"}},
       {{"g2p", "pronunciations: words wrong", Plot::Kind::lines, "λ", "%", false, false, {words_wrong}},
        {"g2p", "pronunciations: entropy", Plot::Kind::lines, "λ", "nats", false, false, {entropy_of}},
        {"cities", "places found", Plot::Kind::lines, "λ", "%", false, false, {found}},
        {"uniform",
         "uniform attention: tokens wrong",
         Plot::Kind::dots,
         "",
         "%",
         false,
         false,
         {tokens_wrong}},
        {"collapsed",
         "collapsed attention: tokens wrong",
         Plot::Kind::dots,
         "",
         "%",
         false,
         false,
         {tokens_wrong}}},
       judge},
      3,
      measure};
}

}  // namespace fovea::experiments
