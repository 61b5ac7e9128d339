#pragma once

#include <cstddef>

namespace fovea::memory {

/// Memory on a 64-byte boundary (a cache line, and the widest vector register) for at least `bytes`. Blocks
/// that were given back are handed out again: training asks for the same few sizes at every step. Throws
/// std::bad_alloc.
void* take(std::size_t bytes);

/// Gives back what `take(bytes)` returned, on any thread.
void give(void* block, std::size_t bytes);

}  // namespace fovea::memory
