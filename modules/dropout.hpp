#pragma once

#include "autograd/ops.hpp"
#include "modules/fields.hpp"
#include "modules/pass.hpp"

namespace fovea::inline FOVEA_REAL {

/// While training, zeroes each element with probability `rate` and scales the others by 1 / (1 - rate)
/// (Srivastava et al., 2014); otherwise hands its input on. ConfigError for a rate that is not 0 ≤ rate < 1.
class Dropout {
 public:
  Dropout() = default;
  explicit Dropout(double rate) { set_rate(rate); }
  FIELDS()

  double rate() const { return rate_; }
  void set_rate(double rate) {
    check<ConfigError>(0 <= rate && rate < 1, "Dropout", "the rate is ", rate, "; expected 0 ≤ rate < 1");
    rate_ = rate;
  }

  /// Whether what it hands on is not its input.
  bool drops(const Pass& pass) const { return pass.training && rate_ > 0; }

  Variable operator()(const Variable& x, Pass& pass) const {
    return drops(pass) ? dropout(x, rate_, pass.rng) : x;
  }

 private:
  double rate_ = 0;
};

}  // namespace fovea::inline FOVEA_REAL
