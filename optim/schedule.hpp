#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace fovea {

/// The learning rate as a function of the step alone, so that a resumed run goes on as if nothing happened.
/// With t = step + 1 and W = warmup; the rate rises linearly over the first W steps in every kind but
/// one_cycle.
struct Schedule {
  enum class Kind {
    constant,
    cosine,        ///< from `base` down to `floor` along half a cosine, reached after `total` steps
    step,          ///< times `factor` after every `every` steps
    inverse_sqrt,  ///< base · √(W / t) after the warm-up (Vaswani et al., 2017)
    one_cycle,  ///< up from base / 25 to `base` over `rise` of the steps, then down to base / 25 / 10⁴, along
                ///< cosines (Smith, Topin, 2019)
  };
  Kind kind = Kind::constant;
  double base = 1e-3;
  std::uint64_t warmup = 0;  // steps over which the rate rises linearly to `base`
  std::uint64_t total = 0;   // steps in all: cosine and one_cycle end there
  double floor = 0;
  std::uint64_t every = 1;
  double factor = 0.1;
  double rise = 0.3;

  /// True when `total` takes part in the rates, so that a longer run has others from its first step on.
  bool spans_total() const { return kind == Kind::cosine || kind == Kind::one_cycle; }
  /// Rate of step 0, 1, 2, …
  double rate(std::uint64_t step) const;
  /// The rates of all `total` steps.
  std::vector<double> rates() const;
};

/// The names that `schedule_kind` knows, in the order of the kinds.
const std::vector<std::string>& schedule_names();
/// By name; ConfigError for any other.
Schedule::Kind schedule_kind(const std::string& name);

/// Lowers the rate when a metric stops getting better: times `factor` once it has not been better by
/// `threshold` (relative) for more than `patience` evaluations; one that is not finite is never better. What
/// it has seen is plain numbers, saved with a run.
struct Plateau {
  double factor = 0.1;
  std::uint64_t patience = 10;
  double threshold = 1e-4;
  bool higher_is_better = false;

  struct Seen {
    bool any = false;
    double best = 0;
    std::uint64_t bad = 0;  // evaluations since the last better one
    double scale = 1;       // times the learning rate

    bool operator==(const Seen&) const = default;
  };
  /// Takes note of an evaluation; returns the new scale.
  double observe(double metric, Seen& seen) const;
};

}  // namespace fovea
