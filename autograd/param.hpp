#pragma once

#include <functional>
#include <optional>
#include <string>

#include "autograd/variable.hpp"

namespace fovea::inline FOVEA_REAL {

/// A tensor that is trained: a leaf that a module holds by value. A copy shares nothing.
class Param {
 public:
  /// Whether an optimiser's weight decay applies: to matrices yes, to biases and gains no.
  enum class Decay { yes, no };

  Param() = default;
  explicit Param(Tensor value, Decay decay = Decay::yes)
      : leaf_(Variable::leaf(std::move(value))), decay_(decay) {}

  Param(const Param& other);
  Param& operator=(const Param& other);
  Param(Param&&) = default;
  Param& operator=(Param&&) = default;

  /// For use in ops.
  const Variable& variable() const { return leaf_; }
  operator const Variable&() const { return leaf_; }

  bool defined() const { return leaf_.defined(); }
  const Tensor& value() const { return leaf_.value(); }
  const Shape& shape() const { return leaf_.shape(); }
  std::size_t size() const { return leaf_.size(); }
  bool decays() const { return decay_ == Decay::yes; }

  Value grad() const { return leaf_.grad(); }
  void clear_grad() { leaf_.clear_grad(); }

  /// Replaces the value by one of the same shape.
  void set(Tensor value);
  /// Changes the value: in place when no graph holds it, else in a copy, so that a backward pass still sees
  /// the value that was recorded.
  void update(const std::function<void(Tensor&)>& change);

 private:
  Variable leaf_;
  Decay decay_ = Decay::yes;
};

/// A parameter and its path in the model (`attentions.0.score.query.weight`), with what an optimiser is told
/// of it.
struct NamedParam {
  std::string path;
  Param* param = nullptr;
  bool decays = true;
  double rate = 1;                   // times the learning rate
  std::optional<double> decay = {};  // instead of the optimiser's weight decay
};

}  // namespace fovea::inline FOVEA_REAL
