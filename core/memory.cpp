#include "core/memory.hpp"

#include <array>
#include <bit>
#include <cstdlib>
#include <new>
#include <vector>

namespace fovea::memory {
namespace {

constexpr std::size_t alignment = 64;
constexpr std::size_t kept_at_most = std::size_t{256} << 20;  // bytes that wait on one thread
#ifdef __SANITIZE_ADDRESS__
constexpr bool keeps = false;  // so that the use of a block that was given back is caught
#else
constexpr bool keeps = true;
#endif

// Sizes are rounded up to one of eight steps between powers of two, so that a batch that is a little larger
// than the last finds its blocks, and at most an eighth is wasted.
struct SizeClass {
  std::size_t index, bytes;
};
SizeClass class_of(std::size_t bytes) {
  const std::size_t lines = bytes < 8 * alignment ? (bytes + alignment - 1) / alignment : 0;
  if (lines > 0 || bytes == 0) return {lines ? lines - 1 : 0, (lines ? lines : 1) * alignment};
  const std::size_t power = static_cast<std::size_t>(std::bit_width(bytes)) - 1;  // 2^power <= bytes
  const std::size_t step = (std::size_t{1} << power) / 8;
  const std::size_t steps = (bytes - (std::size_t{1} << power) + step - 1) / step;  // 0 … 8
  return {8 + (power - 9) * 8 + steps, (std::size_t{1} << power) + steps * step};
}
constexpr std::size_t classes = 8 + (64 - 9) * 8 + 9;

// Blocks that one thread has given back. Tensors may outlive it at the end of a thread: then `open` is false.
struct Shelf {
  std::array<std::vector<void*>, classes> blocks;
  std::size_t held = 0;
  ~Shelf();
};
thread_local bool open = true;
thread_local Shelf shelf;
Shelf::~Shelf() {
  open = false;
  for (auto& same_size : blocks) {
    for (void* block : same_size) std::free(block);
  }
}

thread_local bool limited = false;
thread_local std::size_t left = 0;  // of the budget, while there is one

}  // namespace

const char* OverBudget::what() const noexcept { return "more memory is asked for than is allowed here"; }

Budget::Budget(std::size_t bytes) : outer_limited_(limited), outer_left_(left) {
  limited = true;
  left = bytes;
}

Budget::~Budget() {
  limited = outer_limited_;
  left = outer_left_;
}

void* take(std::size_t bytes) {
  if (bytes > static_cast<std::size_t>(-1) / 2) throw std::bad_alloc();
  if (limited) {
    if (bytes > left) throw OverBudget();
    left -= bytes;
  }
  const SizeClass size = class_of(bytes);
  if (keeps && open) {
    auto& same_size = shelf.blocks[size.index];
    if (!same_size.empty()) {
      void* block = same_size.back();
      same_size.pop_back();
      shelf.held -= size.bytes;
      return block;
    }
  }
  void* block = nullptr;
  // Without a shelf the block ends where its owner thinks: a sanitizer sees one element too many.
  if (posix_memalign(&block, alignment, keeps ? size.bytes : bytes) != 0) throw std::bad_alloc();
  return block;
}

void give(void* block, std::size_t bytes) {
  if (!block) return;
  if (limited) left += bytes;
  const SizeClass size = class_of(bytes);
  if (keeps && open && shelf.held + size.bytes <= kept_at_most) {
    shelf.blocks[size.index].push_back(block);
    shelf.held += size.bytes;
  } else {
    std::free(block);
  }
}

}  // namespace fovea::memory
