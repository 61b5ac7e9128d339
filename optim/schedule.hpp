#pragma once

#include <cstdint>
#include <string>

namespace fovea {

/// The learning rate as a function of the step alone, so that a resumed run goes on as if nothing happened.
struct Schedule {
  enum class Kind { constant, cosine };
  Kind kind = Kind::constant;
  double base = 1e-3;
  std::uint64_t warmup = 0;  // steps over which the rate rises linearly to `base`
  std::uint64_t total = 0;   // steps after which cosine has reached `floor`
  double floor = 0;

  /// Rate of step 0, 1, 2, …
  double rate(std::uint64_t step) const;
};

Schedule::Kind schedule_kind(const std::string& name);

}  // namespace fovea
