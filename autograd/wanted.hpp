#pragma once

#include <optional>

#include "autograd/record.hpp"

namespace fovea::inline FOVEA_REAL {

/// Null where there is no value, as of an undefined variable.
inline const Real* data_of(const Value& value) { return value ? value->data() : nullptr; }

/// Which inputs of a joint op ask for a gradient, and of which shape.
class WantedGradients {
 public:
  explicit WantedGradients(std::span<const Variable> inputs) {
    for (const Variable& input : inputs) {
      shapes_.push_back(input.tracked() ? std::optional(input.shape()) : std::nullopt);
      recorded_ = recorded_ || (input.tracked() && recording());
    }
  }

  /// Whether the call is recorded.
  bool recorded() const { return recorded_; }

  /// Room for the gradients, to be written whole.
  struct Room {
    Gradients gradients;
    std::vector<Real*> at;  // null where none is wanted
  };
  Room room() const {
    Room all{Gradients(shapes_.size()), std::vector<Real*>(shapes_.size(), nullptr)};
    for (std::size_t i = 0; i < shapes_.size(); ++i) {
      if (!shapes_[i]) continue;
      auto made = std::make_shared<Tensor>(uninitialized(*shapes_[i]));
      all.at[i] = made->data();
      all.gradients[i] = std::move(made);
    }
    return all;
  }

 private:
  std::vector<std::optional<Shape>> shapes_;
  bool recorded_ = false;
};

}  // namespace fovea::inline FOVEA_REAL
