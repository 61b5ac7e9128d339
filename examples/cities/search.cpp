#include "examples/cities/search.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "core/parallel.hpp"

namespace fovea::inline FOVEA_REAL::cities {
namespace {

// What is scored at a time.
constexpr std::size_t queries_at_a_time = 32, cities_at_a_time = 4096;

// Adds share · softmax(scores) to the weights; returns the softmax's entropy. In double: a sum over the
// catalogue.
double add_weights(std::span<const Real> scores, double share, std::vector<double>& weights) {
  const double top = static_cast<double>(*std::max_element(scores.begin(), scores.end()));
  std::vector<double> exponentials(scores.size());
  double total = 0, moment = 0;  // Σ e^(s - top), Σ e^(s - top) (s - top)
  for (std::size_t j = 0; j < scores.size(); ++j) {
    const double below = static_cast<double>(scores[j]) - top;
    exponentials[j] = std::exp(below);
    total += exponentials[j];
    moment += exponentials[j] * below;
  }
  for (std::size_t j = 0; j < scores.size(); ++j) weights[j] += share * exponentials[j] / total;
  return std::log(total) - moment / total;
}

// Scores of queries `begin` … `end`-1 with every city, row by row.
std::vector<Real> rows_of_scores(const Matcher& matcher, const Variable& queries, std::size_t begin,
                                 std::size_t end, const std::vector<Variable>& blocks, std::size_t cities) {
  Pass pass = Pass::evaluation();
  AttendOptions only_scores;
  only_scores.want.scores = true;
  std::vector<Real> rows((end - begin) * cities);
  std::size_t first = 0;
  for (const Variable& block : blocks) {
    const std::size_t count = block.shape()[1];
    const Variable some = slice(queries, 1, begin, end);
    const Variable scores = attend_prepared(matcher.score, some, block, {}, pass, only_scores).scores;
    for (std::size_t i = 0; i < end - begin; ++i) {
      std::copy_n(scores.value().data() + i * count, count, rows.data() + i * cities + first);
    }
    first += count;
  }
  return rows;
}

}  // namespace

PreparedCatalogue prepare_catalogue(const CitiesModel& model, const Features& features, std::size_t cities) {
  const NoGrad no_graph;
  PreparedCatalogue result{cities, std::vector<std::vector<Variable>>(model.attentions.size())};
  for (std::size_t begin = 0; begin < cities; begin += cities_at_a_time) {
    std::vector<std::size_t> some(std::min(cities_at_a_time, cities - begin));
    std::iota(some.begin(), some.end(), begin);
    const Variable vectors = model.encode(features.keys(some));
    for (std::size_t m = 0; m < model.attentions.size(); ++m) {
      const Matcher& matcher = model.attentions[m];
      result.blocks[m].push_back(prepare(matcher.score, matcher.keys(vectors)));
    }
  }
  return result;
}

void answer(const CitiesModel& model, const Features& features, const PreparedCatalogue& catalogue,
            std::span<const Query> queries, const std::function<void(std::size_t, const Answer&)>& each) {
  const NoGrad no_graph;
  if (queries.empty()) return;
  const Variable vectors = model.encode(features.queries(queries));
  const std::size_t parts = model.attentions.size(), cities = catalogue.cities;
  std::vector<Variable> projected;
  for (const Matcher& matcher : model.attentions) projected.push_back(matcher.queries(vectors));
  parallel_for(queries.size(), queries_at_a_time, [&](std::size_t begin, std::size_t end) {
    const NoGrad nor_here;  // it speaks for one thread
    std::vector<std::vector<Real>> rows;
    for (std::size_t m = 0; m < parts; ++m) {
      rows.push_back(
          rows_of_scores(model.attentions[m], projected[m], begin, end, catalogue.blocks[m], cities));
    }
    for (std::size_t i = begin; i < end; ++i) {
      Answer result;
      result.weights.assign(cities, 0);
      const double share = 1.0 / static_cast<double>(parts);
      for (const std::vector<Real>& part : rows) {
        const std::span<const Real> row = std::span(part).subspan((i - begin) * cities, cities);
        result.entropy += share * add_weights(row, share, result.weights);
        if (parts == 1) result.scores.assign(row.begin(), row.end());
      }
      if (parts > 1) result.scores = result.weights;
      each(i, result);
    }
  });
}

std::size_t rank_of(std::span<const double> scores, std::size_t city) {
  const double own = scores[city];
  std::size_t before = 0;
  for (std::size_t j = 0; j < scores.size(); ++j) before += scores[j] > own || (scores[j] == own && j < city);
  return before;
}

std::size_t Answer::rank(std::size_t city) const { return rank_of(scores, city); }

std::vector<std::size_t> Answer::best(std::size_t count) const {
  std::vector<std::size_t> order(scores.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  count = std::min(count, order.size());
  std::partial_sort(
      order.begin(), order.begin() + static_cast<std::ptrdiff_t>(count), order.end(),
      [&](std::size_t a, std::size_t b) { return scores[a] != scores[b] ? scores[a] > scores[b] : a < b; });
  order.resize(count);
  return order;
}

}  // namespace fovea::inline FOVEA_REAL::cities
