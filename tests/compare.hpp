#pragma once

#include <cmath>
#include <set>
#include <string>

#include <catch2/catch.hpp>

#include "core/check.hpp"
#include "core/tensor.hpp"

namespace fovea::inline FOVEA_REAL {

/// A Catch matcher: equal shapes, and each element within absolute + relative · |expected|. NaN equals NaN,
/// an infinity itself.
class CloseTo : public Catch::MatcherBase<Tensor> {
 public:
  CloseTo(Tensor expected, double tolerance) : expected_(std::move(expected)), tolerance_(tolerance) {}

  bool match(const Tensor& actual) const override {
    if (actual.shape() != expected_.shape()) return false;
    for (std::size_t i = 0; i < actual.size(); ++i) {
      const double a = static_cast<double>(actual.data()[i]), e = static_cast<double>(expected_.data()[i]);
      const bool same = (std::isnan(a) && std::isnan(e)) || a == e;
      // An infinite tolerance would let anything pass for an infinity.
      const bool close = std::isfinite(e) && std::abs(a - e) <= tolerance_ * std::max(1.0, std::abs(e));
      if (!same && !close) return false;
    }
    return true;
  }
  std::string describe() const override { return "is close to " + text(expected_); }

  static std::string text(const Tensor& tensor) {
    std::string result = to_string(tensor.shape()) + " {";
    for (std::size_t i = 0; i < tensor.size() && i < 64; ++i) result += join(i ? ", " : "", tensor.data()[i]);
    return result + "}";
  }

 private:
  Tensor expected_;
  double tolerance_;
};

/// What two sets of names do not share, and what to do: "silu is declared in autograd/ops.hpp and has no
/// row". Empty when they are equal.
inline std::string difference(const std::set<std::string>& wanted, const std::set<std::string>& there,
                              const std::string& missing, const std::string& unexpected) {
  std::string text;
  for (const std::string& name : wanted) text += there.contains(name) ? "" : name + " " + missing + "\n";
  for (const std::string& name : there) text += wanted.contains(name) ? "" : name + " " + unexpected + "\n";
  return text;
}

inline CloseTo close_to(Tensor expected, double tolerance = sizeof(Real) == 8 ? 1e-12 : 1e-6) {
  return CloseTo(std::move(expected), tolerance);
}

}  // namespace fovea::inline FOVEA_REAL

namespace Catch {
template <>
struct StringMaker<fovea::Tensor> {
  static std::string convert(const fovea::Tensor& tensor) { return fovea::CloseTo::text(tensor); }
};
}  // namespace Catch
