#pragma once

#include <functional>
#include <string>
#include <vector>

#include "core/real.hpp"

namespace fovea::inline FOVEA_REAL {

/// One piece of work that is timed: forward and backward, or a training step. `make(T)` prepares it, calling
/// the result runs it once.
struct Workload {
  std::string id;
  std::string about;
  std::vector<std::size_t> lengths;  // T, by default; empty where the work has none
  std::function<std::function<void()>(std::size_t T)> make;
};

const std::vector<Workload>& workloads();

}  // namespace fovea::inline FOVEA_REAL
