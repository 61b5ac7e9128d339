#include "modules/recompute.hpp"

#include "modules/probe.hpp"

namespace fovea::inline FOVEA_REAL {
namespace {

// What the first run tells, beside its results: there is nobody who would listen to the second.
struct Told {
  Rng rng;
  std::vector<Observed> seen;
};

// The variables of an observation that are there, in this order.
constexpr Variable Observed::*parts[] = {&Observed::scores, &Observed::weights, &Observed::entropy};

}  // namespace

Variable detail::recompute(ModuleCall call, Pass& pass, const std::vector<Variable>& inputs,
                           const std::vector<const Param*>& params) {
  const auto told = std::make_shared<Told>();
  Pass entry = pass;
  entry.observations = nullptr;  // which may be gone by then
  const std::optional<Want> want =
      pass.observations ? std::optional(pass.observations->want()) : std::nullopt;
  const auto run = [call = std::move(call), entry, want,
                    listener = std::weak_ptr(told)](std::span<const Variable> given) {
    Pass at = entry;
    std::optional<Observations> seen;
    if (want) at.observations = &seen.emplace(*want);
    std::vector<Variable> results{call(given, at)};
    if (seen) {
      for (const Observed& one : seen->all()) {
        for (const auto part : parts) {
          if ((one.*part).defined()) results.push_back(one.*part);
        }
      }
    }
    if (const auto first = listener.lock()) {
      first->rng = at.rng;
      if (seen) first->seen = seen->all();
    }
    return results;
  };
  const std::vector<Variable> results = fovea::recompute(run, inputs, params);
  pass.rng = told->rng;
  std::size_t next = 1;
  for (Observed one : told->seen) {
    for (const auto part : parts) {
      if ((one.*part).defined()) one.*part = results[next++];
    }
    pass.observations->add(std::move(one));
  }
  return results[0];
}

}  // namespace fovea::inline FOVEA_REAL
