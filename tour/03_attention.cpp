// Attention: a score, a mask, and what a query looked at.
#include <cstdio>

#include "core/draw.hpp"
#include "modules/attention/attend.hpp"

using namespace fovea;

int main() {
  Rng rng(1);
  // Two items, three queries of width 4 each, five keys of width 6: additive attention bridges the widths.
  const Variable query = normal(rng, {2, 3, 4}, 0, 1);
  const Variable keys = normal(rng, {2, 5, 6}, 0, 1), values = normal(rng, {2, 5, 8}, 0, 1);
  const Score score = make_score("additive", 4, 6, 16, rng);

  // The second item has two keys only, the rest is padding. Masks are values and join by & and |.
  AttendOptions options;
  options.mask = Mask::key_lengths({5, 2}) & Mask::window(3, 1);
  options.want = {.scores = false, .weights = true, .entropy = true};

  Pass pass = Pass::evaluation();
  const Attended result = attend(score, query, keys, values, pass, options);
  std::printf("context %s\n", to_string(result.context.shape()).c_str());
  for (std::size_t b = 0; b < 2; ++b) {
    std::printf("item %zu, last query: weights", b);
    for (std::size_t j = 0; j < 5; ++j)
      std::printf(" %.3f", static_cast<double>(result.weights.value().at(b, 2, j)));
    std::printf(", entropy %.3f nats\n", static_cast<double>(result.entropy.value().at(b, 2)));
  }
  // What a mask forbids has a weight of exactly zero.
  return result.weights.value().at(1, 2, 4) == 0 ? 0 : 1;
}
