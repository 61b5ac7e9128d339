#include "fuzz/fuzz.hpp"

#include <algorithm>
#include <atomic>
#include <sanitizer/allocator_interface.h>

// libFuzzer's entry points, and the count of what a target holds in memory.

namespace {

constexpr std::int64_t usual = 10'000'000;  // bytes beside the input's
std::int64_t allowed = usual;

std::atomic<std::int64_t> held{0}, peak{0};

void taken(const volatile void*, std::size_t size) {
  const std::int64_t now = held += static_cast<std::int64_t>(size);
  std::int64_t highest = peak;
  while (now > highest && !peak.compare_exchange_weak(highest, now)) {
  }
}

void given(const volatile void* block) {
  held -= static_cast<std::int64_t>(__sanitizer_get_allocated_size(block));
}

}  // namespace

void fovea::fuzz::allow(std::size_t bytes) { allowed += static_cast<std::int64_t>(bytes); }

extern "C" int LLVMFuzzerInitialize(int*, char***) {
  fovea::fuzz::require(__sanitizer_install_malloc_and_free_hooks(taken, given) != 0,
                       "memory cannot be counted");
  return 0;
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::int64_t before = held;
  peak = before;
  allowed = usual;
  fovea::fuzz::run({reinterpret_cast<const char*>(data), size});
  fovea::fuzz::require(peak - before <= allowed + static_cast<std::int64_t>(size),
                       "more was held in memory than is allowed");
  return 0;
}
