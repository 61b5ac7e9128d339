#include "examples/cities/measures.hpp"

namespace fovea::inline FOVEA_REAL::cities {

Measures Measures::of(std::span<const std::size_t> ranks) {
  Measures sums;
  for (const std::size_t rank : ranks) {
    sums.top1 += rank < 1;
    sums.top5 += rank < 5;
    sums.mrr += 1 / static_cast<double>(rank + 1);
  }
  const double percent = ranks.empty() ? 0 : 100 / static_cast<double>(ranks.size());
  return {percent * sums.top1, percent * sums.top5, percent * sums.mrr};
}

void Measures::add_to(Metrics& metrics, const std::string& prefix) const {
  metrics.add(prefix + "top1", top1);
  metrics.add(prefix + "top5", top5);
  metrics.add(prefix + "mrr", mrr);
}

}  // namespace fovea::inline FOVEA_REAL::cities
