#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "autograd/variable.hpp"

namespace fovea::inline FOVEA_REAL {

/// Target sequences on their way, one token at a time. Each row is a sequence that has been begun, with all
/// that the model remembers of it: a step does not go through what was said before.
class Decoding {
 public:
  virtual ~Decoding() = default;

  /// Logits [rows, V] of the next token of each row after its last one, `last` [rows].
  virtual Variable next(std::span<const std::int64_t> last) = 0;
  /// Goes on with these rows of the present ones: left out, put in another order, repeated.
  virtual void select(std::span<const std::size_t> rows) = 0;
};

/// The token of the largest logit, the first of equals, for each row: [..., V] → [rows]. Tokens 0 and 1,
/// padding and begin, are never the answer.
std::vector<std::int64_t> guesses(const Variable& logits);

/// Rows of x along its first axis, outside of any graph.
Variable select_rows(const Variable& x, std::span<const std::size_t> rows);
std::vector<std::size_t> select_rows(const std::vector<std::size_t>& x, std::span<const std::size_t> rows);

}  // namespace fovea::inline FOVEA_REAL
