#include "optim/schedule.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "core/check.hpp"

namespace fovea {
namespace {

// From `start` to `end` along half a cosine, as `progress` goes from 0 to 1.
double along_cosine(double start, double end, double progress) {
  return end + (start - end) * 0.5 * (1 + std::cos(std::numbers::pi * progress));
}

double one_cycle(const Schedule& schedule, double step) {
  const double low = schedule.base / 25, last = low / 1e4;
  const double total = static_cast<double>(schedule.total);
  const double top = schedule.rise * total - 1, end = total - 1;
  // A rise of one step is over when it begins: its progress would be 0 / 0.
  if (step <= top) return top > 0 ? along_cosine(low, schedule.base, step / top) : schedule.base;
  if (step >= end) return last;
  return along_cosine(schedule.base, last, (step - top) / (end - top));
}

}  // namespace

double Schedule::rate(std::uint64_t step) const {
  const double s = static_cast<double>(step), w = static_cast<double>(warmup);
  if (kind == Kind::one_cycle) return one_cycle(*this, s);
  // Step 0 already moves: the first of `warmup` steps has 1/warmup of the rate.
  if (step < warmup) return base * (s + 1) / w;
  switch (kind) {
    case Kind::cosine:
      return step >= total ? floor : along_cosine(base, floor, (s - w) / (static_cast<double>(total) - w));
    case Kind::step:
      return base * std::pow(factor, std::floor(s / static_cast<double>(std::max<std::uint64_t>(every, 1))));
    case Kind::inverse_sqrt:
      return base * std::sqrt(std::max(w, 1.0) / (s + 1));
    default:
      return base;
  }
}

std::vector<double> Schedule::rates() const {
  std::vector<double> all;
  for (std::uint64_t step = 0; step < total; ++step) all.push_back(rate(step));
  return all;
}

const std::vector<std::string>& schedule_names() {
  static const std::vector<std::string> names = {"constant", "cosine", "step", "inverse_sqrt", "one_cycle"};
  return names;
}

Schedule::Kind schedule_kind(const std::string& name) {
  const auto& names = schedule_names();
  const auto found = std::find(names.begin(), names.end(), name);
  if (found != names.end()) return static_cast<Schedule::Kind>(found - names.begin());
  std::string known;
  for (const std::string& other : names) known += (known.empty() ? "" : ", ") + other;
  throw ConfigError(join("[schedule] \"", name, "\" is not one of ", known));
}

double Plateau::observe(double metric, Seen& seen) const {
  const double margin = std::abs(seen.best) * threshold;
  const bool better =
      std::isfinite(metric) &&
      (!seen.any || (higher_is_better ? metric > seen.best + margin : metric < seen.best - margin));
  if (better) {
    seen.any = true;
    seen.best = metric;
    seen.bad = 0;
  } else if (++seen.bad > patience) {
    seen.scale *= factor;
    seen.bad = 0;
  }
  return seen.scale;
}

}  // namespace fovea
