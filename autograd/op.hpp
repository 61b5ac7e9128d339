#pragma once

#include <string_view>

#include "core/real.hpp"

namespace fovea::inline FOVEA_REAL {

/// The name of a differentiable function. Each op defines one static `Op`; it lists itself, so that the
/// tests can tell which ops are linked, and it stands in front of every error that the op throws.
class Op {
 public:
  explicit Op(const char* name);
  Op(const Op&) = delete;
  Op& operator=(const Op&) = delete;

  std::string_view name() const { return name_; }
  operator std::string_view() const { return name_; }
  const Op* next() const { return next_; }

  /// The first of all ops that are linked; `next()` leads through the others.
  static const Op* first();

 private:
  const char* name_;
  const Op* next_;
};

}  // namespace fovea::inline FOVEA_REAL
