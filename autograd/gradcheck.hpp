#pragma once

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "autograd/param.hpp"

namespace fovea::inline FOVEA_REAL {

/// How derivatives are compared: |analytic - numeric| ≤ absolute + relative · max(|analytic|, |numeric|).
struct GradcheckOptions {
  double relative = 1e-6;
  double absolute = 1e-8;
  double step = 1e-4;  ///< of the five-point difference, times max(1, |x|); where it fails a tenth and a
                       ///< hundredth are tried, too: a jump may lie within the first
  std::size_t per_tensor = 0;  ///< elements tried in each tensor, evenly spread; 0 tries all
  std::uint64_t seed = 1;      ///< of the cotangent
};

struct GradcheckReport {
  /// The element of one tensor where the two derivatives differ most.
  struct Worst {
    std::string name;
    std::size_t index = 0, checked = 0, failed = 0;
    double analytic = 0, numeric = 0, relative_error = 0;
  };
  bool passed = true;
  std::vector<Worst> tensors;

  /// A table with a line for each tensor: name, elements, worst index, analytic, numeric, relative error.
  std::string text() const;
};

/// Compares the gradient of every parameter with differences of `loss`, a scalar. Throws Error in single
/// precision, where differences prove nothing, and for a loss that differs between two calls. The parameters
/// are as before afterwards, also when `loss` throws.
GradcheckReport gradcheck(std::span<const NamedParam> params, const std::function<Variable()>& loss,
                          const GradcheckOptions& options = {});

/// The same for a function of tensors with a result of any shape, by way of a fixed random cotangent (a
/// plain sum would prove nothing about, say, softmax, whose rows always sum to 1).
GradcheckReport gradcheck(const std::function<Variable(std::span<const Variable>)>& f,
                          const std::vector<Tensor>& inputs, const GradcheckOptions& options = {});

}  // namespace fovea::inline FOVEA_REAL
