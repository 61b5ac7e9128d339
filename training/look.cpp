#include "training/look.hpp"

#include <algorithm>
#include <cmath>

namespace fovea::inline FOVEA_REAL {
namespace {

// Adds one query to the sums of its head. `scores` hold those of masked keys, too; a key takes part when it
// has a weight, or when its score is so far below the best that the weight is too small to be told from 0.
void add_query(HeadFacts& head, const Real* scores, const Real* weights, std::size_t keys) {
  constexpr double beyond = 80;  // exp(-80) is about where single precision ends
  const Real heaviest = *std::max_element(weights, weights + keys);
  if (heaviest == 0) return;  // no key is allowed
  double best = -INFINITY, least = INFINITY, entropy = 0;
  for (std::size_t k = 0; k < keys; ++k)
    if (weights[k] > 0) best = std::max(best, static_cast<double>(scores[k]));
  std::size_t allowed = 0;
  for (std::size_t k = 0; k < keys; ++k) {
    const double score = static_cast<double>(scores[k]), weight = static_cast<double>(weights[k]);
    if (weight == 0 && !(score < best - beyond)) continue;
    ++allowed;
    least = std::min(least, score);
    if (weight > 0) entropy -= weight * std::log(weight);
  }
  if (allowed < 2) return;
  head.lowest = head.queries ? std::min(head.lowest, least) : least;
  head.highest = head.queries ? std::max(head.highest, best) : best;
  ++head.queries;
  head.spread += best - least;
  head.entropy += entropy;
  head.evenness += entropy / std::log(static_cast<double>(allowed));
  head.saturated += heaviest > Real(0.99);
}

double norm_of(const Tensor& tensor) {
  double squares = 0;
  for (std::size_t i = 0; i < tensor.size(); ++i) {
    const double x = static_cast<double>(tensor.data()[i]);
    squares += x * x;
  }
  return std::sqrt(squares);
}

}  // namespace

void add_heads(std::vector<HeadFacts>& heads, const std::string& path, std::span<const Observed> calls) {
  const std::size_t first = heads.size();
  for (const Observed& call : calls) {
    if (!call.scores.defined() || !call.weights.defined()) continue;
    const Shape& shape = call.weights.shape();  // [B, heads, Tq, Tk]
    for (std::size_t head = heads.size() - first; head < shape[1]; ++head)
      heads.push_back({.path = path, .head = head});
    const Real *scores = call.scores.value().data(), *weights = call.weights.value().data();
    for (std::size_t row = 0; row < shape[0] * shape[1] * shape[2]; ++row)
      add_query(heads[first + row / shape[2] % shape[1]], scores + row * shape[3], weights + row * shape[3],
                shape[3]);
  }
  for (std::size_t i = first; i < heads.size(); ++i) {
    HeadFacts& head = heads[i];
    if (head.queries == 0) continue;
    for (double* sum : {&head.spread, &head.entropy, &head.evenness, &head.saturated})
      *sum /= static_cast<double>(head.queries);
  }
}

std::vector<ParamFacts> param_facts(std::span<const NamedParam> params) {
  std::vector<ParamFacts> facts;
  for (const NamedParam& one : params) {
    const Value gradient = one.param->grad();
    facts.push_back({.path = one.path,
                     .matrix = one.param->shape().size() > 1,
                     .norm = norm_of(one.param->value()),
                     .gradient = gradient ? std::optional(norm_of(*gradient)) : std::nullopt});
  }
  return facts;
}

void show_parameters(RunSink& sink, std::uint64_t step, std::span<const NamedParam> params) {
  for (const NamedParam& one : params) {
    const Tensor& value = one.param->value();
    const std::vector<double> values(value.data(), value.data() + value.size());
    sink.parameter(step, one.path, values);
  }
}

void note_changes(std::vector<ParamFacts>& facts, std::span<const Tensor> before,
                  std::span<const NamedParam> params) {
  for (std::size_t i = 0; i < facts.size(); ++i) {
    const Tensor& after = params[i].param->value();
    double squares = 0;
    for (std::size_t j = 0; j < after.size(); ++j) {
      const double change = static_cast<double>(after.data()[j]) - static_cast<double>(before[i].data()[j]);
      squares += change * change;
    }
    facts[i].change = facts[i].norm > 0 ? std::sqrt(squares) / facts[i].norm : 0;
  }
}

}  // namespace fovea::inline FOVEA_REAL
