#include "core/precision.hpp"

#include <algorithm>
#include <atomic>

#include "core/check.hpp"
#include "core/onednn/onednn.hpp"

namespace fovea {
namespace {

std::atomic<Precision> current{Precision::f32};

}  // namespace

const std::vector<std::string>& precision_names() {
  static const std::vector<std::string> names{"f32", "bf16", "bf16-emulated"};
  return names;
}

Precision precision_of(const std::string& name) {
  const std::vector<std::string>& names = precision_names();
  const auto found = std::find(names.begin(), names.end(), name);
  check<ConfigError>(found != names.end(), "precision", "there is no ", name,
                     "; there are f32, bf16 and bf16-emulated");
  return static_cast<Precision>(found - names.begin());
}

void check_available(Precision precision) {
  if (precision != Precision::bf16) return;
  const std::string& fault = onednn::fault();
  check<ConfigError>(
      fault.empty(), "--precision", "bf16: ", fault,
      ". Take f32, or bf16-emulated, which comes to the same numbers but for the order of sums, "
      "on any CPU, and is slower");
}

Precision product_precision() { return current.load(std::memory_order_relaxed); }

WithPrecision::WithPrecision(Precision precision) {
  check_available(precision);
  before_ = current.exchange(precision);
}

WithPrecision::~WithPrecision() { current = before_; }

}  // namespace fovea
