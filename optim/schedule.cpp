#include "optim/schedule.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "core/check.hpp"

namespace fovea {

double Schedule::rate(std::uint64_t step) const {
  // Step 0 already moves: the first of `warmup` steps has 1/warmup of the rate.
  if (step < warmup) return base * static_cast<double>(step + 1) / static_cast<double>(warmup);
  if (kind == Kind::constant) return base;
  if (step >= total) return floor;
  const double progress = static_cast<double>(step - warmup) / static_cast<double>(total - warmup);
  return floor + (base - floor) * 0.5 * (1 + std::cos(std::numbers::pi * progress));
}

Schedule::Kind schedule_kind(const std::string& name) {
  if (name == "constant") return Schedule::Kind::constant;
  if (name == "cosine") return Schedule::Kind::cosine;
  throw ConfigError(join("[schedule] \"", name, "\" is not one of constant, cosine"));
}

}  // namespace fovea
