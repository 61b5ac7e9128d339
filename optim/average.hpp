#pragma once

#include <map>
#include <span>
#include <string>

#include "autograd/param.hpp"

namespace fovea::inline FOVEA_REAL {

/// The exponential moving average of weights: average ← decay · average + (1 - decay) · weight after each
/// step, from the first weights on. Models evaluated with it are often a little better than the last ones.
class WeightAverage {
 public:
  explicit WeightAverage(double decay) : decay_(decay) {}

  // ShapeError when a weight has another shape than its average; nothing is changed then.
  void update(std::span<const NamedParam> params);
  /// Exchanges the weights and their averages: once to evaluate with the averages, once more to train on.
  void swap(std::span<const NamedParam> params);

  std::map<std::string, Tensor>& state() { return averages_; }
  const std::map<std::string, Tensor>& state() const { return averages_; }

 private:
  void check_shapes(std::span<const NamedParam> params) const;

  double decay_;
  std::map<std::string, Tensor> averages_;  // by path
};

}  // namespace fovea::inline FOVEA_REAL
