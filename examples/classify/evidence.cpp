#include "examples/classify/evidence.hpp"

#include "core/check.hpp"

namespace fovea::inline FOVEA_REAL::classify {

Tensor Evidence::of(std::span<const std::vector<std::int64_t>> texts, std::size_t time,
                    std::span<const Labelled* const> own) const {
  const std::size_t classes = counts.classes(), row = settings.order * classes;
  Tensor found = zeros({texts.size(), time * settings.order, classes});
  for (std::size_t i = 0; i < texts.size(); ++i)
    counts.evidence(texts[i], settings, own.empty() ? nullptr : own[i],
                    std::span(found.data() + i * time * row, texts[i].size() * row));
  return found;
}

void Evidence::restore(std::uint64_t order, double smoothing) {
  check<CheckpointError>(order <= counts.most(), "naive bayes", "order ", order, " where 1 … ", counts.most(),
                         " were counted");
  check<CheckpointError>(smoothing > 0 && smoothing < 1e9, "naive bayes", "the smoothing is ", smoothing);
  settings = {order, smoothing};
}

}  // namespace fovea::inline FOVEA_REAL::classify
