// A score of your own: how well a query fits a key, by distance. Masks, weights and entropy come with it.
#include <cstdio>

#include "autograd/gradcheck.hpp"
#include "core/draw.hpp"
#include "modules/attention/attend.hpp"

using namespace fovea;

// s = -sharpness · ‖W q - k‖²
struct DistanceScore {
  Linear query;
  Param sharpness;
  FIELDS(query, sharpness)

  DistanceScore(std::size_t query_width, std::size_t key_width, Rng& rng)
      : query(query_width, key_width, rng, Bias::no), sharpness(scalar(1), Param::Decay::no) {}

  // [B, Tq, Dq] × [B, Tk, Dk] → [B, Tq, Tk]
  Variable operator()(const Variable& q, const Variable& k) const {
    const Variable a = query(q);
    const Variable at_query = reshape(a, {a.shape()[0], a.shape()[1], 1, a.shape()[2]});
    const Variable at_key = reshape(k, {k.shape()[0], 1, k.shape()[1], k.shape()[2]});
    const Variable difference = at_query - at_key;
    return -(sharpness.variable() * sum(difference * difference, -1));
  }
};

int main() {
  Rng rng(1);
  DistanceScore score(3, 4, rng);
  const Variable query = normal(rng, {1, 2, 3}, 0, 1), keys = normal(rng, {1, 5, 4}, 0, 1);
  const Variable values = normal(rng, {1, 5, 2}, 0, 1);
  const auto loss = [&] {
    Pass pass = Pass::evaluation();
    const Attended result = attend_scores(score(query, keys), values, pass, {.mask = Mask::key_lengths({4})});
    return sum(result.context * result.context);
  };
  const GradcheckReport report = gradcheck(parameters(score), loss);
  std::printf("%s", report.text().c_str());
  return report.passed ? 0 : 1;
}
