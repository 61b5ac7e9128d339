#include "modules/probe.hpp"

namespace fovea::inline FOVEA_REAL {

namespace {
Want both(const Want& a, const Want& b) {
  return {a.scores || b.scores, a.weights || b.weights, a.entropy || b.entropy};
}
}  // namespace

Observations::Observations(Want want, Observations* outer)
    : want_(outer ? both(want, outer->want()) : want), outer_(outer) {}

void Observations::add(Observed one) {
  if (outer_) outer_->add(one);
  all_.push_back(std::move(one));
}

Variable by_head(const Variable& x, std::size_t rank) {
  if (!x.defined() || x.rank() == rank) return x;
  Shape shape = x.shape();
  while (shape.size() < rank) shape.insert(shape.begin() + 1, 1);
  return reshape(x, shape);
}

Want wanted(const Want& by_caller, const Pass& pass) {
  return pass.observations ? both(by_caller, pass.observations->want()) : by_caller;
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
