#pragma once

#include "core/random.hpp"

namespace fovea {

/// What one forward pass needs to know beside its inputs. There is no mode that a module could be left in.
struct Pass {
  bool training = false;
  Rng rng{};  // dropout draws from it; each pass of a run has its own

  static Pass evaluation() { return {}; }
};

}  // namespace fovea
