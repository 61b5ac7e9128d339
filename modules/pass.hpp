#pragma once

#include <cstdint>

#include "core/random.hpp"
#include "core/real.hpp"

namespace fovea::inline FOVEA_REAL {

class Observations;

/// What one forward pass needs to know beside its inputs. There is no mode that a module could be left in.
struct Pass {
  bool training = false;
  Rng rng{};               // dropout draws from it; each pass of a run has its own
  std::uint64_t step = 0;  // of training, for what a model does in another way later than at first
  Observations* observations = nullptr;  // what is to be seen of the attentions; see probe.hpp

  static Pass evaluation() { return {}; }
};

}  // namespace fovea::inline FOVEA_REAL
