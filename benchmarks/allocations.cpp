#include "benchmarks/allocations.hpp"

#include <atomic>
#include <cstdlib>
#include <new>

// Takes the place of the standard library's operator new; its other forms end up here.

namespace {
std::atomic<std::size_t> count{0};
}

namespace fovea {
std::size_t allocations() { return count.load(std::memory_order_relaxed); }
}  // namespace fovea

void* operator new(std::size_t bytes) {
  count.fetch_add(1, std::memory_order_relaxed);
  if (void* block = std::malloc(bytes ? bytes : 1)) return block;
  throw std::bad_alloc();
}
void operator delete(void* block) noexcept { std::free(block); }
void operator delete(void* block, std::size_t) noexcept { std::free(block); }
