#pragma once

#include <cstddef>
#include <new>

namespace fovea::memory {

/// Thrown by `take` where a Budget does not allow it.
struct OverBudget : std::bad_alloc {
  const char* what() const noexcept override;
};

/// While one is alive, this thread can hold at most `bytes` more than it did before; beyond that `take`
/// throws OverBudget. For what is built by the word of a file that nobody trusts. An inner one counts alone.
class Budget {
 public:
  explicit Budget(std::size_t bytes);
  ~Budget();
  Budget(const Budget&) = delete;
  Budget& operator=(const Budget&) = delete;

 private:
  bool outer_limited_;
  std::size_t outer_left_;
};

/// Memory on a 64-byte boundary (a cache line, and the widest vector register) for at least `bytes`. Blocks
/// that were given back are handed out again: training asks for the same few sizes at every step. Throws
/// std::bad_alloc.
void* take(std::size_t bytes);

/// Gives back what `take(bytes)` returned, on any thread.
void give(void* block, std::size_t bytes);

}  // namespace fovea::memory
