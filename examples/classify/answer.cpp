#include "examples/classify/answer.hpp"

#include <algorithm>
#include <numeric>

#include "examples/sequences/batches.hpp"

namespace fovea::inline FOVEA_REAL::classify {
namespace {

constexpr std::size_t texts_at_once = 256;

}  // namespace

Texts texts_of(std::span<const Row> rows, const Grams& grams, const Evidence* evidence,
               std::span<const Labelled* const> own) {
  Texts texts{sequences::pad(rows), {}, {0}, {}};
  const std::size_t time = texts.tokens.ids.shape.at(1);
  if (evidence != nullptr) texts.evidence = evidence->of(rows, time, own);
  if (grams.size() == 0) return texts;
  std::vector<std::int64_t> around;
  for (const Row& row : rows) {
    for (std::size_t i = 0; i < time; ++i) {
      if (i < row.size()) grams.add_around(row, i, around);
      texts.offsets.push_back(around.size());
    }
  }
  texts.grams = Ids(std::move(around));
  return texts;
}

std::size_t Answer::guess() const {
  return static_cast<std::size_t>(std::max_element(log_probabilities.begin(), log_probabilities.end()) -
                                  log_probabilities.begin());
}

std::vector<std::size_t> Answer::best(std::size_t most) const {
  std::vector<std::size_t> order(log_probabilities.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return log_probabilities[a] > log_probabilities[b]; });
  order.resize(std::min(most, order.size()));
  return order;
}

std::vector<Answer> answers(const Classifier& model, const Grams& grams, std::span<const Row> rows,
                            const Evidence* evidence) {
  const NoGrad no_graph;
  std::vector<std::size_t> order(rows.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return rows[a].size() < rows[b].size(); });
  std::vector<Answer> found(rows.size());
  for (std::size_t begin = 0; begin < order.size(); begin += texts_at_once) {
    const std::size_t count = std::min(texts_at_once, order.size() - begin);
    std::vector<Row> some;
    for (std::size_t i = begin; i < begin + count; ++i) some.push_back(rows[order[i]]);
    Pass pass = Pass::evaluation();
    const Texts texts = texts_of(some, grams, evidence);
    const Classified said = model(texts, pass, {.weights = true, .entropy = true});
    const Tensor log_p = log_softmax(said.logits, -1).value();
    const std::size_t classes = log_p.shape()[1], time = texts.tokens.ids.shape.at(1);
    for (std::size_t i = 0; i < count; ++i) {
      Answer& answer = found[order[begin + i]];
      const Real* p = log_p.data() + i * classes;
      const Real* weight = said.weights.value().data() + i * time;
      answer.log_probabilities.assign(p, p + classes);
      answer.weights.assign(weight, weight + some[i].size());
      answer.entropy = static_cast<double>(said.entropy.value().data()[i]);
      if (!model.scales.defined()) continue;
      const std::size_t orders = model.scales.size();
      for (std::size_t k = 0; k < some[i].size() * orders; ++k) {
        if (k % orders == 0) answer.evidence.push_back(0);
        const double e = static_cast<double>(
            texts.evidence.value().data()[(i * time * orders + k) * classes + answer.guess()]);
        answer.evidence.back() += static_cast<double>(some[i].size()) * answer.weights[k / orders] *
                                  static_cast<double>(model.scales.value().data()[k % orders]) * e;
      }
    }
  }
  return found;
}

}  // namespace fovea::inline FOVEA_REAL::classify
