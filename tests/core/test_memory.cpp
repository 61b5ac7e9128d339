#include <cstdint>
#include <cstring>
#include <new>
#include <thread>
#include <vector>

#include <catch2/catch.hpp>

#include "core/memory.hpp"

using namespace fovea;

TEST_CASE("blocks are aligned, as large as asked for, and their own", "[core]") {
  std::vector<std::pair<unsigned char*, std::size_t>> blocks;
  unsigned char mark = 0;
  for (std::size_t bytes = 0; bytes < 5000; bytes += 1 + bytes / 7) {
    for (int twice = 0; twice < 2; ++twice) {
      auto* block = static_cast<unsigned char*>(memory::take(bytes));
      REQUIRE(reinterpret_cast<std::uintptr_t>(block) % 64 == 0);
      std::memset(block, mark++, bytes);
      blocks.emplace_back(block, bytes);
    }
  }
  mark = 0;
  for (const auto& [block, bytes] : blocks) {
    for (std::size_t i = 0; i < bytes; ++i) REQUIRE(block[i] == mark);
    ++mark;
    memory::give(block, bytes);
  }
  for (const std::size_t bytes : {511, 512, 513, 576, 577, 1023, 1024, 1025, 1 << 20, (1 << 20) + 1}) {
    void* block = memory::take(bytes);
    std::memset(block, 1, bytes);
    memory::give(block, bytes);
  }
}

#ifndef __SANITIZE_ADDRESS__
TEST_CASE("a block that was given back is handed out again for a size close to it", "[core]") {
  void* first = memory::take(100'000);
  memory::give(first, 100'000);
  CHECK(memory::take(100'500) == first);
  memory::give(first, 100'500);
  void* other = memory::take(200'000);
  CHECK(other != first);
  memory::give(other, 200'000);
}
#endif

TEST_CASE("a block may be given back on another thread, and after its own has ended", "[core]") {
  void* block = nullptr;
  std::thread([&] { block = memory::take(1000); }).join();
  memory::give(block, 1000);
  block = memory::take(1000);
  std::thread([&] { memory::give(block, 1000); }).join();
}

TEST_CASE("what cannot be had is refused", "[core]") {
  CHECK_THROWS_AS(memory::take(static_cast<std::size_t>(-1)), std::bad_alloc);
}

TEST_CASE("a budget limits what is held, on its thread and while it is there", "[core]") {
  void* before = memory::take(100);
  {
    const memory::Budget budget(1000);
    void* first = memory::take(600);
    CHECK_THROWS_AS(memory::take(500), memory::OverBudget);
    memory::give(first, 600);
    void* second = memory::take(1000);
    CHECK_THROWS_AS(memory::take(1), std::bad_alloc);
    {
      const memory::Budget inner(10);
      CHECK_THROWS_AS(memory::take(11), memory::OverBudget);
      memory::give(memory::take(10), 10);
    }
    CHECK_THROWS_AS(memory::take(1), memory::OverBudget);
    std::thread([] { memory::give(memory::take(5000), 5000); }).join();
    memory::give(second, 1000);
  }
  memory::give(before, 100);
  memory::give(memory::take(5000), 5000);
}
