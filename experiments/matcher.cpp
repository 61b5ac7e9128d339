#include "experiments/matcher.hpp"

#include "modules/attention/attend.hpp"

namespace fovea::experiments {

Variable Matcher::prepared(const Variable& keys) const { return prepare(score, key ? (*key)(keys) : keys); }

Variable Matcher::operator()(const Variable& queries, const Variable& prepared_keys, Pass& pass) const {
  // One item of n queries, as n items of one query each train more slowly.
  const Variable asked = projected(queries);
  const std::size_t n = asked.shape()[0];
  const Variable scores = attend_prepared(score, reshape(asked, {1, n, asked.shape()[1]}), prepared_keys, {},
                                          pass, {.want = {.scores = true}})
                              .scores;
  return reshape(scores, {n, prepared_keys.shape()[0]});
}

Matcher make_matcher(const std::string& score, std::size_t query_width, std::size_t key_width,
                     std::size_t width, Rng& rng) {
  Matcher made;
  if (score == "additive" || score == "general") {
    made.score = make_score(score, query_width, key_width, width, rng);
  } else {
    made.query.emplace(query_width, width, rng);
    made.key.emplace(key_width, width, rng);
    made.score = make_score(score, width, width, width, rng);
  }
  return made;
}

}  // namespace fovea::experiments
