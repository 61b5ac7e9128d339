#include "modules/probe.hpp"

namespace fovea::inline FOVEA_REAL {

Variable by_head(const Variable& x, std::size_t rank) {
  if (!x.defined() || x.rank() == rank) return x;
  Shape shape = x.shape();
  while (shape.size() < rank) shape.insert(shape.begin() + 1, 1);
  return reshape(x, shape);
}

Want wanted(const Want& by_caller, const Pass& pass) {
  if (!pass.observations) return by_caller;
  const Want& seen = pass.observations->want();
  return {by_caller.scores || seen.scores, by_caller.weights || seen.weights,
          by_caller.entropy || seen.entropy};
}

void observe(const Probe& at, const Attended& shown, Pass& pass) {
  if (!pass.observations) return;
  const Want& want = pass.observations->want();
  Observed one{&at, {}, {}, {}};
  if (want.scores) one.scores = by_head(shown.scores, 4);
  if (want.weights) one.weights = by_head(shown.weights, 4);
  if (want.entropy) one.entropy = by_head(shown.entropy, 3);
  pass.observations->add(std::move(one));
}

}  // namespace fovea::inline FOVEA_REAL
