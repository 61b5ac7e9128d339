#include <cmath>

#include <fmt/format.h>

#include "core/draw.hpp"
#include "experiments/account/difference.hpp"
#include "experiments/all.hpp"
#include "experiments/trials.hpp"
#include "modules/attention/attend.hpp"
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

void measure(Lab& lab, Figures& into) {
  for (std::size_t d = 8; d <= 1024; d *= 2)
    for (const std::uint64_t seed : lab.seeds) measure_variance(d, lab.pick(20'000, 500), seed, into);
  for (std::size_t d = 8; d <= 1024; d *= 2) {
    for (const std::uint64_t seed : lab.seeds) {
      measure_softmax(DotScore{}, "dot", d, lab.pick(512, 8), seed, into);
      measure_softmax(ScaledDotScore{}, "scaled dot", d, lab.pick(512, 8), seed, into);
    }
  }
  std::vector<Trial> trials;
  for (const char* width : {"16", "64", "256"}) {
    for (const auto& [score, column] : {std::pair("dot", "dot"), std::pair("scaled_dot", "scaled dot")})
      trials.push_back({width,
                        "sort",
                        {{"model", "transformer"},
                         {"heads", "1"},
                         {"width", width},
                         {"attention", score},
                         {"steps", lab.pick("400", "2")}},
                        {{"ser", column}}});
  }
  run_trials(lab, "training", trials, into);
}

std::vector<Verdict> judge(const Figures& figures) {
  double furthest = 0;
  for (const std::string& d : figures.rows("variance"))
    furthest = std::max(furthest, std::abs(figures.mean("variance", d, "q·k/√d") - 1));
  const bool holds = furthest < 0.05;
  std::vector<Verdict> verdicts{
      {"the variance of q·k is d", holds ? Verdict::Held::yes : Verdict::Held::no,
       fmt::format("variance / d is at most {:.1f} % from 1 for d = 8 … 1024", 100 * furthest)}};
  return verdicts;
}

}  // namespace

Experiment scaling() {
  return {{"scaling",
           "does attention need the factor 1/√d?",
           "Queries and keys of independent N(0, 1) numbers: the variance of their dot products; then, over "
           "64 keys, how "
           "even the weights are (entropy / log 64), the largest weight, and the slope of the softmax, "
           "‖∂p/∂s‖, which is "
           "all that its gradient passes on. Then Transformers of one head and width d learn to sort, with "
           "and without the factor.",
           {{"variance", "variance of dot products", "d"},
            {"evenness", "evenness of the weights", "d"},
            {"largest", "largest weight", "d"},
            {"slope", "slope of the softmax", "d"},
            {"training", "sequences sorted wrong", "d", "%"}},
           {{"variance", "variance of scores", Plot::Kind::lines, "d", "", true, true},
            {"slope", "slope of the softmax", Plot::Kind::lines, "d", "", true, false},
            {"training", "sequences sorted wrong", Plot::Kind::lines, "d", "%", true, false}},
           judge},
          5,
          measure};
}

}  // namespace fovea::experiments
